/**
 * Records blocks at or below the cursor: read again, or reported late by a source that shows
 * payments by address.
 */
import type { ScannedBlock } from '../../ports/chains/chain-scanner.ts';
import type { WatchedSpending } from '../../ports/chains/watch-list.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { LifecycleNeeds } from '../deposits/deposit-lifecycle.ts';
import type { Observation } from '../deposits/observation.ts';
import { observationsIn, recordTransfers } from '../deposits/record-transfer.ts';
import { recordUnknown } from './record-unknown-transactions.ts';

/** Transfers per transaction: thousands in one block (safety.md U5) would exceed its deadline. */
export const RECORDED_AT_ONCE = 250;

/** Returns how many transfers the blocks have; recorded ones do not change. */
export async function recordAgain(
  deps: LifecycleNeeds & Pick<AppDependencies, 'unitOfWork' | 'liveDerivers'>,
  on: Pick<Observation, 'chain' | 'family' | 'hotWallet'> & { spending: WatchedSpending | undefined },
  { blocks, tipTime }: { blocks: readonly ScannedBlock[]; tipTime: number },
): Promise<number> {
  const now = { at: deps.clock.now(), tipTime };
  await recordUnknown(deps, on, { blocks, cursor: null, now });
  const observations = observationsIn(on, blocks, now);
  const transfers = observations.length;
  const { chain } = on;
  await deps.unitOfWork.run((repositories) => freezeIn(deps, repositories, { chain, blocks }));
  while (observations.length > 0) {
    const part = observations.splice(0, RECORDED_AT_ONCE);
    await deps.unitOfWork.run(async (repositories) => {
      await repositories.chains.lockCursor(chain);
      await recordTransfers(deps, repositories, part);
    });
  }
  return transfers;
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
