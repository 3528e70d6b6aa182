/**
 * Makes sure at start that no address is issued twice (safety.md K5). A database restored from a
 * backup lacks the addresses issued since. The mark beside the keystore has those of this host.
 * Further indexes are skipped in case the mark is as old as the backup, or another host issued
 * some: more, the longer the database recorded nothing.
 */
import { chainTime } from '../../chains/chain-time.ts';
import type { AppDependencies } from '../../dependencies.ts';

/**
 * Per second in which the database recorded no block: more addresses than any gateway issues for
 * long.
 */
const SKIPPED_PER_SECOND = 2;
/**
 * More than a day's. After a longer silence the gateway was probably off, and `bun run restore`
 * skips more.
 */
const SKIPPED_MAX = 200_000;
/** One more than the highest index of a non-hardened BIP-32 child. */
const INDEX_LIMIT = 2 ** 31;

type Needs = Pick<AppDependencies, 'unitOfWork' | 'clock' | 'logger' | 'issuedIndexes'> & {
  readonly liveDerivers: Pick<AppDependencies['liveDerivers'], 'keys'>;
};

/** By deriver: the next index before, and the next index now. */
export type RaisedIndexes = ReadonlyMap<string, { readonly from: number; readonly to: number }>;

/**
 * `skip`: how many indexes to skip after the last address of the database, for an operator who
 * restored a backup; a repetition skips no more. The default depends on how long the database
 * recorded nothing, and skips after all known ones.
 */
export async function raiseIndexes(deps: Needs, skip: number | null = null): Promise<RaisedIndexes> {
  const marks = await deps.issuedIndexes.all();
  const { reserved, raised } = await deps.unitOfWork.run(async ({ addresses, chains }) => {
    const before = await addresses.allReservedIndexes();
    const issued = skip === null ? null : await addresses.issuedIndexes();
    const silent = issued === null ? skippedFor(deps.clock.now(), await chainTime({ chains })) : 0;
    const after = new Map<string, { from: number; to: number }>();
    // Includes families without addresses in this database: the first may have been issued since.
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
