/** Asks whether a payment may be credited (anti money laundering). Network failures are a verdict, never an exception. */
export interface RiskScreener {
  /** Called once a payment is final and before it is credited. Repeating the question is allowed at any time. */
  screen(payment: RiskSubject): Promise<RiskVerdict>;
}

export interface RiskSubject {
  readonly depositId: string;
  readonly chain: string;
  /** Asset key of the catalog, for example `usdt_tron`. */
  readonly asset: string;
  readonly txid: string;
  /** Sender in the canonical form of its chain, when the chain shows one. */
  readonly from: string | null;
  readonly to: string;
  /** Base units of the asset. */
  readonly units: bigint;
  readonly sandbox: boolean;
}

export type RiskVerdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'hit'; readonly reason: string }
  /** No verdict could be had: ask again later and do not credit meanwhile. */
  | { readonly kind: 'unavailable'; readonly reason: string };
