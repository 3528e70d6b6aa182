/**
 * Many payouts of Solana in one look of the sender: lists save requests, and decide nothing that
 * lets money be sent again.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { senderInTurn } from '../../../../../src/adapters/chains/shared/nodes/client-urgencies.ts';
import {
  connectSolana,
  type SolanaConnection,
} from '../../../../../src/adapters/chains/solana/connection.ts';
import { solanaSender } from '../../../../../src/adapters/chains/solana/send/sender.ts';
import { larger } from '../../../../../src/domain/money/larger.ts';
import type { ChainSender, SendingOrder } from '../../../../../src/ports/sending/chain-sender.ts';
import { type ExpiringSigned, expiringSteps } from '../../../../contracts/sending/expiring-sender-steps.ts';
import { type RpcProxy, startRpcProxy } from '../../../../support/chains/rpc-proxy.ts';
import { silentLogger } from '../../../../support/runtime/silent-logger.ts';
import { openSenderCase, type SolanaSenderCase } from '../../../../support/solana/sender-case.ts';
import { listings, NATIVE, TOKEN } from '../../../../support/solana/sending.ts';

const PAYMENTS = 8;

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** More than a payment alone asks. */
const isList = ({ method, params: [first] }: Call): boolean => {
  const many = Array.isArray(first) ? first.length : 0;
  return (method === 'getSignatureStatuses' && many > 1) || (method === 'getMultipleAccounts' && many > 5);
};

describe('a round of Solana payouts', () => {
  let chain: SolanaSenderCase;
  let proxies: readonly RpcProxy[];
  let connection: SolanaConnection;
  let sender: ChainSender;
  let orders: readonly SendingOrder[];
  let signed: readonly ExpiringSigned[];
  beforeEach(async () => {
    chain = await openSenderCase();
    const { url } = chain.lab.node;
    proxies = await Promise.all([startRpcProxy(url), startRpcProxy(url), startRpcProxy(url)]);
    open(proxies);
    const steps = expiringSteps(() => chain);
    orders = await Promise.all(
      Array.from({ length: PAYMENTS }, (_, nth) =>
        steps.orderOf({ nonce: BigInt(nth + 1), asset: nth % 2 === 0 ? NATIVE : TOKEN }),
      ),
    );
  });
  afterEach(async () => {
    await sender.close();
    for (const proxy of proxies) await proxy.stop();
    await chain.close();
  });

  function open(used: readonly RpcProxy[]): void {
    const options = {
      ...({ chain: 'solana', network: 'test', nativeAsset: NATIVE, tokens: listings(chain.lab) } as const),
      rpc: used.map(({ url }) => url),
      ...{ logger: silentLogger, timing: { coolDownMs: 1 } },
    };
    connection = connectSolana(options);
    sender = senderInTurn(solanaSender(options, connection));
  }

  const inRound = <T>(work: () => Promise<T>): Promise<T> => sender.inRound!(PAYMENTS, work);
  const prepared = () =>
    inRound(() => Promise.allSettled(orders.map((order) => sender.prepare(order, null))));
  async function sign(): Promise<void> {
    signed = await Promise.all(
      (await prepared()).map(async (each, nth) => {
        if (each.status === 'rejected') throw each.reason;
        const { maxFeeUnits, validUntil } = each.value;
        return { ...(await chain.sign(orders[nth]!, each.value)), voids: false, maxFeeUnits, validUntil };
      }),
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
  const passAll = async (): Promise<void> => {
    await chain.pass(signed.reduce((last, { validUntil }) => larger(validUntil!, last), 0n));
    await chain.settle();
  };

  test('asks a node together what many payments ask', async () => {
    const [only] = proxies as [RpcProxy];
    open([only]);
    await sender.reserveUnits(chain.wallet);
    only.behave({});
    await sign();
    // A trial each; accounts and fees together, and the rents, the blockhash and the token once.
    expect(only.requests).toBeLessThanOrEqual(2 * PAYMENTS + 4);
    for (const { raw } of signed) await sender.broadcast(raw);
    only.behave({});
    expect(await kinds()).toEqual(['waiting']);
    expect(only.requests).toBe(2);
    await chain.mine(1);
    only.behave({});
    await areAll({ final: false });
    expect(only.requests).toBe(4);
    await chain.settle();
    await areAll({ final: true });
  });

  test('says of each payment what it says of one alone', async () => {
    await broadcastAll();
    await chain.mine(1);
    await chain.settle();
    const together = await outcomes();
    expect(together).toEqual(await Promise.all(orders.map(alone)));
    expect(together.every((outcome) => outcome.kind === 'mined' && outcome.effects[0])).toBe(true);
  });

  for (const status of [402, 403, 429, 503])
    test(`lists that a node refuses with ${status} cost it no standing, and rest`, async () => {
      const [only] = proxies as [RpcProxy];
      open([only]);
      const limits = { statusOf: (call: Call) => (isList(call) ? status : undefined), noBatch: true };
      await sender.reserveUnits(chain.wallet);
      only.behave(limits);
      await broadcastAll();
      expect(await kinds()).toEqual(['waiting']);
      only.behave(limits);
      expect(await kinds()).toEqual(['waiting']);
      // A3: after a fault another machine may answer, which shows its chain first.
      expect(only.asked.includes('getGenesisHash')).toBe(status === 503);
      await chain.mine(1);
      await chain.settle();
      await areAll({ final: true });
      expect(connection.pool.standings()).toMatchObject([{ state: 'able', used: { refusals: 0 } }]);
    });

  test('calls of a batch that a limit refuses are asked alone', async () => {
    const [only] = proxies as [RpcProxy];
    open([only]);
    await broadcastAll();
    await chain.mine(1);
    await chain.settle();
    const met = new Set<string>();
    only.behave({
      instead: ({ method, params: [txid] }) => {
        if (method !== 'getTransaction' || met.has(String(txid)) || met.size === 3) return undefined;
        met.add(String(txid));
        throw new Error('too many requests');
      },
    });
    await areAll({ final: true });
  });

  for (const [how, answer] of [
    ['shorter', (value: readonly unknown[]) => value.slice(1)],
    ['empty of all', (value: readonly unknown[]) => value.map(() => null)],
    ['malformed', () => 'none'],
  ] as const)
    test(`a list of statuses that is ${how} lets nothing be sent again`, async () => {
      const [only] = proxies as [RpcProxy];
      open([only]);
      await broadcastAll();
      await chain.mine(1);
      await passAll();
      only.behave({
        answer: (call, result) => {
          if (!isList(call) || call.method !== 'getSignatureStatuses') return undefined;
          const told = result as { value: readonly unknown[] };
          return { ...told, value: answer(told.value) };
        },
      });
      await areAll({ final: true });
      expect(connection.pool.standings()).toMatchObject([{ state: 'able', used: { refusals: 0 } }]);
    });

  test('results that are swapped within a batch are nobody’s', async () => {
    const [only] = proxies as [RpcProxy];
    open([only]);
    await broadcastAll();
    await chain.mine(1);
    await chain.settle();
    let first: unknown;
    only.behave({
      answer: ({ method }, result) => {
        if (method !== 'getTransaction' || first !== undefined) return undefined;
        first = result;
        return { ...(result as object), transaction: { message: {}, signatures: ['another'] } };
      },
    });
    await areAll({ final: true });
  });

  test('one recipient whose account is malformed stops his own payout alone', async () => {
    const [only] = proxies as [RpcProxy];
    open([only]);
    const bad = orders[2]!.payments[0]!.to;
    only.behave({
      answer: ({ method, params }, result) => {
        if (method !== 'getMultipleAccounts') return undefined;
        const asked = params[0] as readonly string[];
        const told = result as { value: readonly unknown[] };
        return { ...told, value: told.value.map((each, nth) => (asked[nth] === bad ? { owner: 7 } : each)) };
      },
    });
    const found = await prepared();
    expect(found.map(({ status }) => status)).toEqual(
      orders.map((_, nth) => (nth === 2 ? 'rejected' : 'fulfilled')),
    );
  });

  describe('"Paid once": of three nodes one lies, and one limits', () => {
    for (const status of [402, 429])
      for (const all of [false, true])
        test(`mined payments are never expired: ${all ? 'all' : 'lists'} by ${status}`, async () => {
          await broadcastAll();
          await chain.mine(1);
          await passAll();
          const [liar, limiting, honest] = proxies as [RpcProxy, RpcProxy, RpcProxy];
          const limits = { statusOf: (call: Call) => (isList(call) ? status : undefined), noBatch: true };
          liar.behave({
            answer: ({ method, params: [txids] }, result) =>
              method === 'getSignatureStatuses'
                ? { ...(result as object), value: (txids as readonly string[]).map(() => null) }
                : undefined,
          });
          limiting.behave(all ? { status } : limits);
          honest.behave(limits);
          for (const _ of [1, 2]) await areAll({ final: false });
          expect(connection.pool.standings()[2]).toMatchObject({ state: 'able', used: { refusals: 0 } });
        });
  });

  test('"Paid once": a shared request that fails once takes the vote of its node from no payment', async () => {
    const [liar, honest] = proxies as [RpcProxy, RpcProxy];
    open([liar, honest]);
    await broadcastAll();
    await chain.mine(1);
    await passAll();
    await outcomes();
    liar.behave({
      answer: ({ method, params: [txids] }, result) =>
        method === 'getSignatureStatuses'
          ? { ...(result as object), value: (txids as readonly string[]).map(() => null) }
          : undefined,
    });
    let asked = 0;
    honest.behave({
      statusOf: ({ method }) => {
        asked += method === 'getEpochInfo' ? 1 : 0;
        return method === 'getEpochInfo' && asked === 1 ? 500 : undefined;
      },
    });
    await areAll({ final: false });
    expect(asked).toBeGreaterThan(PAYMENTS);
  });

  test('"Paid once": what nobody took is dead by look-ups of its own', async () => {
    const [only] = proxies as [RpcProxy];
    open([only]);
    await sign();
    await passAll();
    only.behave({});
    expect(await kinds()).toEqual(['expired']);
    const count = (method: string): number => only.asked.filter((asked) => asked === method).length;
    expect(count('getSignatureStatuses')).toBe(1 + PAYMENTS);
    expect(count('getEpochInfo')).toBe(1 + PAYMENTS);
    expect(count('isBlockhashValid')).toBe(PAYMENTS);
  });
});
