import { type AppError, appError } from '../../../../domain/errors.ts';
import { isRange } from '../../kit/caller-ip.ts';

/** The fault of a list of allowed addresses: a malformed one would be stored, and allow nothing. */
export function wrongSubnets(subnets: readonly string[]): AppError | null {
  const wrong = subnets.filter((subnet) => !isRange(subnet));
  return wrong.length === 0
    ? null
    : appError('VALIDATION_ERROR', `No address and no CIDR range: ${wrong.join(', ')}.`);
}
