/**
 * The risk check of every deposit, before it is credited: once its block is final, and where
 * `isLocal` before the transaction that makes the deposit final and credits it.
 */
export interface RiskScreener {
  /**
   * It asks no service, so that its verdict delays nothing: payments are screened as they become
   * final. One that throws, or takes more than a second for a set of payments, is asked again
   * afterwards. Default: they are screened afterwards.
   */
  readonly isLocal?: boolean;
  /**
   * Never throws because of a provider. `unavailable`: ask again later; nothing is credited
   * meanwhile.
   */
  screen(payment: RiskSubject): Promise<RiskVerdict>;
}

export interface RiskSubject {
  readonly depositId: string;
  readonly chain: string;
  readonly asset: string;
  readonly txid: string;
  readonly from: string | null;
  readonly to: string;
  readonly units: bigint;
  readonly sandbox: boolean;
}

export type RiskVerdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'hit'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly reason: string };
