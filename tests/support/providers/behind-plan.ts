/**
 * Clients of real nodes behind a plan, at no cost in time: the clock jumps over every wait for room
 * in the plan.
 */
import type { BudgetTime } from '../../../src/adapters/chains/shared/nodes/call-log.ts';
import type { Plan } from './plans.ts';
import { provider } from './provider.ts';

export interface BehindPlan {
  readonly fetch: typeof fetch;
  readonly time: BudgetTime;
}

const LATENCY_MS = 5;

/**
 * What a client is given besides its node's URL; null: a node of one's own, which it reaches by
 * itself.
 */
export function behindPlan(plan: Plan | null): Partial<BehindPlan> {
  if (plan === null) return {};
  const time = impatientTime();
  const wait = (ms: number) => new Promise<void>((resume) => time.after(ms, resume));
  const limited = provider({
    ...{ plan, node: (url: string, init: RequestInit) => fetch(url, init), latencyMs: LATENCY_MS },
    time: { ...time, wait },
  });
  return { fetch: limited.fetch, time };
}

/**
 * Time passes only where somebody waits for it: waits end in their order, each as soon as nothing
 * else runs.
 */
function impatientTime(): BudgetTime {
  const waiting: { readonly at: number; readonly work: () => void }[] = [];
  let now = 0;

  function endFirst(): void {
    const first = waiting.shift();
    if (first === undefined) return;
    now = Math.max(now, first.at);
    first.work();
  }

  return {
    now: () => now,
    wall: () => performance.timeOrigin + now,
    after(ms, work) {
      waiting.push({ at: now + ms, work });
      waiting.sort((a, b) => a.at - b.at);
      setImmediate(endFirst);
    },
  };
}
