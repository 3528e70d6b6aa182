/**
 * Keeps the pools of derived addresses ahead of demand, for families whose public keys derive
 * nothing: the signer derives, the database stores. Several workers may do it in parallel, and a
 * crash at any point is followed by the same step.
 */
import { DERIVED_AT_ONCE, type Signer } from '../../../ports/sending/signer.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { warnIfUnavailable } from '../../shared/tolerate-outage.ts';
import type { WorkerJob } from '../../shared/worker-job.ts';

/** Addresses that are ready in advance: sixteen blocks of the allocators (address-allocator.ts). */
export const DERIVED_AHEAD = 4_096;
const EVERY_MS = 1_000;

type Needs = Pick<AppDependencies, 'unitOfWork' | 'logger'>;

export function fillAddressPool(
  deps: Needs,
  pool: { family: string; signer: Signer },
): (stopping?: AbortSignal) => Promise<void> {
  const { family, signer } = pool;

  const standing = () =>
    deps.unitOfWork.run(async ({ addresses }) => ({
      from: await addresses.derivedIndexes(family),
      // Live addresses have the family's name as that of their deriver (address-allocator.ts).
      wanted: (await addresses.reservedIndexes(family)) + DERIVED_AHEAD,
    }));

  return async (stopping) => {
    while (!stopping?.aborted) {
      const { from, wanted } = await standing();
      const count = Math.min(DERIVED_AT_ONCE, wanted - from);
      if (count <= 0) return;
      const derived = await signer.addresses({ family, from, count });
      if (derived.length !== count)
        throw new Error(`the signer derived ${derived.length} addresses, not ${count}`);
      await deps.unitOfWork.run(({ addresses }) =>
        addresses.addDerived({ family, from, addresses: derived }),
      );
    }
  };
}

export function addressPoolJob(
  deps: Needs,
  pool: { family: string; chain: string; signer: Signer },
): WorkerJob {
  const fill = fillAddressPool(deps, pool);
  return {
    name: `derive:${pool.family}`,
    everyMs: EVERY_MS,
    run: () =>
      warnIfUnavailable(deps.logger, { chain: pool.chain, event: 'chain.addresses_underivable' }, fill),
  };
}
