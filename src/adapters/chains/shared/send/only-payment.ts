import type { Payment } from '../../../../ports/sending/payment.ts';

/** The payment of an order on a chain whose transactions make one each; any other number is a bug of the caller. */
export function onlyPayment({ payments }: { payments: readonly Payment[] }): Payment {
  const [payment] = payments;
  if (!payment || payments.length > 1)
    throw new Error(`${payments.length} payments where a transaction makes one`);
  return payment;
}
