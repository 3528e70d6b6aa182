/** What a round asks a node once, and what its lists may not change. */
import { describe, expect, test } from 'bun:test';
import { nodeEndpoint } from '../../../../../../src/adapters/chains/shared/nodes/node-endpoint.ts';
import {
  NodeError,
  NodeLimited,
  NodeSpares,
  RpcError,
} from '../../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import { nodeHttp } from '../../../../../../src/adapters/chains/shared/nodes/node-http.ts';
import type {
  MinedOutcome,
  NodeView,
} from '../../../../../../src/adapters/chains/shared/nodes/node-views.ts';
import { nodeRounds } from '../../../../../../src/adapters/chains/shared/nodes/rounds/moments.ts';
import { sharedOrAlone } from '../../../../../../src/adapters/chains/shared/nodes/rounds/shared-view.ts';
import { rpcNode } from '../../../../../../src/adapters/chains/shared/nodes/rpc-node.ts';
import { hasteNow, inHaste } from '../../../../../../src/adapters/chains/shared/nodes/urgency.ts';
import { type LogLine, memoryLogger } from '../../../../../support/runtime/memory-logger.ts';

function stage() {
  const clock = { ms: 0 };
  const lines: LogLine[] = [];
  const doubted: string[] = [];
  const rounds = nodeRounds({
    chain: 'tron',
    doubt: ({ label }) => doubted.push(label),
    logger: memoryLogger(lines),
    time: { now: () => clock.ms, after: (_, work) => queueMicrotask(work) },
  });
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return asked;
  };
  return { clock, rounds, ask, node: { label: 'one' }, doubted, lines };
}

const inRound = <T>(work: () => Promise<T>, batches = 100): Promise<T> =>
  inHaste({ urgency: 'payout', round: { batches } }, work);

describe('a moment of a round', () => {
  test('asks a node once what is alike, and each node for itself', async () => {
    const { rounds, ask, node } = stage();
    await inRound(async () => {
      const answers = [1, 2].map(() => rounds.moment(node).once('head', ask));
      expect(await Promise.all(answers)).toEqual([1, 1]);
      expect(await rounds.moment({ label: 'other' }).once('head', ask)).toBe(2);
    });
    expect(await inRound(() => rounds.moment(node).once('head', ask))).toBe(3);
  });

  test('shares nothing outside of rounds, and lists nothing there', async () => {
    const { rounds, ask, node } = stage();
    expect(await rounds.moment(node).once('head', ask)).toBe(1);
    expect(await rounds.moment(node).once('head', ask)).toBe(2);
    expect(await rounds.moment(node).listed({ kind: 'all' }, ask)).toBeNull();
  });

  test('ends after some seconds, and work that began in it never reads what is older than before', async () => {
    const { clock, rounds, ask, node } = stage();
    await inRound(async () => {
      const early = rounds.moment(node);
      await early.once('head', ask);
      clock.ms = 3_000;
      const late = rounds.moment(node);
      // A list that the late one asked before its own head, which does not serve the early one.
      expect(await late.listed({ kind: 'all' }, ask)).toBe(2);
      expect(await early.listed({ kind: 'all' }, ask)).toBe(3);
      expect(await late.once('head', ask)).toBe(4);
    });
  });

  test('is not shared by calls of another haste: one that has a choice gives up sooner', async () => {
    const { rounds, ask, node } = stage();
    await inRound(async () => {
      const alone = () => rounds.moment(node).once('head', ask);
      expect(await alone()).toBe(1);
      expect(await inHaste({ hasChoice: true }, alone)).toBe(2);
    });
  });

  test('A3: is over when the node shows again which chain it is of', async () => {
    const { rounds, ask, node } = stage();
    await inRound(async () => {
      expect(await rounds.moment(node).once('head', ask)).toBe(1);
      rounds.forget(node);
      expect(await rounds.moment(node).once('head', ask)).toBe(2);
    });
  });

  test('asks again for what failed', async () => {
    const { rounds, ask, node } = stage();
    await inRound(async () => {
      const fails = () => Promise.reject(new NodeError('away'));
      await expect(rounds.moment(node).once('head', fails)).rejects.toThrow('away');
      expect(await rounds.moment(node).once('head', ask)).toBe(1);
    });
  });
});

describe('a list of a round', () => {
  test('is not asked for few batches', async () => {
    const { rounds, ask, node } = stage();
    const list = () => rounds.moment(node).listed({ kind: 'all' }, ask);
    expect(await inRound(list, 3)).toBeNull();
    expect(await inRound(list, 4)).toBe(1);
  });

  for (const fault of [new NodeError('away'), new RpcError(-32601, 'unknown'), new NodeSpares('limited')])
    test(`that fails (${fault.message}) is told by nobody, and rests for minutes`, async () => {
      const { clock, rounds, ask, node, doubted, lines } = stage();
      const list = (kind: string) => inRound(() => rounds.moment(node).listed({ kind }, ask));
      const failing = () => rounds.moment(node).listed({ kind: 'all' }, () => Promise.reject(fault));
      expect(await inRound(failing)).toBeNull();
      expect(await list('all')).toBeNull();
      expect(lines).toMatchObject([{ event: 'node.list_rests', fields: { node: 'one', list: 'all' } }]);
      // Only where another machine may answer from now on.
      expect(doubted).toEqual(fault instanceof NodeError ? ['one'] : []);
      expect(await list('others')).toBe(1);
      clock.ms = 300_000;
      expect(await list('all')).toBe(2);
    });

  test('for which a plan has no room is asked again soon: it is not the fault of lists', async () => {
    const { rounds, ask, node } = stage();
    await inRound(async () => {
      const none = () => Promise.reject(new NodeLimited('no room'));
      expect(await rounds.moment(node).listed({ kind: 'all' }, none)).toBeNull();
    });
    expect(await inRound(() => rounds.moment(node).listed({ kind: 'all' }, ask))).toBe(1);
  });

  test('says that it may be spared, and hides no bug of ours', async () => {
    const { rounds, node } = stage();
    await inRound(async () => {
      const { listed } = rounds.moment(node);
      expect(await listed({ kind: 'all' }, async () => hasteNow().spared)).toBe(true);
      expect(hasteNow().spared).toBe(false);
      const broken = () => Promise.reject(new TypeError('a bug'));
      await expect(listed({ kind: 'others' }, broken)).rejects.toThrow('a bug');
    });
  });

  test('that proves nothing rests only where nobody can read it', async () => {
    const { rounds, node, doubted, lines } = stage();
    const list = { kind: 'all' };
    await inRound(async () => {
      const moment = rounds.moment(node);
      expect(await moment.proven(list, () => Promise.reject(new RpcError(-32000, 'refused')))).toBeNull();
      expect([moment.hasFailed, doubted, lines]).toEqual([false, [], []]);
      expect(await moment.proven(list, () => Promise.reject(new NodeError('malformed')))).toBeNull();
      expect(await moment.proven(list, () => Promise.reject(new NodeError('malformed')))).toBeNull();
      expect([moment.hasFailed, doubted]).toEqual([true, ['one', 'one']]);
      expect(lines).toMatchObject([{ event: 'node.list_rests', fields: { list: 'all' } }]);
      expect(await moment.listed(list, async () => 1)).toBeNull();
      expect(await moment.listed({ kind: 'others' }, async () => 1)).toBe(1);
      await expect(moment.proven(list, () => Promise.reject(new NodeLimited('full')))).rejects.toThrow(
        'full',
      );
      await expect(moment.proven(list, () => Promise.reject(new TypeError('a bug')))).rejects.toThrow(
        'a bug',
      );
    });
  });
});

describe('what is told of a payment', () => {
  const seen: NodeView = { kind: 'unseen' };
  const waiting: NodeView = { kind: 'waiting', txid: 't' };
  const dead: NodeView = { kind: 'expired' };
  const used: NodeView = { kind: 'used', final: true };
  const block = { height: 1, hash: 'h' };
  const mined: MinedOutcome = {
    kind: 'mined',
    txid: 't',
    block,
    feeUnits: 1n,
    effects: [false],
    final: true,
  };
  const reverted: NodeView = { kind: 'mined', mined, tipHeight: 9 };
  const fails = () => Promise.reject(new NodeError('away'));

  test('is what is shared where that lets no money be sent again, and else what the payment’s own look-ups say', async () => {
    const { rounds, node } = stage();
    await inRound(async () => {
      const tell = (shared: NodeView | null, alone: NodeView) =>
        sharedOrAlone(
          rounds.moment(node),
          async () => shared,
          async () => alone,
        );
      expect(await tell(seen, dead)).toBe(seen);
      for (const shared of [dead, null]) expect(await tell(shared, dead)).toBe(dead);
    });
    // Outside of rounds nothing is shared.
    expect(await sharedOrAlone(rounds.moment(node), fails, async () => dead)).toBe(dead);
  });

  test('A3: after a fault lets no money be sent again before the node has shown its chain', async () => {
    const { rounds, node, doubted } = stage();
    await inRound(async () => {
      const tell = (shared: () => Promise<NodeView>, alone: NodeView) =>
        sharedOrAlone(rounds.moment(node), shared, async () => alone);
      expect(await tell(fails, dead)).toEqual({ kind: 'unseen' });
      expect(doubted.splice(0)).toEqual(['one']);
      // Of others only what a list answers may be another machine's.
      expect(await tell(async () => dead, dead)).toBe(dead);
      expect(await rounds.moment(node).listed({ kind: 'all' }, fails)).toBeNull();
      for (const view of [dead, used, reverted])
        expect(await tell(async () => view, view)).toEqual({ kind: 'unseen' });
      for (const view of [seen, waiting]) expect(await tell(async () => dead, view)).toBe(view);
      rounds.forget(node);
      expect(await tell(async () => dead, dead)).toBe(dead);
      await expect(tell(() => Promise.reject(new NodeLimited('full')), seen)).rejects.toThrow('full');
    });
  });
});

describe('what a round gathers into one list', () => {
  const list = { kind: 'all', most: 3 };

  test('is asked together, at most so many, and answered to each', async () => {
    const { rounds, node } = stage();
    const sizes: number[] = [];
    const answers = await inRound(() =>
      Promise.all(
        [1, 2, 3, 4, 5].map((item) =>
          rounds.moment(node).gathered(list, item, async (items) => {
            sizes.push(items.length);
            return items.map((each) => each * 10);
          }),
        ),
      ),
    );
    expect(answers).toEqual([10, 20, 30, 40, 50]);
    expect(sizes).toEqual([3, 2]);
  });

  test('that fails, or answers too little, is told by nobody', async () => {
    const { rounds, node } = stage();
    const gather = (ask: (items: readonly number[]) => Promise<readonly number[]>) =>
      inRound(() => Promise.all([1, 2].map((item) => rounds.moment(node).gathered(list, item, ask))));
    expect(await gather(async () => [7])).toEqual([7, null]);
    expect(await gather(() => Promise.reject(new NodeError('away')))).toEqual([null, null]);
    // It rests.
    expect(await gather(async (items) => items)).toEqual([null, null]);
    expect(await rounds.moment(node).gathered(list, 1, async (items) => items)).toBeNull();
  });
});

describe('a limit on what may be spared', () => {
  const spared = <T>(work: () => Promise<T>) => inHaste({ spared: true }, work);

  function answering(respond: () => Response) {
    let requests = 0;
    const answer = async () => {
      requests += 1;
      return respond();
    };
    const endpoint = nodeEndpoint({ url: 'https://node.example/' }, 0);
    const options = { endpoint, timeoutMs: 1_000, fetch: answer as unknown as typeof fetch };
    const common = { ...options, closed: new AbortController().signal, answerBytesMax: 1_000 };
    return { endpoint, http: nodeHttp(common), rpc: rpcNode(common), requests: () => requests };
  }

  for (const status of [402, 429])
    test(`by ${status} is met once, and teaches nothing of the node`, async () => {
      const { endpoint, http, requests } = answering(() => new Response('no', { status }));
      await expect(spared(() => http.request({ method: 'POST' }))).rejects.toBeInstanceOf(NodeSpares);
      expect(requests()).toBe(1);
      expect(endpoint.budget.opensAt()).toBeLessThan(performance.now());
      expect(endpoint.budget.standing()).toMatchObject({ used: { refusals: 0 }, perSecond: null });
    });

  test('of some calls of a batch leaves the answers of the others', async () => {
    const told = [{ jsonrpc: '2.0', id: 1, result: 'yes' }, limited(2)];
    const { endpoint, rpc, requests } = answering(() => Response.json(told));
    const call = { method: 'a', params: [] };
    const outcomes = await spared(() => rpc.outcomes([call, call]));
    expect(outcomes).toMatchObject([{ result: 'yes' }, { error: { code: 429 } }]);
    expect(requests()).toBe(1);
    expect(endpoint.budget.standing().used.refusals).toBe(0);
  });

  const limited = (id: number) => ({ jsonrpc: '2.0', id, error: { code: 429, message: 'rate limit' } });
  for (const [how, answer] of [
    ['by an error', () => limited(1)],
    ['of a batch', () => [limited(1), limited(2)]],
    ['by the answer to a batch', () => limited(1)],
  ] as const)
    test(`${how} of JSON-RPC is met once, and teaches nothing`, async () => {
      const { endpoint, rpc, requests } = answering(() => Response.json(answer()));
      const call = { method: 'a', params: [] };
      const calls = how === 'by an error' ? [call] : [call, call];
      await expect(spared(() => rpc.outcomes(calls))).rejects.toBeInstanceOf(NodeSpares);
      expect(requests()).toBe(1);
      expect(endpoint.budget.standing().used.refusals).toBe(0);
    });
});
