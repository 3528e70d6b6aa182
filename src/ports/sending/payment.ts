/** One payment of an order to send. */
export interface Payment {
  readonly to: string;
  /** Base units of the order's asset, above zero. */
  readonly units: bigint;
  /**
   * Quoted extra gas (Tron: energy; Solana: lamports of rent) that the recipient may cause beyond
   * an ordinary payment. `prepare` allows no more, and refuses (`cost`) what needs more. Null: no
   * limit, by an operator's decision. Absent: the asset's payments all cost the same.
   */
  readonly extraGas?: bigint | null;
}
