/** What certain recipients cost beyond others, and which of them run code (safety.md G1, G4). */
import type { Payment } from './payment.ts';

export interface RecipientPricing {
  /** Whether a recipient of the asset can make its payment dearer. */
  concern(asset: string): boolean;
  /**
   * What these payments, of assets that it concerns, cost beyond ordinary ones, in their order: tried at a node as they would be sent
   * by `wallet`, with a deadline of two seconds. Null: nothing was told in time.
   */
  price(
    wallet: string,
    payments: readonly (Payment & { readonly asset: string })[],
  ): Promise<readonly (RecipientPrice | null)[]>;
  /** Whether paying each runs code of its recipient's, as of the best block. Absent where nobody waits behind one that fails. */
  runCode?(payments: readonly { readonly asset: string; readonly to: string }[]): Promise<readonly boolean[]>;
}

/** What one payment costs at present beyond an ordinary one of its asset. */
export interface RecipientPrice {
  /** What of `Payment.extraGas` it needs; null where it is more than is ever tried for a price. */
  readonly extraGas: bigint | null;
  /** Native base units of that gas; below zero where an ordinary payment has what this recipient does not need. */
  readonly extraUnits: bigint;
  /** What an ordinary payment's gas costs, to compare with. */
  readonly ordinaryUnits: bigint;
}
