/**
 * What a start does so that no address is given out twice (safety.md K5). A database that was restored from a backup does not
 * know the addresses that were given out since. The mark beside the keystore knows those of this host; for what it cannot know
 * (the mark is as old as the backup, or another host gave them out) indexes are skipped, more the longer the database saw nothing.
 */
import { chainTime } from '../../chains/chain-time.ts';
import type { AppDependencies } from '../../dependencies.ts';

/** For each second in which the database saw no block: nobody gives out more addresses for long. */
const SKIPPED_PER_SECOND = 2;
/** More than a day's: what was silent for longer was switched off more likely, and `bun run restore` skips more. */
const SKIPPED_MAX = 200_000;
/** One more than the highest index of a BIP-32 child without hardening. */
const INDEX_LIMIT = 2 ** 31;

type Needs = Pick<AppDependencies, 'unitOfWork' | 'clock' | 'logger' | 'issuedIndexes'> & {
  readonly liveDerivers: Pick<AppDependencies['liveDerivers'], 'keys'>;
};

/** By deriver: from where on indexes were reserved before, and from where on now. */
export type RaisedIndexes = ReadonlyMap<string, { readonly from: number; readonly to: number }>;

/**
 * `skip`: how many indexes behind the last address of the database, for an operator who knows that a backup was put back: repeated it
 * skips no more. By default what the silence of the database says, behind all that is known.
 */
export async function raiseIndexes(deps: Needs, skip: number | null = null): Promise<RaisedIndexes> {
  const marks = await deps.issuedIndexes.all();
  const { reserved, raised } = await deps.unitOfWork.run(async ({ addresses, chains }) => {
    const before = await addresses.allReservedIndexes();
    const issued = skip === null ? null : await addresses.issuedIndexes();
    const silent = issued === null ? skippedFor(deps.clock.now(), await chainTime({ chains })) : 0;
    const after = new Map<string, { from: number; to: number }>();
    // Of a family that has none by this database, too: its first may have been given out since.
    for (const deriver of new Set([...before.keys(), ...marks.keys(), ...deps.liveDerivers.keys()])) {
      const from = before.get(deriver) ?? 0;
      const known = Math.max(from, marks.get(deriver) ?? 0) + silent;
      const to = Math.min(INDEX_LIMIT, Math.max(known, (issued?.get(deriver) ?? 0) + (skip ?? 0)));
      if (to > from) await addresses.reserveIndexes({ deriver, count: 0, atLeast: to });
      after.set(deriver, { from, to });
    }
    return { reserved: before, raised: after };
  });
  const behind = [...marks].filter(([deriver, mark]) => mark > (reserved.get(deriver) ?? 0));
  if (skip === null && behind.length > 0)
    deps.logger.error('addresses.database_behind', { derivers: behind.map(([deriver]) => deriver) });
  if (skip === null && marks.size === 0 && reserved.size > 0) deps.logger.warn('addresses.mark_missing');
  await deps.issuedIndexes.note(new Map([...raised].map(([deriver, { to }]) => [deriver, to])));
  return raised;
}

function skippedFor(now: Date, lastCovered: Date | null): number {
  const silence = lastCovered === null ? 0 : Math.ceil((now.getTime() - lastCovered.getTime()) / 1000);
  return Math.min(SKIPPED_MAX, Math.max(0, silence) * SKIPPED_PER_SECOND);
}
