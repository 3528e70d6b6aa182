/**
 * R8: TON at the pace of its main network, and how often an index is asked that does not always
 * answer.
 */
import { describe, expect, test } from 'bun:test';
import { systemTime } from '../../../../src/adapters/chains/shared/nodes/call-log.ts';
import { nodeEndpoint } from '../../../../src/adapters/chains/shared/nodes/node-endpoint.ts';
import { fromIndex, type IndexUse, tonIndex } from '../../../../src/adapters/chains/ton/index-api.ts';
import { TON_BLOCK_MS, tonChain } from '../../../support/providers/chains/ton.ts';
import { follow } from '../../../support/providers/followed.ts';
import { TONCENTER_FREE } from '../../../support/providers/plans.ts';

describe('TON at the pace of its main network, on a plan of ten calls a second', () => {
  const followed = (behind: number) =>
    follow({
      make: tonChain({ watched: 20, payEvery: 25 }),
      ...{ plan: TONCENTER_FREE, latencyMs: 60, behind },
    });

  test('R8: is followed with less than 450,000 calls a day', async () => {
    const on = await followed(0);
    await on.catchUp(60_000);
    const { calls, ms, blocks, refused } = await on.stay(100_000);
    expect((calls / ms) * 86_400_000).toBeLessThan(250_000);
    expect(blocks * TON_BLOCK_MS).toBeGreaterThan(ms - 10_000);
    expect(refused).toBeLessThan(5);
    await on.close();
  });

  test('R1: is read to its tip more than ten times as fast as blocks come, with a payment in each 25', async () => {
    const on = await followed(500);
    const first = on.chain.tip() - 499;
    const { seconds, blocks } = await on.catchUp(600_000);
    expect(seconds).toBeLessThan((blocks * TON_BLOCK_MS) / 1_000 / 12);
    expect(on.recorded().toSorted()).toEqual(on.chain.paid(first, first + blocks - 1).toSorted());
    await on.close();
  });
});

describe('an index of TON that does not always answer', () => {
  const POLL_MS = 4_000;

  /**
   * How many questions of either use it is asked in an hour of polls, `atOnce` with each.
   * `answers`: whether it does, by the question's number among those of its use.
   */
  async function hour(answers: (use: IndexUse, nth: number) => boolean, atOnce = 1) {
    const asked = { blocks: 0, accounts: 0 };
    let now = 0;
    const node = async (url: string) => {
      const use = url.includes('/blocks') ? 'blocks' : 'accounts';
      return answers(use, ++asked[use]) ? Response.json({}) : new Response('no', { status: 404 });
    };
    const time = { ...systemTime, now: () => now };
    const index = tonIndex({
      endpoint: nodeEndpoint({ url: 'http://node.example/api/v2/jsonRPC' }, 0, { time }),
      ...{ timeoutMs: 1_000, answerBytesMax: 1_000, closed: new AbortController().signal, time },
      inTurn: (ask) => ask(),
      fetch: Object.assign((input: unknown) => node(String(input)), { preconnect: fetch.preconnect }),
    })!;
    const question = (use: IndexUse) => fromIndex({ index }, use, () => index.ask(use, {}, () => true));
    for (; now < 3_600_000; now += POLL_MS)
      for (const use of ['blocks', 'accounts'] as const)
        await Promise.all(Array.from({ length: atOnce }, () => question(use)));
    return asked;
  }

  test('R8: but to one kind of question is asked all others, and that one seldom', async () => {
    const { blocks, accounts } = await hour((use) => use === 'blocks');
    expect(blocks).toBe(900);
    expect(accounts).toBeLessThan(20);
  });

  test('R8: once is asked again after a poll or two', async () => {
    const { blocks } = await hour((_use, nth) => nth % 10 !== 0);
    expect(blocks).toBeGreaterThan(800);
  });

  test('R8: two questions at once has failed once', async () => {
    const { blocks } = await hour((_use, nth) => nth > 2, 2);
    expect(blocks).toBe(2 + 2 * 898);
  });
});
