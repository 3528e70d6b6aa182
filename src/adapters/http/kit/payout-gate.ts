/**
 * Specification, "Authentication" 3: payouts are accepted only from addresses that the operator
 * allowed.
 */
import { type AppError, appError } from '../../../domain/errors.ts';
import type { Merchant } from '../../../domain/merchants/merchant.ts';
import { isAllowed } from './caller-ip.ts';

/**
 * Null if `ip` is in the merchant's `allowed_subnets`, which the operator sets. An unknown address
 * is null, and is never allowed.
 */
export function payoutAddressGate(
  ip: string | null,
  { allowedSubnets }: Pick<Merchant, 'allowedSubnets'>,
): AppError | null {
  if (isAllowed(ip, allowedSubnets)) return null;
  return appError(
    'PAYOUTS_DISABLED',
    'Payouts are not allowed from this address. Ask the operator to add it to allowed_subnets.',
    { ip },
  );
}
