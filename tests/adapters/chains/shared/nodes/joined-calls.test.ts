/** Calls that are made in the same moment share a request, and a round asks once what is alike. */
import { describe, expect, test } from 'bun:test';
import { joinedCalls } from '../../../../../src/adapters/chains/shared/nodes/joined-calls.ts';
import { hasteNow, inHaste } from '../../../../../src/adapters/chains/shared/nodes/urgency.ts';

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

function stage() {
  const sent: string[] = [];
  const clock = { ms: 0, fails: false };
  const ask = joinedCalls(
    async (calls: readonly Call[]) => {
      sent.push(
        `${hasteNow().urgency}: ${calls.map(({ method, params }) => method + params.join()).join(' ')}`,
      );
      await Promise.resolve();
      if (clock.fails) throw new Error('away');
      return calls.map(({ method, params }) => `${method}${params.join()}!`);
    },
    { ofRound: ({ method }) => method === 'head', time: { now: () => clock.ms } },
  );
  const call = async (method: string, ...params: readonly unknown[]) => (await ask([{ method, params }]))[0];
  const inRound = <T>(work: () => Promise<T>) =>
    inHaste({ urgency: 'payout', round: { batches: 100 } }, work);
  return { sent, clock, ask, call, inRound };
}

describe('joined calls', () => {
  test('calls of one moment are one request, and equal ones one call', async () => {
    const { sent, ask, call } = stage();
    const both = ask([
      { method: 'head', params: [] },
      { method: 'receipt', params: [1] },
    ]);
    const answers = await Promise.all([both, call('receipt', 2), call('head'), call('receipt', 1)]);
    expect(answers).toEqual([['head!', 'receipt1!'], 'receipt2!', 'head!', 'receipt1!']);
    expect(sent).toEqual(['head: head receipt1 receipt2']);
    await call('receipt', 1);
    expect(sent).toHaveLength(2);
  });

  test('calls of another urgency are not joined', async () => {
    const { sent, call } = stage();
    await Promise.all([call('head'), inHaste({ urgency: 'payout' }, () => call('head'))]);
    expect(sent).toEqual(['head: head', 'payout: head']);
  });

  test('a round asks once what is alike for all its payments, for some seconds', async () => {
    const { sent, clock, call, inRound } = stage();
    await inRound(async () => {
      await Promise.all([call('head'), call('receipt', 1)]);
      await Promise.all([call('head'), call('receipt', 1)]);
      clock.ms = 3_000;
      await call('head');
    });
    expect(sent).toEqual(['payout: head receipt1', 'payout: receipt1', 'payout: head']);
    await inRound(() => call('head'));
    await inHaste({ urgency: 'payout' }, () => call('head'));
    expect(sent).toHaveLength(5);
  });

  test('a request that fails fails all of its calls, and its round asks again', async () => {
    const { sent, clock, call, inRound } = stage();
    await inRound(async () => {
      clock.fails = true;
      const ends = await Promise.allSettled([call('head'), call('receipt', 1)]);
      expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      clock.fails = false;
      expect(await call('head')).toBe('head!');
    });
    expect(sent).toHaveLength(2);
  });
});
