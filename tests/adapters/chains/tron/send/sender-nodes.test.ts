/**
 * Several nodes behind one Tron sender: what is final, what is provably dead, and balances as of
 * earlier blocks.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { addressHex } from '../../../../../src/adapters/chains/tron/address.ts';
import { ChainUnavailable } from '../../../../../src/ports/chains/chain-scanner.ts';
import type { ChainSender, SendingOrder } from '../../../../../src/ports/sending/chain-sender.ts';
import type { TronLab } from '../../../../support/tron/lab.ts';
import { TRX } from '../../../../support/tron/parameters.ts';
import { openTronStage, SOLID_BEHIND, type TronStage } from '../../../../support/tron/sending.ts';
import type { NodeBehaviour, TronTestNode } from '../../../../support/tron/server.ts';

type Signed = Awaited<ReturnType<TronStage['signed']>>;

describe('several nodes behind a Tron sender', () => {
  let stage: TronStage;
  let lab: TronLab;
  let first: TronTestNode;
  let second: TronTestNode;
  let sender: ChainSender;
  beforeAll(async () => {
    stage = await openTronStage();
    lab = stage.lab;
    [first, second] = [lab.server.node, lab.server.anotherNode()];
    sender = stage.open({ rpc: [first.url, second.url] });
  });
  beforeEach(async () => {
    first.behave({});
    second.behave({});
    await lab.mine();
  });
  afterAll(() => stage.stop());

  const outcomeOf = (order: SendingOrder, ...transactions: readonly Signed[]) =>
    sender.outcome({ wallet: order.wallet, nonce: order.nonce, transactions, order, inputs: [] });
  const forgets: NodeBehaviour = { answer: (path) => (path.endsWith('infobyid') ? {} : undefined) };

  test('what one node only has is mined and not final, whatever is solidified', async () => {
    const order = stage.orderOf();
    const signed = await stage.signed(sender, order);
    await sender.broadcast(signed.raw);
    expect(await outcomeOf(order, signed)).toEqual({ kind: 'waiting', txid: signed.txid });
    await lab.mine(1 + SOLID_BEHIND);
    second.behave(forgets);
    expect(await outcomeOf(order, signed)).toMatchObject({ kind: 'mined', final: false });
    second.behave({});
    expect(await outcomeOf(order, signed)).toMatchObject({ kind: 'mined', final: true });
  });

  test('U7: a payment whose block a reorganisation takes is paid by the same bytes, once', async () => {
    for (const depth of [1, SOLID_BEHIND + 2]) {
      const order = stage.orderOf();
      const signed = await stage.signed(sender, order);
      await sender.broadcast(signed.raw);
      await lab.mine(depth);
      const old = await outcomeOf(order, signed);
      if (old.kind !== 'mined') throw new Error(`the payment is ${old.kind}`);
      await lab.server.chain.fork(depth);
      expect(await sender.onChain(old.block)).toBe(false);
      expect((await outcomeOf(order, signed)).kind).toBe('unseen');
      expect(await sender.broadcast(signed.raw)).toEqual({ kind: 'accepted' });
      await lab.mine();
      expect(await outcomeOf(order, signed)).toMatchObject({ kind: 'mined', effects: [true] });
      expect(await stage.balanceOf(order.payments[0]!.to, 'trx_tron')).toBe(12_345n);
    }
  });

  describe('a transaction that nobody took', () => {
    let order: SendingOrder;
    let dead: Signed;
    beforeEach(async () => {
      order = stage.orderOf();
      dead = await stage.signed(sender, order);
      await stage.pass(dead.validUntil!);
    });

    test('is dead when solidified time has reached its expiration, and not before', async () => {
      expect(lab.server.chain.tip().timeMs).toBeGreaterThan(Number(dead.validUntil));
      expect((await outcomeOf(order, dead)).kind).toBe('unseen');
      await lab.mine(SOLID_BEHIND);
      expect(await outcomeOf(order, dead)).toEqual({ kind: 'expired' });
    });

    test('is not dead while one node that answers has not proven it', async () => {
      await lab.mine(SOLID_BEHIND);
      for (const behaviour of [
        // It knows no block from before the transaction was written: it was started from a
        // snapshot.
        {
          answer: (path: string, question: Readonly<Record<string, unknown>>) =>
            path === '/wallet/getblock' && question.id_or_num !== undefined ? {} : undefined,
        },
        // Its history is another chain's.
        {
          answer: (path: string, question: Readonly<Record<string, unknown>>, given: unknown) => {
            if (path !== '/wallet/getblock' || question.id_or_num === undefined) return undefined;
            const block = given as { blockID?: string };
            return block.blockID && { ...block, blockID: `${block.blockID.slice(0, 16)}${'ab'.repeat(24)}` };
          },
        },
        // Its solidified part lags.
        {
          answer: (path: string) =>
            path === '/walletsolidity/getblock' ? printed(lab.server.chain.block(5)!) : undefined,
        },
        { refuse: (path: string) => path.endsWith('infobyid') },
      ]) {
        second.behave(behaviour);
        expect((await outcomeOf(order, dead)).kind).toBe('unseen');
      }
    });

    test('is dead by the word of those that answer when another is away', async () => {
      await lab.mine(SOLID_BEHIND);
      second.behave({ status: 503 });
      expect(await outcomeOf(order, dead)).toEqual({ kind: 'expired' });
    });

    test('is signed again only when it is dead', async () => {
      await expect(sender.prepare(order, dead)).rejects.toMatchObject({ because: 'unclear' });
      await lab.mine(SOLID_BEHIND);
      const again = await stage.signed(sender, order, dead);
      expect(again.validUntil!).toBeGreaterThan(dead.validUntil!);
      expect(await outcomeOf(order, dead, again)).toEqual({ kind: 'unseen' });
      await expect(sender.prepare({ ...order, wallet: stage.deposit }, dead)).rejects.toThrow(
        'of another wallet',
      );
    });

    test('is proven dead long after, when the heights that it names have come again', async () => {
      const far = 65_536 * 3_000;
      expect(await outcomeOf(order)).toEqual({ kind: 'unseen' });
      // As many blocks as that are not made for a test: the node tells of heights that are that far
      // on.
      const { height, id, timeMs, parentId } = lab.server.chain.solid();
      const shifted = (at: number, name: string, ms: number, parent: string) => {
        const number = at + 65_536;
        const shiftedId = (hash: string, by: number) =>
          (number + by).toString(16).padStart(16, '0') + hash.slice(16);
        const raw_data = { number, timestamp: ms + far, parentHash: shiftedId(parent, -1) };
        return { blockID: shiftedId(name, 0), block_header: { raw_data } };
      };
      const answer: NodeBehaviour['answer'] = (path, question) => {
        if (!path.endsWith('getblock')) return undefined;
        if (question.id_or_num === undefined) return shifted(height, id, timeMs, parentId);
        const at = Number(question.id_or_num);
        if (at < 65_536) return undefined;
        const block = lab.server.chain.block(at - 65_536)!;
        return shifted(block.height, block.id, block.timeMs, block.parentId);
      };
      for (const node of [first, second]) node.behave({ answer });
      expect(await outcomeOf(order, dead)).toEqual({ kind: 'expired' });
    });
  });

  test('bytes that one node takes are accepted, and a refusal is told with its reason', async () => {
    const signed = await stage.signed(sender, stage.orderOf());
    const busy = {
      answer: (path: string) =>
        path.endsWith('hex') ? { code: 'SERVER_BUSY', message: '42757379' } : undefined,
    };
    first.behave(busy);
    expect(await sender.broadcast(signed.raw)).toEqual({ kind: 'accepted' });
    lab.server.chain.drop();
    second.behave(busy);
    expect(await sender.broadcast(signed.raw)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/node 1 .*SERVER_BUSY: Busy/),
    });
    for (const node of [first, second]) node.behave({ status: 503 });
    await expect(sender.broadcast(signed.raw)).rejects.toThrow(ChainUnavailable);
  });

  test('what one node alone says would be undone is unclear', async () => {
    // No node of it has failed before: the first one is asked first.
    const fresh = stage.open({ rpc: [first.url, second.url] });
    const order = stage.orderOf({ to: lab.contracts.router });
    second.behave({
      answer: (path, _question, given) =>
        path.endsWith('getaccount') ? { ...(given as object), type: 'Normal' } : undefined,
    });
    await expect(fresh.prepare(order, null)).rejects.toMatchObject({ because: 'unclear' });
    second.behave({});
    await expect(fresh.prepare(order, null)).rejects.toMatchObject({ because: 'undone' });
  });

  test('stored bytes of another transaction or wallet are damage', async () => {
    const order = stage.orderOf();
    const signed = await stage.signed(sender, order);
    const other = await stage.signed(sender, stage.orderOf({ nonce: 9n }));
    await expect(outcomeOf(order, { ...signed, txid: other.txid })).rejects.toThrow('of another transaction');
    await expect(outcomeOf({ ...order, wallet: stage.deposit }, signed)).rejects.toThrow(
      'of another transaction',
    );
    await expect(sender.prepare({ ...order, voids: true }, null)).rejects.toThrow('need not be used up');
  });

  test('balances as of an earlier block are what it was then, solidified or not', async () => {
    const assets = ['trx_tron', 'usdt_tron', 'usdc_tron'];
    const router = addressHex(lab.contracts.router)!;
    await lab.server.fund(router, 5n * TRX);
    const seen = new Map<number, ReadonlyMap<string, bigint>>();
    for (let block = 0; block < 6; block += 1) {
      for (const asset of assets) {
        const { raw } = await stage.signed(
          sender,
          stage.orderOf({ asset, units: 1_000n + BigInt(block), nonce: BigInt(block) }),
        );
        await sender.broadcast(raw);
      }
      await lab.payTrx(stage.wallet, 77n);
      await lab.payToken('usdt', stage.wallet, 78n);
      const args = [[stage.wallet], 79n];
      await lab.trigger(lab.contracts.router, { name: 'Router', method: 'pay', args, value: 79n });
      const height = await lab.mine();
      seen.set(height, (await sender.balances(stage.wallet, assets)).units);
    }
    for (const [height, units] of seen) {
      const then = await sender.balances(stage.wallet, assets, { height });
      expect([...then.units]).toEqual([...units]);
      expect(await sender.onChain(then.block)).toBe(true);
      expect(then.block.height).toBe(height);
    }
    const { height } = lab.server.chain.tip();
    await expect(sender.balances(stage.wallet, assets, { height: height + 1 })).rejects.toThrow(
      ChainUnavailable,
    );
  });

  test('a balance that something unknown changed since, or that is too old, is not told', async () => {
    const party = await lab.party();
    const height = await lab.mine();
    await lab.send(
      { type: 'FreezeBalanceV2Contract', value: { frozen_balance: 5_000_000, resource: 'ENERGY' } },
      party,
    );
    await lab.mine();
    const before = await sender.balances(party.address, ['trx_tron'], { height });
    expect(before.units.get('trx_tron')).toBe(10_000n * TRX);
    const strange = stage.open({ rpc: [first.url] });
    first.behave({
      answer: (path, _question, given) => {
        if (!path.endsWith('getblockbynum')) return undefined;
        return JSON.parse(
          JSON.stringify(given).replaceAll('FreezeBalanceV2Contract', 'WithdrawBalanceContract'),
        );
      },
    });
    await expect(strange.balances(party.address, ['trx_tron'], { height })).rejects.toThrow('is not clear');
    first.behave({});
    await lab.mine(610);
    await expect(sender.balances(party.address, ['trx_tron'], { height })).rejects.toThrow(
      'too old to be told',
    );
  });

  test('blocks that come faster than balances are read are waited out, but not for ever', async () => {
    let bumpFee = 2;
    const behaviour: NodeBehaviour = {
      answer: async (path) => {
        if (path.endsWith('getaccount') && bumpFee-- > 0) await lab.mine();
        return undefined;
      },
    };
    first.behave(behaviour);
    expect((await sender.balances(stage.wallet, ['trx_tron'])).block.height).toBe(
      lab.server.chain.tip().height,
    );
    bumpFee = 100;
    second.behave(behaviour);
    await expect(sender.balances(stage.wallet, ['trx_tron'])).rejects.toThrow('blocks came faster');
  });
});

function printed({
  height,
  id,
  timeMs,
  parentId,
}: {
  height: number;
  id: string;
  timeMs: number;
  parentId: string;
}) {
  return {
    blockID: id,
    block_header: { raw_data: { number: height, timestamp: timeMs, parentHash: parentId } },
  };
}
