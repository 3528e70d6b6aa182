/**
 * Work that is asked for item by item and done in sets: what is asked for while a set is under way
 * forms the next one, so nothing waits for a set to fill.
 */
import { leadingGroup } from '../../domain/leading-group.ts';
import { tryTogether } from './try-together.ts';

interface Waiting<One, Answer> {
  readonly one: One;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

/**
 * `work` does all of a set, or throws with nothing done; it returns results in the set's order. A
 * set weighs at most `most`, by `weigh`, unless it has one item. Of a set that fails the items are
 * separated, so that each gets its own result. If a chain or the database is unavailable, all that
 * wait are rejected (try-together.ts).
 */
export function inSets<One, Answer>(
  most: number,
  work: (some: readonly One[]) => Promise<readonly Answer[]>,
  weigh: (one: One) => number = () => 1,
): (one: One) => Promise<Answer> {
  const queue: Waiting<One, Answer>[] = [];
  let running = false;

  async function together(some: readonly Waiting<One, Answer>[]): Promise<void> {
    const answers = (await work(some.map(({ one }) => one))).values();
    for (const { resolve } of some) resolve(answers.next().value as Answer);
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const set = queue.splice(
        0,
        leadingGroup(queue, most, ({ one }) => weigh(one)),
      );
      try {
        const failed = ({ reject }: Waiting<One, Answer>, error: unknown): void => reject(error);
        await tryTogether(set, { work: together, failed, stopping: undefined });
      } catch (error) {
        // Those that have their result keep it.
        for (const { reject } of [...set, ...queue.splice(0)]) reject(error);
      }
    }
    running = false;
  }

  return (one) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    queue.push({ one, resolve, reject });
    if (!running) {
      running = true;
      // Later in this turn, so that what is asked for in one turn is done together.
      queueMicrotask(() => void drain());
    }
    return promise;
  };
}
