/**
 * Combines writes that are requested together: the first starts immediately, and those that arrive
 * meanwhile form the next group. Each caller gets its own result, and a failing write affects no
 * other.
 */
import { leadingGroup } from '../../../domain/leading-group.ts';
import { DatabaseUnavailable } from './client.ts';

export interface GroupedWrites<Given, Answer> {
  /** Largest weight of a group, by `weigh`; a heavier item is a group of its own. */
  readonly weightMax: number;
  readonly weigh: (given: Given) => number;
  /**
   * Writes all of a group, or throws without writing anything. Returns results in the group's
   * order; an Error refuses only that item, which was not written.
   */
  readonly write: (group: readonly Given[]) => Promise<readonly (Answer | Error)[]>;
}

/**
 * Thrown by a `write` that wrote nothing: `refused` are refused for `reason`, the others are tried
 * again together.
 */
export class PartlyRefused extends Error {
  override readonly name = 'PartlyRefused';
  readonly refused: ReadonlySet<unknown>;
  readonly reason: Error;

  constructor(refused: ReadonlySet<unknown>, reason: Error) {
    super('a part of a group was refused');
    this.refused = refused;
    this.reason = reason;
  }
}

interface Waiting<Given, Answer> {
  readonly given: Given;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

export function groupedWrites<Given, Answer>(
  options: GroupedWrites<Given, Answer>,
): (given: Given) => Promise<Answer> {
  const queue: Waiting<Given, Answer>[] = [];
  let running = false;

  async function write(group: readonly Waiting<Given, Answer>[]): Promise<void> {
    const answers = await options.write(group.map(({ given }) => given));
    for (const [position, { resolve, reject }] of group.entries()) {
      const answer = answers[position];
      if (answer === undefined) reject(new Error('a grouped write was not answered'));
      else if (answer instanceof Error) reject(answer);
      else resolve(answer);
    }
  }

  /**
   * The write was refused because of one item, and nothing was written: the others must not fail
   * with it.
   */
  async function writeSingly(group: readonly Waiting<Given, Answer>[]): Promise<void> {
    for (const waiting of group)
      await write([waiting]).catch((error: unknown) =>
        waiting.reject(error instanceof PartlyRefused ? error.reason : error),
      );
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const group = queue.splice(
        0,
        leadingGroup(queue, options.weightMax, ({ given }) => options.weigh(given)),
      );
      try {
        await write(group);
      } catch (error) {
        if (error instanceof DatabaseUnavailable) {
          // The others would only wait for the same failure.
          for (const waiting of [...group, ...queue.splice(0)]) waiting.reject(error);
        } else if (error instanceof PartlyRefused) {
          queue.unshift(...withoutRefused(group, error));
        } else {
          await writeSingly(group);
        }
      }
    }
    // In the same turn as the last check of the queue, so that no write is left in it.
    running = false;
  }

  function withoutRefused(
    group: readonly Waiting<Given, Answer>[],
    { refused, reason }: PartlyRefused,
  ): readonly Waiting<Given, Answer>[] {
    const others = group.filter(({ given }) => !refused.has(given));
    for (const waiting of group) if (refused.has(waiting.given)) waiting.reject(reason);
    // A refusal without a refused item must not repeat for ever.
    if (others.length === group.length) for (const { reject } of others.splice(0)) reject(reason);
    return others;
  }

  return (given) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    queue.push({ given, resolve, reject });
    if (!running) {
      running = true;
      // Later in this turn, so that the requests of one turn share a commit.
      queueMicrotask(drain);
    }
    return promise;
  };
}
