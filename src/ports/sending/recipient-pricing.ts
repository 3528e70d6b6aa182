/** Extra cost of certain recipients, and which of them run code (safety.md G1, G4). */
import type { Payment } from './payment.ts';

export interface RecipientPricing {
  /** Whether a recipient of the asset can make its payment dearer. */
  concern(asset: string): boolean;
  /**
   * The extra cost of these payments, in their order; their assets must be ones it concerns. A node
   * simulates each as `wallet` would send it, within two seconds. Null: no result in time.
   */
  price(
    wallet: string,
    payments: readonly (Payment & { readonly asset: string })[],
  ): Promise<readonly (RecipientPrice | null)[]>;
  /**
   * Whether each payment runs code of its recipient at the best block. Absent where a failing
   * payment delays no other.
   */
  runCode?(payments: readonly { readonly asset: string; readonly to: string }[]): Promise<readonly boolean[]>;
}

/** The present cost of one payment beyond an ordinary one of its asset. */
export interface RecipientPrice {
  /** The `Payment.extraGas` that it needs; null if that is more than is ever simulated. */
  readonly extraGas: bigint | null;
  /** Native base units of that gas; negative if this recipient needs less than an ordinary one. */
  readonly extraUnits: bigint;
  /** The gas cost of an ordinary payment, for comparison. */
  readonly ordinaryUnits: bigint;
}
