import { type AppError, validationError } from '../../../../domain/errors.ts';
import { isRange } from '../../kit/caller-ip.ts';

/** The fault of a list of allowed addresses: a malformed one would be stored, and allow nothing. */
export function wrongSubnets(subnets: readonly string[]): AppError | null {
  const wrong = subnets.filter((subnet) => !isRange(subnet));
  return wrong.length === 0
    ? null
    : validationError([
        { field: 'subnets', message: `names what is no address and no CIDR range: ${wrong.join(', ')}` },
      ]);
}
