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
  return { dispatcher: webhookDispatcher(needs), recorded };
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
});
