/**
 * Many payouts of Tron in one look of the sender: lists save requests, and decide nothing that lets
 * money be sent again.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { senderInTurn } from '../../../../../src/adapters/chains/shared/nodes/client-urgencies.ts';
import { connectTron, type TronConnection } from '../../../../../src/adapters/chains/tron/connection.ts';
import { tronSender } from '../../../../../src/adapters/chains/tron/send/sender.ts';
import { larger } from '../../../../../src/domain/money/larger.ts';
import type { ChainSender, SendingOrder } from '../../../../../src/ports/sending/chain-sender.ts';
import { silentLogger } from '../../../../support/runtime/silent-logger.ts';
import { openTronStage, SOLID_BEHIND, type TronStage } from '../../../../support/tron/sending.ts';
import type { NodeBehaviour, TronTestNode } from '../../../../support/tron/server.ts';

type Signed = Awaited<ReturnType<TronStage['signed']>>;

const PAYMENTS = 12;
const LISTS = ['listfrompending', 'infobyblocknum'];
const isList = (path: string): boolean => LISTS.some((list) => path.endsWith(list));

describe('a round of Tron payouts', () => {
  let stage: TronStage;
  let nodes: readonly [TronTestNode, TronTestNode, TronTestNode];
  let connection: TronConnection;
  let sender: ChainSender;
  let orders: readonly SendingOrder[];
  let signed: readonly Signed[];
  beforeEach(async () => {
    stage = await openTronStage();
    const { server } = stage.lab;
    nodes = [server.node, server.anotherNode(), server.anotherNode()];
    open(nodes);
    orders = Array.from({ length: PAYMENTS }, (_, nonce) => stage.orderOf({ nonce: BigInt(nonce) }));
  });
  afterEach(async () => {
    await sender.close();
    await stage.stop();
  });

  function open(used: readonly TronTestNode[]): void {
    const { server, contracts } = stage.lab;
    const tokens = [{ asset: 'usdt_tron', contract: contracts.usdt, decimals: 6 }];
    const options = {
      ...({ chain: 'tron', network: 'main', nativeAsset: 'trx_tron', tokens, confirmations: null } as const),
      rpc: used.map(({ url }) => url),
      clock: { now: () => new Date(server.chain.tip().timeMs) },
      logger: silentLogger,
      timing: { coolDownMs: 1 },
    };
    connection = connectTron(options);
    sender = senderInTurn(tronSender(options, connection));
  }

  const inRound = <T>(work: () => Promise<T>): Promise<T> => sender.inRound!(PAYMENTS, work);
  const prepared = () => inRound(() => Promise.all(orders.map((order) => stage.signed(sender, order))));
  async function broadcastAll(): Promise<void> {
    signed = await prepared();
    for (const { raw } of signed) await sender.broadcast(raw);
  }
  const outcomes = () =>
    inRound(() =>
      Promise.all(
        orders.map((order, nth) =>
          sender.outcome({ ...order, transactions: [signed[nth]!], order, inputs: [] }),
        ),
      ),
    );
  const kinds = async (): Promise<readonly string[]> => [
    ...new Set((await outcomes()).map(({ kind }) => kind)),
  ];
  const count = (node: TronTestNode, end: string): number =>
    node.asked.filter((path) => path.endsWith(end)).length;
  const refusing = (status: number): NodeBehaviour => ({ refuse: isList, refusal: status });

  test('asks a node once what is alike for all, and single results of nobody', async () => {
    open([nodes[0]]);
    signed = await prepared();
    expect(count(nodes[0], 'getaccountresource')).toBe(1);
    for (const { raw } of signed) await sender.broadcast(raw);
    nodes[0].behave({});
    expect(await kinds()).toEqual(['waiting']);
    expect(nodes[0].asked).toHaveLength(3);
    await stage.lab.mine(1);
    nodes[0].behave({});
    const mined = await outcomes();
    expect(mined.every((outcome) => outcome.kind === 'mined' && !outcome.final)).toBe(true);
    expect(nodes[0].asked.length).toBeLessThanOrEqual(6);
    await stage.lab.mine(SOLID_BEHIND + 20);
    nodes[0].behave({});
    const final = await outcomes();
    expect(final.every((outcome) => outcome.kind === 'mined' && outcome.final)).toBe(true);
    // The block where they were seen, though it is no new one any more.
    expect(count(nodes[0], 'infobyblocknum')).toBe(1);
    expect(count(nodes[0], 'infobyid')).toBe(0);
  });

  test('says of each payment what it says of one alone', async () => {
    orders = orders.map((order, nth) =>
      nth % 2 === 0 ? order : stage.orderOf({ nonce: order.nonce, asset: 'usdt_tron' }),
    );
    await broadcastAll();
    await stage.lab.mine(1 + SOLID_BEHIND);
    const together = await outcomes();
    const alone = await Promise.all(
      orders.map((order, nth) =>
        sender.outcome({ ...order, transactions: [signed[nth]!], order, inputs: [] }),
      ),
    );
    expect(together).toEqual(alone);
    expect(together.every((outcome) => outcome.kind === 'mined' && outcome.effects[0])).toBe(true);
  });

  for (const [how, answer] of [
    ['leaves some of them out', (given: unknown) => (given as unknown[]).slice(0, 3)],
    ['is empty', () => []],
    ['is no list', () => ({})],
    [
      'has them in another block',
      (given: unknown) => (given as { blockNumber: number }[]).map((each) => ({ ...each, blockNumber: 1 })),
    ],
    [
      'has malformed fees and ids',
      (given: unknown) => [null, 7, ...(given as object[]).map((each) => ({ ...each, fee: 'much' }))],
    ],
  ] as const)
    test(`a list of a block that ${how} hides nothing, and harms no node`, async () => {
      open([nodes[0]]);
      await broadcastAll();
      await stage.lab.mine(1 + SOLID_BEHIND);
      nodes[0].behave({
        answer: (path, _, given) => (path.endsWith('infobyblocknum') ? answer(given) : undefined),
      });
      expect((await outcomes()).every((outcome) => outcome.kind === 'mined' && outcome.final)).toBe(true);
      expect(connection.pool.standings()).toMatchObject([{ state: 'able', used: { refusals: 0 } }]);
    });

  for (const status of [402, 403, 404, 429, 500, 503])
    test(`lists that a node refuses with ${status} cost it no standing, and rest`, async () => {
      open([nodes[0]]);
      await broadcastAll();
      nodes[0].behave(refusing(status));
      expect(await kinds()).toEqual(['waiting']);
      expect(nodes[0].asked.filter(isList).length).toBe(2);
      await stage.lab.mine(1 + SOLID_BEHIND);
      nodes[0].behave(refusing(status));
      expect((await outcomes()).every((outcome) => outcome.kind === 'mined' && outcome.final)).toBe(true);
      expect(nodes[0].asked.filter(isList)).toEqual([]);
      expect(connection.pool.standings()).toMatchObject([{ state: 'able', used: { refusals: 0 } }]);
    });

  test('nodes that say nothing of what waits are asked for each', async () => {
    open([nodes[0]]);
    await broadcastAll();
    nodes[0].behave({
      answer: (path) => (path.endsWith('listfrompending') ? { txId: 'none' } : undefined),
    });
    expect(await kinds()).toEqual(['waiting']);
    nodes[0].behave({ answer: (path) => (path.endsWith('listfrompending') ? {} : undefined) });
    stage.lab.server.chain.drop();
    expect(await kinds()).toEqual(['unseen']);
  });

  describe('"Paid once": of three nodes one lies, and one limits', () => {
    const forgets: NodeBehaviour = {
      answer: (path) => {
        if (path.endsWith('infobyid')) return {};
        return path.endsWith('infobyblocknum') ? [] : undefined;
      },
    };
    beforeEach(async () => {
      await broadcastAll();
      await stage.lab.mine(1);
      await stage.pass(signed.reduce((last, { validUntil }) => larger(validUntil!, last), 0n));
      await stage.lab.mine(SOLID_BEHIND);
    });

    for (const status of [402, 429])
      for (const [what, limiter] of [
        ['lists', refusing(status)],
        ['all', { status }],
      ] as const)
        test(`mined payments are never expired: ${what} by ${status}`, async () => {
          const [liar, limiting, honest] = nodes;
          liar.behave(forgets);
          limiting.behave(limiter);
          // Also the honest one limits lists.
          honest.behave(refusing(status));
          for (const _ of [1, 2]) {
            const found = await outcomes();
            expect(found.every((outcome) => outcome.kind === 'mined' && !outcome.final)).toBe(true);
          }
          expect(connection.pool.standings()[2]).toMatchObject({ state: 'able', used: { refusals: 0 } });
        });

    test('a shared request that fails once takes the vote of its node from no payment', async () => {
      const [liar, honest] = nodes;
      open([liar, honest]);
      await outcomes();
      liar.behave(forgets);
      let asked = 0;
      honest.behave({
        answer: (path) => {
          if (!path.endsWith('walletsolidity/getblock')) return undefined;
          asked += 1;
          return asked === 1 ? 'no JSON object' : undefined;
        },
      });
      const found = await outcomes();
      expect(found.every((outcome) => outcome.kind === 'mined')).toBe(true);
      expect(asked).toBeGreaterThan(PAYMENTS);
    });

    test('a node that failed may be of another chain since: what it calls dead then is not clear', async () => {
      const [liar, changing] = nodes;
      open([liar, changing]);
      await outcomes();
      liar.behave(forgets);
      let hasFailed = false;
      changing.behave({
        answer: (path, { id_or_num: block }, given) => {
          if (!hasFailed && path.endsWith('walletsolidity/getblock')) {
            hasFailed = true;
            return 'no JSON object';
          }
          if (!hasFailed) return undefined;
          if (path.endsWith('infobyid')) return {};
          return block === '0'
            ? { ...(given as object), blockID: `${'0'.repeat(16)}${'e'.repeat(48)}` }
            : undefined;
        },
      });
      expect(await kinds()).toEqual(['unseen']);
      // It has shown its chain now, and is left out.
      await outcomes();
      expect(connection.pool.standings()[1]).toMatchObject({ state: 'wrong_chain' });
    });

    test('a node that fails again when it shows its chain has told what it saw before', async () => {
      const [liar, honest] = nodes;
      open([liar, honest]);
      await outcomes();
      liar.behave(forgets);
      const failing = new Set(['walletsolidity/getblock', 'wallet/getblock']);
      honest.behave({
        answer: (path, { id_or_num: block }) => {
          const isFirst = path.endsWith('wallet/getblock') ? block === '0' : true;
          const name = [...failing].find((each) => isFirst && path.endsWith(`/${each}`));
          return name !== undefined && failing.delete(name) ? 'no JSON object' : undefined;
        },
      });
      expect(await kinds()).toEqual(['mined']);
    });

    test('lists that leave all out are not believed by anybody', async () => {
      for (const node of nodes)
        node.behave({ answer: (path) => (path.endsWith('infobyblocknum') ? [] : undefined) });
      const found = await outcomes();
      expect(found.every((outcome) => outcome.kind === 'mined' && outcome.final)).toBe(true);
    });
  });

  test('"Paid once": a list without the logs of a block says of no payment that it was reverted', async () => {
    open([nodes[0]]);
    orders = orders.map(({ nonce }) => stage.orderOf({ nonce, asset: 'usdt_tron' }));
    await broadcastAll();
    await stage.lab.mine(1 + SOLID_BEHIND);
    nodes[0].behave({
      answer: (path, _, given) =>
        path.endsWith('infobyblocknum')
          ? (given as object[]).map((info) => ({ ...info, log: undefined }))
          : undefined,
    });
    const found = await outcomes();
    expect(found.every((outcome) => outcome.kind === 'mined' && outcome.final && outcome.effects[0])).toBe(
      true,
    );
  });

  test('"Paid once": what nobody took is dead by look-ups of its own, on every node', async () => {
    open([nodes[0]]);
    signed = await prepared();
    await stage.pass(signed.reduce((last, { validUntil }) => larger(validUntil!, last), 0n));
    await stage.lab.mine(SOLID_BEHIND);
    nodes[0].behave({});
    expect(await kinds()).toEqual(['expired']);
    // In both parts of the API.
    expect(count(nodes[0], 'walletsolidity/gettransactioninfobyid')).toBe(PAYMENTS);
    expect(count(nodes[0], 'wallet/gettransactioninfobyid')).toBe(PAYMENTS);
    expect(count(nodes[0], 'walletsolidity/getblock')).toBe(1 + 2 * PAYMENTS);
  });

  test('A3: a reorganisation within a round is seen: a head is never newer than its lists', async () => {
    open([nodes[0]]);
    await broadcastAll();
    await stage.lab.mine(1);
    expect(await kinds()).toEqual(['mined']);
    await stage.lab.server.chain.fork(1);
    expect(await kinds()).toEqual(['unseen']);
  });
});
