/**
 * Many payouts of XRP in one look of the sender: lists save requests, and decide nothing that lets
 * money be sent again.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { senderInTurn } from '../../../../../src/adapters/chains/shared/nodes/client-urgencies.ts';
import { type LedgerPool, ledgerPool } from '../../../../../src/adapters/chains/xrp/ledger-pool.ts';
import { xrpNetwork } from '../../../../../src/adapters/chains/xrp/network.ts';
import { xrpSender } from '../../../../../src/adapters/chains/xrp/send/sender.ts';
import type { ChainSender, SendingOrder } from '../../../../../src/ports/sending/chain-sender.ts';
import type { ExpiringSigned } from '../../../../contracts/sending/expiring-sender-steps.ts';
import { silentLogger } from '../../../../support/runtime/silent-logger.ts';
import { changed } from '../../../../support/utxo/lone-orders.ts';
import type { NodeBehaviour, XrpNode } from '../../../../support/xrp/node.ts';
import { ASSET, accountNumber, openXrpStage, type XrpStage } from '../../../../support/xrp/stage.ts';

const PAYMENTS = 10;
const CONFIRMATIONS = 2;

describe('a round of XRP payouts', () => {
  let stage: XrpStage;
  let nodes: readonly [XrpNode, XrpNode, XrpNode];
  let pool: LedgerPool;
  let sender: ChainSender;
  let orders: readonly SendingOrder[];
  let signed: readonly ExpiringSigned[];
  beforeEach(async () => {
    stage = await openXrpStage({ nodes: 3, confirmations: CONFIRMATIONS });
    nodes = stage.lab.nodes as unknown as typeof nodes;
    open(nodes);
    const first = await stage.steps.orderOf();
    orders = Array.from({ length: PAYMENTS }, (_, nth) =>
      changed(first, { nonce: first.nonce + BigInt(nth), to: accountNumber(500 + nth) }),
    );
  });
  afterEach(async () => {
    await sender.close();
    await stage.close();
  });

  function open(used: readonly XrpNode[]): void {
    const options = {
      ...{ chain: 'xrp', network: xrpNetwork('main'), nativeAsset: ASSET, confirmations: CONFIRMATIONS },
      rpc: used.map(({ url }) => url),
      ...{ logger: silentLogger, timing: { coolDownMs: 1 } },
    };
    pool = ledgerPool(options);
    sender = senderInTurn(xrpSender(options, pool));
  }

  const inRound = <T>(work: () => Promise<T>): Promise<T> => sender.inRound!(PAYMENTS, work);
  async function sign(): Promise<void> {
    signed = await inRound(() =>
      Promise.all(
        orders.map(async (order) => {
          const unsigned = await sender.prepare(order, null);
          const { maxFeeUnits, validUntil } = unsigned;
          return { ...(await stage.case.sign(order, unsigned)), voids: false, maxFeeUnits, validUntil };
        }),
      ),
    );
  }
  async function broadcastAll(): Promise<void> {
    await sign();
    for (const { raw } of signed) expect(await sender.broadcast(raw)).toEqual({ kind: 'accepted' });
  }
  const alone = (order: SendingOrder, nth: number) =>
    sender.outcome({ ...order, transactions: [signed[nth]!], order, inputs: [] });
  const outcomes = () => inRound(() => Promise.all(orders.map(alone)));
  const kinds = async (): Promise<readonly string[]> => [
    ...new Set((await outcomes()).map(({ kind }) => kind)),
  ];
  const areAll = async (mined: { final: boolean }): Promise<void> => {
    for (const outcome of await outcomes()) expect(outcome).toMatchObject({ kind: 'mined', ...mined });
  };
  const count = (node: XrpNode, method: string): number =>
    node.asked.filter((asked) => asked === method).length;
  /** Past their last ledgers. */
  const passAll = async (): Promise<void> => {
    await stage.case.pass(signed.at(-1)!.validUntil!);
    await stage.case.settle();
    await stage.case.mine(2);
  };

  test('asks a node once what is alike for all, and single transactions of nobody', async () => {
    open([nodes[0]]);
    await sender.nextNonce(stage.wallet);
    nodes[0].behave({});
    await sign();
    // Beside each recipient: the ledger, the fee, the reserve, and our account.
    expect(nodes[0].asked.length).toBeLessThanOrEqual(PAYMENTS + 6);
    for (const { raw } of signed) await sender.broadcast(raw);
    nodes[0].behave({});
    expect(await kinds()).toEqual(['waiting']);
    expect(nodes[0].asked.toSorted()).toEqual(['account_info', 'account_info', 'account_tx', 'ledger']);
    await stage.case.mine(1);
    nodes[0].behave({});
    await areAll({ final: false });
    expect(nodes[0].asked.toSorted()).toEqual(['account_tx', 'ledger']);
    await stage.case.mine(1);
    await areAll({ final: true });
    expect(count(nodes[0], 'tx')).toBe(0);
  });

  test('says of each payment what it says of one alone', async () => {
    await broadcastAll();
    await stage.case.mine(2);
    const together = await outcomes();
    expect(together).toEqual(await Promise.all(orders.map(alone)));
    expect(together.every((outcome) => outcome.kind === 'mined' && outcome.effects[0])).toBe(true);
  });

  for (const [how, answer] of [
    ['leaves some out', { transactions: (all: object[]) => all.slice(0, 3) }],
    ['is empty', { transactions: () => [] }],
    ['is none', { transactions: () => 'none' }],
    ['has malformed items', { transactions: (all: object[]) => [null, ...all] }],
    [
      'has malformed metadata',
      { transactions: (all: object[]) => all.map((each) => ({ ...each, meta: 'much' })) },
    ],
    [
      'has what no ledger validated',
      { transactions: (all: object[]) => all.map((each) => ({ ...each, validated: false })) },
    ],
  ] as const)
    test(`a list that ${how} hides nothing, and harms no node`, async () => {
      open([nodes[0]]);
      await broadcastAll();
      await stage.case.mine(2);
      nodes[0].behave({
        answer: (method, result) =>
          method === 'account_tx'
            ? { ...result, transactions: answer.transactions(result.transactions as object[]) }
            : undefined,
      });
      await areAll({ final: true });
      expect(pool.standings()).toMatchObject([{ state: 'able', used: { refusals: 0 } }]);
    });

  const limits: Readonly<Record<string, NodeBehaviour>> = {
    '402': { status: (method) => (method === 'account_tx' ? 402 : undefined) },
    '429': { status: (method) => (method === 'account_tx' ? 429 : undefined) },
    '503': { status: (method) => (method === 'account_tx' ? 503 : undefined) },
    slowDown: { refuse: (method) => (method === 'account_tx' ? 'slowDown' : undefined) },
    tooBusy: { refuse: (method) => (method === 'account_tx' ? 'tooBusy' : undefined) },
    lgrIdxMalformed: { refuse: (method) => (method === 'account_tx' ? 'lgrIdxMalformed' : undefined) },
  };
  for (const [how, behaviour] of Object.entries(limits))
    test(`a list that a node refuses with ${how} costs it no standing, and rests`, async () => {
      open([nodes[0]]);
      await broadcastAll();
      nodes[0].behave(behaviour);
      expect(await kinds()).toEqual(['waiting']);
      expect(count(nodes[0], 'account_tx')).toBe(1);
      await stage.case.mine(2);
      nodes[0].behave(behaviour);
      await areAll({ final: true });
      expect(count(nodes[0], 'account_tx')).toBe(0);
      // A3: after a fault another machine may answer, which shows its chain first.
      expect(count(nodes[0], 'server_info') > 0).toBe(how === '503');
      expect(pool.standings()).toMatchObject([{ state: 'able', used: { refusals: 0 } }]);
    });

  test('a node that tells nothing of its open ledger is asked for each', async () => {
    open([nodes[0]]);
    await broadcastAll();
    nodes[0].behave({
      answer: (method, result) =>
        method === 'account_info' && result.queue_data !== undefined
          ? { ...result, account_data: { Account: 'another' } }
          : undefined,
    });
    expect(await kinds()).toEqual(['waiting']);
    nodes[0].behave({});
    stage.lab.network.drop();
    expect(await kinds()).toEqual(['unseen']);
  });

  test('sequences that wait in the queue of the node are on their way', async () => {
    open([nodes[0]]);
    await sign();
    const queued = orders.map(({ nonce }) => ({ seq: Number(nonce), fee: '12' }));
    nodes[0].behave({
      answer: (method, result) =>
        method === 'account_info' && result.queue_data !== undefined
          ? { ...result, queue_data: { transactions: [{ ticket: 7 }, ...queued.slice(0, 4)] } }
          : undefined,
    });
    const found = await outcomes();
    expect(found.map(({ kind }) => kind)).toEqual(orders.map((_, nth) => (nth < 4 ? 'waiting' : 'unseen')));
  });

  describe('"Paid once": of three nodes one lies, and one limits', () => {
    /** It knows no transaction, and says that it has searched all. */
    const forgets: NodeBehaviour = {
      answer: (method, result) => {
        if (method === 'account_tx') return { ...result, transactions: [] };
        if (method === 'tx') return { status: 'error', error: 'txnNotFound', searched_all: true };
        if (method !== 'account_info') return undefined;
        const data = result.account_data as { Account: string };
        if (data.Account !== stage.hot) return undefined;
        return { ...result, account_data: { ...data, Sequence: Number(orders[0]!.nonce) } };
      },
    };

    for (const how of ['402', '429', 'slowDown'])
      for (const all of [false, true])
        test(`mined payments are never expired: ${all ? 'all' : 'lists'} by ${how}`, async () => {
          await broadcastAll();
          await stage.case.mine(1);
          await passAll();
          const [liar, limiting, honest] = nodes;
          liar.behave(forgets);
          limiting.behave(all ? { status: () => (how === 'slowDown' ? 429 : Number(how)) } : limits[how]!);
          honest.behave(limits[how]!);
          for (const _ of [1, 2]) await areAll({ final: false });
          expect(pool.standings()[2]).toMatchObject({ state: 'able', used: { refusals: 0 } });
        });
  });

  test('"Paid once": a shared request that fails once takes the vote of its node from no payment', async () => {
    const [liar, honest] = nodes;
    open([liar, honest]);
    await broadcastAll();
    await stage.case.mine(1);
    await passAll();
    await outcomes();
    liar.behave({
      answer: (method, result) => {
        if (method === 'account_tx') return { ...result, transactions: [] };
        if (method === 'tx') return { status: 'error', error: 'txnNotFound', searched_all: true };
        const data = result.account_data as { Account: string } | undefined;
        if (method !== 'account_info' || data?.Account !== stage.hot) return undefined;
        return { ...result, account_data: { ...data, Sequence: Number(orders[0]!.nonce) } };
      },
    });
    let asked = 0;
    honest.behave({
      status: (method) => {
        asked += method === 'ledger' ? 1 : 0;
        return method === 'ledger' && asked === 1 ? 500 : undefined;
      },
    });
    await areAll({ final: false });
    expect(asked).toBeGreaterThan(PAYMENTS);
  });

  test('a machine that lacks the newest ledger is asked for each payment, and hides none', async () => {
    open([nodes[0]]);
    await broadcastAll();
    await stage.case.mine(3);
    const newest = stage.lab.last().hash;
    nodes[0].behave({
      refuse: (method, { ledger_hash }) =>
        method === 'account_info' && ledger_hash === newest ? 'lgrNotFound' : undefined,
      answer: (method, result) => (method === 'account_tx' ? { ...result, transactions: [] } : undefined),
    });
    await areAll({ final: true });
  });

  for (const [what, lie] of [
    ['failed', { meta: { TransactionResult: 'tecUNFUNDED_PAYMENT' } }],
    ['is in a ledger without a header', { ledger_hash: '0'.repeat(64) }],
  ] as const)
    test(`"Paid once": a list that says that a payment ${what} is not believed`, async () => {
      open([nodes[0]]);
      await broadcastAll();
      await stage.case.mine(3);
      const expected = await Promise.all(orders.map(alone));
      nodes[0].behave({
        answer: (method, result) =>
          method === 'account_tx'
            ? {
                ...result,
                transactions: (result.transactions as object[]).map((each) => ({ ...each, ...lie })),
              }
            : undefined,
      });
      expect(await outcomes()).toEqual(expected);
      expect(expected.every((outcome) => outcome.kind === 'mined' && outcome.effects[0])).toBe(true);
    });

  test('"Paid once": what no ledger took is dead by look-ups of its own', async () => {
    open([nodes[0]]);
    await sign();
    await passAll();
    nodes[0].behave({});
    expect(await kinds()).toEqual(['expired']);
    expect(count(nodes[0], 'tx')).toBe(PAYMENTS);
    expect(count(nodes[0], 'ledger')).toBe(1 + 2 * PAYMENTS);
  });

  test('"Paid once": a sequence that something else used is superseded by look-ups of its own', async () => {
    open([nodes[0]]);
    await broadcastAll();
    await stage.case.mine(2);
    // As if they were of others: the node shows none of ours.
    nodes[0].behave({
      answer: (method, result) => {
        if (method === 'account_tx') return { ...result, transactions: [] };
        return method === 'tx' ? { status: 'error', error: 'txnNotFound', searched_all: true } : undefined;
      },
    });
    expect(await kinds()).toEqual(['superseded']);
    expect(count(nodes[0], 'tx')).toBe(PAYMENTS);
  });
});
