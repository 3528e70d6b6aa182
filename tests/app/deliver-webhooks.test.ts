import { describe, expect, test } from 'bun:test';
import { type DeliveryNeeds, webhookDispatcher } from '../../src/app/deliver-webhooks.ts';
import type { AttemptOutcome, ClaimedDelivery } from '../../src/ports/webhook-queue.ts';
import type { WebhookOutcome } from '../../src/ports/webhook-transport.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { testClock } from '../support/test-clock.ts';

const clock = testClock();

function delivery(index: number, attempt = 1): ClaimedDelivery {
  const id = index.toString(16).padStart(24, '0');
  return {
    id,
    invoiceId: id,
    merchantId: id,
    sandbox: false,
    url: 'https://shop.example/',
    body: '{}',
    attempt,
    sealedKey: 'k',
  };
}

/** A queue that gives out `deliveries` once, and a transport that answers in shuffled order. */
function dispatcherOver(deliveries: readonly ClaimedDelivery[], answer: (index: number) => WebhookOutcome) {
  const { needs, recorded } = needsOver(answer, deliveries);
  return { dispatcher: webhookDispatcher(needs), recorded };
}

function needsOver(answer: (index: number) => WebhookOutcome, deliveries: readonly ClaimedDelivery[] = []) {
  const waiting = [...deliveries];
  const recorded: AttemptOutcome[] = [];
  let sent = 0;
  const needs: DeliveryNeeds = {
    clock,
    logger: silentLogger,
    version: '0',
    ids: { id: () => 'a'.repeat(24), uuid: () => '', apiKey: () => '' },
    vault: { seal: (text) => text, open: (text) => text, lookupHash: (text) => text },
    webhookSigner: { sign: () => 'signature' },
    webhookTransport: {
      async post() {
        const index = sent++;
        for (let turn = 0; turn < (index * 7) % 11; turn += 1) await Promise.resolve();
        return answer(index);
      },
    },
    webhookQueue: {
      claim: async ({ limit }) => waiting.splice(0, limit),
      claimOne: async () => waiting.shift() ?? null,
      async record(outcomes) {
        await Bun.sleep(0);
        recorded.push(...outcomes);
      },
      logTest: async () => undefined,
    },
  };
  return { needs, recorded };
}

describe('the webhook dispatcher', () => {
  test('records the outcome of every attempt exactly once, in whatever order receivers answer', async () => {
    const deliveries = Array.from({ length: 450 }, (_, index) => delivery(index));
    const { dispatcher, recorded } = dispatcherOver(deliveries, () => ({
      kind: 'answered',
      status: 200,
      body: 'ok',
    }));
    expect(await dispatcher.run()).toBe(450);
    expect(recorded.map((outcome) => outcome.delivery.id).sort()).toEqual(deliveries.map(({ id }) => id));
  });

  test.each([
    [{ kind: 'answered', status: 204, body: '' }, 1, 'delivered', null],
    [{ kind: 'answered', status: 404, body: '' }, 1, 'dead', null],
    [{ kind: 'answered', status: 429, body: '' }, 1, 'pending', 30],
    [{ kind: 'answered', status: 302, body: '' }, 3, 'pending', 120],
    [{ kind: 'failed', reason: 'connection refused' }, 9, 'pending', 9600],
    [{ kind: 'refused', reason: 'private address' }, 10, 'dead', null],
  ] as const)('%j at attempt %p makes the delivery %s', async (outcome, attempt, state, delaySeconds) => {
    const { dispatcher, recorded } = dispatcherOver([delivery(1, attempt)], () => outcome);
    await dispatcher.run();
    const next = recorded[0]?.next;
    expect(next?.state).toBe(state);
    const delay = next?.state === 'pending' ? (next.dueAt.getTime() - clock.now().getTime()) / 1000 : null;
    expect(delay).toBe(delaySeconds);
  });

  test('a merchant whose receiver does not answer keeps a small share, and the others get through', async () => {
    const { needs, recorded } = needsOver(() => ({ kind: 'answered', status: 200, body: '' }));
    const dead = Array.from({ length: 1_000 }, (_, index) => ({ ...delivery(index), merchantId: 'dead' }));
    const others = Array.from({ length: 100 }, (_, index) => delivery(10_000 + index));
    const backlog = [...dead, ...others];
    const asked: ReadonlyMap<string, number>[] = [];
    const { run } = webhookDispatcher({
      ...needs,
      webhookTransport: {
        post: async ({ headers }) => {
          const isDead = dead.some(({ id }) => id === headers['X-Service-Delivery']);
          return isDead
            ? { kind: 'failed', reason: 'no answer' }
            : { kind: 'answered', status: 200, body: '' };
        },
      },
      webhookQueue: {
        ...needs.webhookQueue,
        async claim({ limit, sparing }) {
          asked.push(sparing);
          const taken: ClaimedDelivery[] = [];
          let share = sparing.get('dead') ?? limit;
          for (const next of [...backlog]) {
            if (taken.length === limit) break;
            if (next.merchantId === 'dead' && share-- <= 0) continue;
            taken.push(next);
            backlog.splice(backlog.indexOf(next), 1);
          }
          return taken;
        },
      },
    });
    await run();
    const before = recorded.findIndex(({ delivery: { merchantId } }) => merchantId !== 'dead');
    expect(before).toBeLessThan(300);
    expect(recorded.filter(({ delivery: { merchantId } }) => merchantId !== 'dead')).toHaveLength(100);
    expect(Math.max(...asked.slice(3).map((sparing) => sparing.get('dead') ?? 0))).toBeLessThanOrEqual(4);
  });

  test('a key that cannot be opened fails its own attempt and stops no other', async () => {
    const { needs, recorded } = needsOver(() => ({ kind: 'answered', status: 200, body: '' }));
    const waiting = [{ ...delivery(1), sealedKey: 'damaged' }, delivery(2)];
    const { run } = webhookDispatcher({
      ...needs,
      vault: {
        ...needs.vault,
        open(sealed) {
          if (sealed === 'damaged') throw new Error('the seal is broken');
          return sealed;
        },
      },
      webhookQueue: { ...needs.webhookQueue, claim: async ({ limit }) => waiting.splice(0, limit) },
    });
    expect(await run()).toBe(2);
    expect(recorded.map(({ next }) => next.state).sort()).toEqual(['delivered', 'pending']);
  });
});
