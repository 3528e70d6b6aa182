/**
 * What the hostile drill asks of a chain beyond the payout drill: recipients that cost more than
 * they should, or cannot be paid.
 */
import type { DrillChain, Owed } from '../payout-drill/drill-chain.ts';

export interface HostileChain extends DrillChain {
  /** Of the chain's own time, which goes on with each block. */
  readonly secondsPerBlock: number;
  /** Kinds of recipients that merchants pay, by name. */
  readonly kinds: readonly string[];
  /** A new payment to a recipient of the kind. */
  owe(kind: string): Promise<Owed>;
  /**
   * Before each block: recipients among these, for whom something is signed, cost what they can
   * from now on.
   */
  spring(signedFor: ReadonlySet<string>): Promise<void>;
}
