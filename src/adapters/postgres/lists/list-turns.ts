/**
 * Turns at the lists: a merchant has a limited number in progress, and its others wait a moment. A
 * merchant that keeps requesting heavy lists delays only itself (safety.md W2).
 */
import { ListRefused } from '../../../ports/list-queries.ts';

export interface TurnLimits {
  readonly atOnce: number;
  /** More waiting ones are refused immediately. */
  readonly waitingMax: number;
  readonly waitMs: number;
}

interface Queue {
  running: number;
  readonly waiting: (() => void)[];
}

/** `waitMs` overrides the usual one. */
export type Turns = <T>(merchantId: string, make: () => Promise<T>, waitMs?: number) => Promise<T>;

/** Rejects with ListRefused (`busy`) if no turn came within `waitMs`. */
export function listTurns({ atOnce, waitingMax, waitMs: usualMs }: TurnLimits): Turns {
  const queues = new Map<string, Queue>();

  function turnOf(queue: Queue, waitMs: number): Promise<void> | null {
    if (queue.running < atOnce) {
      queue.running += 1;
      return null;
    }
    if (queue.waiting.length >= waitingMax) throw new ListRefused('busy');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      queue.waiting.splice(queue.waiting.indexOf(take), 1);
      reject(new ListRefused('busy'));
    }, waitMs);
    const take = (): void => {
      clearTimeout(timer);
      resolve();
    };
    queue.waiting.push(take);
    return promise;
  }

  return async (merchantId, make, waitMs = usualMs) => {
    const queue = queues.get(merchantId) ?? { running: 0, waiting: [] };
    queues.set(merchantId, queue);
    await turnOf(queue, waitMs);
    try {
      return await make();
    } finally {
      const next = queue.waiting.shift();
      if (next !== undefined) next();
      else {
        queue.running -= 1;
        if (queue.running === 0) queues.delete(merchantId);
      }
    }
  };
}
