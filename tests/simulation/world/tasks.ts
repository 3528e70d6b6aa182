/** Tasks of processes: jobs and requests under way, which the seed interleaves point by point. */
import type { Interleaving, SimulatedProcess } from './interleaving.ts';

export type Ended<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** Its process died. */
  | { readonly kind: 'died' };

/** Where it runs, and its name in the story. */
export interface TaskOf {
  readonly process: SimulatedProcess;
  readonly name: string;
}

export interface Tasks {
  readonly underWay: number;
  /** Begins it; `ended` is told once. */
  begin<T>(on: TaskOf, work: () => Promise<T>, ended: (how: Ended<T>) => void): void;
  /** Begins it, and lets everything go on until it has ended. Throws what it threw. */
  drive<T>(on: TaskOf, work: () => Promise<T>): Promise<T>;
  /** Lets everything go on until `isOver`; throws when nothing can go on. */
  pump(isOver: () => boolean): Promise<void>;
}

/** A task that needs more points than this never ends. */
const POINTS_MAX = 200_000;
/** Milliseconds in which nothing moved. */
const IDLE_MAX = 2_000;

export function tasksOf(order: Interleaving): Tasks {
  let underWay = 0;

  function begin<T>({ process, name }: TaskOf, work: () => Promise<T>, ended: (how: Ended<T>) => void): void {
    underWay += 1;
    const how = order.story.within(name, work).then(
      (value): Ended<T> => ({ kind: 'done', value }),
      (error: unknown): Ended<T> => ({ kind: 'failed', error }),
    );
    const died = process.died.then((): Ended<T> => ({ kind: 'died' }));
    void Promise.race([how, died]).then((first) => {
      underWay -= 1;
      ended(first);
    });
  }

  async function pump(isOver: () => boolean): Promise<void> {
    let idle = 0;
    for (let points = 0; points < POINTS_MAX; points += 1) {
      await order.quiet();
      if (isOver()) return;
      if (order.release() || order.passToNextTimer()) {
        idle = 0;
        continue;
      }
      // Bun itself may be reading a body.
      idle += 1;
      if (idle > IDLE_MAX) throw new Error(`nothing goes on: ${order.waitingFor().join(', ')}`);
      await Bun.sleep(1);
    }
    throw new Error('a task never ends');
  }

  return {
    get underWay() {
      return underWay;
    },
    begin,
    pump,
    async drive<T>(on: TaskOf, work: () => Promise<T>): Promise<T> {
      let how: Ended<T> | null = null;
      begin(on, work, (ended) => {
        how = ended;
      });
      await pump(() => how !== null);
      const ended = how as Ended<T> | null;
      if (ended?.kind === 'done') return ended.value;
      throw ended?.kind === 'failed' ? ended.error : new Error(`${on.process.name} died`);
    },
  };
}
