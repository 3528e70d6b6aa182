/**
 * Records blocks at or below the cursor: read again, or reported late by a source that shows
 * payments by address.
 */
import type { Moment } from '../../domain/chains/payment-time.ts';
import type { ScannedBlock } from '../../ports/chains/chain-scanner.ts';
import type { WatchedSpending } from '../../ports/chains/watch-list.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { LifecycleNeeds } from '../deposits/deposit-lifecycle.ts';
import type { Observation } from '../deposits/observation.ts';
import { observationsIn, recordTransfers } from '../deposits/record-transfer.ts';
import { recordUnknown } from './record-unknown-transactions.ts';
import type { RecordedParts } from './recorded-parts.ts';

/** What blocks are read of, and how much of it is recorded at once. */
export interface ReadPlace extends Pick<Observation, 'chain' | 'family' | 'hotWallet'> {
  readonly spending: WatchedSpending | undefined;
  readonly parts: RecordedParts;
}

/**
 * Returns how many transfers the blocks have; recorded ones do not change. `now`: when the chain's
 * newest block was told.
 */
export async function recordAgain(
  deps: LifecycleNeeds & Pick<AppDependencies, 'unitOfWork' | 'liveDerivers'>,
  on: ReadPlace,
  { blocks, now }: { blocks: readonly ScannedBlock[]; now: Moment },
): Promise<number> {
  await recordUnknown(deps, on, { blocks, cursor: null, now });
  const observations = observationsIn(on, blocks, now);
  const { chain } = on;
  await deps.unitOfWork.run((repositories) => freezeIn(deps, repositories, { chain, blocks }));
  if (observations.length === 0) return 0;
  await on.parts.record(observations, (part) =>
    deps.unitOfWork.run(async (repositories) => {
      await repositories.chains.lockCursor(chain);
      await recordTransfers(deps, repositories, part);
      return true;
    }),
  );
  return observations.length;
}

/**
 * Another owner may spend from these addresses now. A reorganisation may undo that, but they stay
 * frozen.
 */
export async function freezeIn(
  deps: Pick<AppDependencies, 'clock' | 'logger'>,
  repositories: Repositories,
  { chain, blocks }: { chain: string; blocks: readonly ScannedBlock[] },
): Promise<void> {
  for (const { height, frozen = [] } of blocks)
    for (const address of frozen) {
      const reason = `its owner changed in block ${height}`;
      if (await repositories.frozen.freeze({ chain, address, reason, at: deps.clock.now() }))
        deps.logger.error('address.owner_changed', { chain, address, height });
    }
}
