/**
 * The TON scanner keeps the scanner's contract on a chain in memory with real transactions, out of
 * an index behind a plan and out of lists.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ChainScanner, SeenTransfer } from '../../../../../src/ports/chains/chain-scanner.ts';
import { describeChainScanner } from '../../../../contracts/chains/chain-scanner.ts';
import { spendingFrom, watching } from '../../../../support/chains/watch-list.ts';
import { behindPlan } from '../../../../support/providers/behind-plan.ts';
import { TONCENTER_FREE, UNLIMITED } from '../../../../support/providers/plans.ts';
import { NATIVE, openTonLab, TON, type TonLab, USDT } from '../../../../support/ton/ton-lab.ts';
import { labScanner, paidTo } from '../../../../support/ton/ton-scanning.ts';

let lab: TonLab;
beforeAll(async () => {
  lab = await openTonLab();
});
afterAll(() => lab.close());

/** Beside this path nothing says where an index would be. */
const liteServer = (): string => `${new URL(lab.server.url).origin}/jsonRPC`;

for (const [confirmations, source, plan] of [
  [1, 'an index', TONCENTER_FREE],
  [3, 'a lite server', null],
] as const)
  describeChainScanner(`ton out of ${source}, final after ${confirmations}`, async () => {
    const rpc = source === 'an index' ? lab.server.url : liteServer();
    const asked = labScanner(lab, { confirmations, rpc: [rpc], ...behindPlan(plan) });
    // As the application asks: it knows of every deposit how it was seen.
    const seen = new Map<string, SeenTransfer>();
    const never = { asset: NATIVE, to: lab.freshAddress(), output: 'lt:1' };
    const scanner: ChainScanner = {
      ...asked,
      lookup: (txid) => asked.lookup(txid, seen.get(txid) ?? never),
    };
    return {
      scanner,
      several: labScanner(lab, { confirmations, rpc: [rpc, rpc] }),
      shows: 'its transaction',
      confirmations,
      assets: [NATIVE, USDT],
      showsPending: false,
      namedWhileWaiting: false,
      unknownTxid: 'ab'.repeat(32),
      freshAddress: () => lab.freshAddress(),
      pay: async ({ to, asset, units }) => {
        if (asset === NATIVE) lab.pay({ to, units });
        else lab.payJetton({ to, units });
        const account = asset === NATIVE ? to : lab.jetton.walletOf(lab.addressOf(to)).toRawString();
        return {
          get txid() {
            const { hash, lt } = lab.last(account);
            seen.set(hash.toString('hex'), { asset, to, output: `lt:${lt}` });
            return hash.toString('hex');
          },
        };
      },
      mine: (count) => lab.mine(count),
      reorg: (depth) => lab.chain.reorg(depth),
      outage: async (on) => lab.server.behave({ drop: on }),
      close: () => scanner.close(),
    };
  });

describe('ton scanner', () => {
  test.each(['an index', 'a lite server'])(
    'R10: a block that one machine told of and another lacks is asked for again, out of %s',
    async (source) => {
      const rpc = [source === 'an index' ? lab.server.url : liteServer()];
      const scanner = labScanner(lab, { rpc, ...behindPlan(UNLIMITED) });
      const [customer, { height }] = [lab.freshAddress(), (await scanner.head()).tip];
      lab.pay({ to: customer, units: TON });
      await lab.mine();
      let asked = 0;
      const answer = (method: string, { seqno }: Readonly<Record<string, unknown>>) => {
        if (method === 'getBlockHeader' && seqno === height + 1 && [1, 2, 4].includes(++asked))
          throw new Error('LITE_SERVER_NOTREADY: ltdb: block not found');
        return undefined;
      };
      lab.server.behave({ answer });
      expect(await paidTo(scanner, [customer])).toMatchObject([{ units: TON }]);
      lab.server.behave({});
      await scanner.close();
    },
  );

  test('K4: what comes back from our hot wallet before it has a contract was not sent by it', async () => {
    const scanner = labScanner(lab);
    lab.pay({ to: lab.hotWallet, units: TON, bounce: true });
    await lab.mine();
    expect(lab.last(lab.hotWallet).transaction.outMessages.size).toBe(1);
    const { height } = (await scanner.head()).tip;
    const spending = spendingFrom(lab.hotWallet);
    const [block] = await scanner.blocks({ from: height, to: height }, { ...watching([]), spending });
    expect(block?.unknown ?? []).toEqual([]);
    await scanner.close();
  });

  test('a block of three hundred transactions costs a lite server eight calls, and one more for each payment of ours', async () => {
    const scanner = labScanner(lab, { rpc: [liteServer()] });
    await scanner.unscannedAssets();
    for (let payments = 0; payments < 300; payments++)
      lab.pay({ to: lab.strangersAddress(payments), units: 1n });
    const ours = [lab.freshAddress(), lab.freshAddress()];
    lab.pay({ to: ours[0]!, units: TON });
    lab.payJetton({ to: ours[1]!, units: 5n });
    await lab.mine(1);
    lab.server.behave({});
    const { height } = (await scanner.head()).tip;
    const before = lab.server.asked.length;
    const [block] = await scanner.blocks({ from: height, to: height }, watching(ours));
    // By account, whichever is first.
    expect(new Map(block!.transfers.map(({ to, units }) => [to, units]))).toEqual(
      new Map([
        [ours[0]!, TON],
        [ours[1]!, 5n],
      ]),
    );
    const asked = lab.server.asked.slice(before);
    const count = (method: string) => asked.filter((name) => name === method).length;
    // The header is read again at the end, and the shards of the block before say where theirs
    // begin.
    expect({ headers: count('getBlockHeader'), shards: count('shards') }).toEqual({ headers: 2, shards: 2 });
    expect({ lists: count('getBlockTransactions'), payments: count('getTransactions') }).toEqual({
      lists: 4,
      payments: 2,
    });
    expect(asked.length).toBe(10);
    await scanner.close();
  });
});
