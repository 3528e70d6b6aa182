/** One payment of an order to send. */
export interface Payment {
  readonly to: string;
  /** Base units of the order's asset, above zero. */
  readonly units: bigint;
  /**
   * Gas that its recipient may make it take beyond an ordinary payment's (Tron: energy; Solana: lamports of rent), as it was quoted: `prepare` writes nothing that may take
   * more, and refuses (`cost`) what needs more. Null: whatever it takes, which an operator decided. Left out: no recipient is trusted less.
   */
  readonly extraGas?: bigint | null;
}
