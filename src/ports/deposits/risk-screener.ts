/** The risk check of every deposit, after it is final and before it is credited. */
export interface RiskScreener {
  /**
   * It asks no service, so that its verdict delays nothing: payments are screened as they become
   * final. Default: they are screened afterwards.
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
