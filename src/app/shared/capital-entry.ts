/** Books owner funding: a booking and its ledger entry, in the caller's transaction. */
import { capital } from '../../domain/ledger.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { CapitalBooking } from '../../ports/treasury/treasury-repositories.ts';
import type { AppDependencies } from '../dependencies.ts';

export async function postCapital(
  deps: Pick<AppDependencies, 'clock' | 'ids'>,
  repositories: Pick<Repositories, 'capital' | 'ledger'>,
  given: Omit<CapitalBooking, 'id' | 'at'>,
): Promise<void> {
  const id = deps.ids.id();
  const at = deps.clock.now();
  await repositories.capital.insert({ id, at, ...given });
  await repositories.ledger.post({
    id: deps.ids.id(),
    merchantId: null,
    sandbox: false,
    kind: 'capital',
    referenceId: id,
    depositId: null,
    postings: capital(given.asset, given.units),
    feed: null,
    at,
  });
}
