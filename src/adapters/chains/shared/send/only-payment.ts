import type { Payment } from '../../../../ports/sending/payment.ts';

/**
 * The payment of an order on a chain with one payment per transaction. Any other number is a bug of
 * the caller.
 */
export function onlyPayment({ payments }: { payments: readonly Payment[] }): Payment {
  const [payment] = payments;
  if (!payment || payments.length > 1)
    throw new Error(`${payments.length} payments where a transaction makes one`);
  return payment;
}
