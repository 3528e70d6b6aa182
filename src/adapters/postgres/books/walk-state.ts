/** How far the walk through all rows is. Its lock is held to change it, or the sums beside it. */
import { getTableColumns, sql } from 'drizzle-orm';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { bookWalk as w } from '../schema/verified.ts';
import { statement } from '../statement.ts';
import { insertInto, set } from '../statement-parts.ts';

const { singleton: _, ...STATE } = getTableColumns(w);
export type WalkState = Omit<typeof w.$inferSelect, 'singleton'>;
const BEFORE: WalkState = {
  ...{ phase: 'ended', after: '', begunAt: null, summed: false, failed: null, endedAt: null },
};

const READ = statement({ selects: STATE, text: (_given, select) => sql`select ${select} from ${w}` });
const OPEN = statement({
  given: STATE,
  text: (its) => sql`${insertInto(w, { singleton: sql`true`, ...its })} on conflict do nothing`,
});
const LOCK = statement({
  selects: STATE,
  text: (_given, select) => sql`select ${select} from ${w} for no key update`,
});
const MOVE = statement({ given: STATE, text: (its) => sql`update ${w} set ${set(w, its)}` });

export async function walkState(on: Sql): Promise<WalkState> {
  return (await READ(on))[0] ?? BEFORE;
}

export async function lockWalk(on: Sql): Promise<WalkState> {
  const [found] = await LOCK(on);
  if (found) return found;
  await OPEN(on, BEFORE);
  return theOnly(await LOCK(on), 'the walk through the books');
}

export async function moveWalk(on: Sql, to: WalkState): Promise<void> {
  await MOVE(on, to);
}

/** Whether nobody moved it in between. */
export function isSame(a: WalkState, b: WalkState): boolean {
  return a.phase === b.phase && a.after === b.after && a.begunAt?.getTime() === b.begunAt?.getTime();
}

/** The highest entry that the walk has summed up; '' while none is under way. */
export function summedUpTo({ phase, after }: WalkState): string {
  return phase === 'entries' ? after : '';
}
