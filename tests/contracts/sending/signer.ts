/** The contract of every signer, in this process or behind a socket. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Transaction } from 'ethers';
import { type Signer, type SigningOrder, SigningRefused } from '../../../src/ports/sending/signer.ts';
import { type OrderChange, type SigningWorld, STRANGER } from '../../support/payouts/signing-world.ts';
import { type Change, changed, paymentOf } from '../../support/utxo/lone-orders.ts';
import { testForwards } from './signer-forwards.ts';

export interface SignerUnderTest {
  readonly world: SigningWorld;
  readonly signer: Signer;
  /** Stores the database's records of an order, for the signer to read. */
  store(order: SigningOrder): Promise<void>;
  close(): Promise<void>;
}

export function describeSigner(name: string, open: () => Promise<SignerUnderTest>): void {
  describe(`signer: ${name}`, () => {
    let it: SignerUnderTest;
    beforeAll(async () => {
      it = await open();
    }, 60_000);
    afterAll(() => it.close());

    async function stored(change: OrderChange = {}): Promise<SigningOrder> {
      const order = it.world.order(change);
      await it.store(order);
      return order;
    }
    const sign = async (order: SigningOrder) => {
      const { raw, txid } = await it.signer.sign(order);
      const read = Transaction.from(raw);
      expect(read.hash).toBe(txid);
      return read;
    };
    /** The refusal, which never repeats the payload. */
    async function refusal(order: SigningOrder): Promise<SigningRefused> {
      const lines = (await it.world.log()).lines;
      const error = await it.signer.sign(order).then(
        () => null,
        (reason: unknown) => reason,
      );
      if (!(error instanceof SigningRefused)) throw new Error(`not refused: ${String(error)}`);
      expect(error.message).toMatch(/\w/);
      expect(error.message).not.toContain(order.payload.slice(2, 40));
      expect((await it.world.log()).lines).toBe(lines);
      return error;
    }
    const underPolicy = async (content: unknown, work: () => Promise<void>): Promise<void> => {
      await it.world.policy(content);
      try {
        await work();
      } finally {
        await it.world.policy({});
      }
    };

    test('a native payout is signed by the hot wallet as ordered', async () => {
      const order = await stored({ asset: 'eth_ethereum', units: 10n ** 18n });
      const read = await sign(order);
      expect(read.from?.toLowerCase()).toBe(it.world.hot);
      expect(read).toMatchObject({
        to: STRANGER,
        value: 10n ** 18n,
        data: '0x',
        chainId: 1n,
        nonce: Number(order.nonce),
      });
    });

    test('a token payout is signed', async () => {
      const read = await sign(await stored());
      expect(read.from?.toLowerCase()).toBe(it.world.hot);
      expect(read.value).toBe(0n);
    });

    test('a sweep is signed by its deposit address, and goes to the hot wallet only', async () => {
      const { hot, deposit } = it.world;
      const sweep = { purpose: 'sweep', key: { role: 'deposit', index: 7 }, wallet: deposit(7) } as const;
      const read = await sign(await stored({ ...sweep, to: hot, nonce: 0n }));
      expect(read.from?.toLowerCase()).toBe(deposit(7));
      await refusal(await stored({ ...sweep, to: STRANGER, nonce: 1n }));
      await refusal(await stored({ ...sweep, to: deposit(8), nonce: 2n }));
    });

    test('a top-up goes to a deposit address that is derived, in the native coin only', async () => {
      const { deposit } = it.world;
      const topup = {
        purpose: 'topup',
        asset: 'eth_ethereum',
        units: 5n,
        to: deposit(9),
        toKey: { role: 'deposit', index: 9 },
      } as const;
      expect((await sign(await stored(topup))).to?.toLowerCase()).toBe(deposit(9));
      await refusal(await stored({ ...topup, to: STRANGER }));
      await refusal(await stored({ ...topup, toKey: { role: 'deposit', index: 8 } }));
      await refusal(await stored({ ...topup, toKey: null }));
      await refusal(await stored({ ...topup, asset: 'usdt_ethereum' }));
    });

    test('nothing is lent where the chain knows no loans, and nothing is paid in the name of one', async () => {
      const to = { to: it.world.deposit(9), toKey: { role: 'deposit', index: 9 } } as const;
      const coin = { asset: 'eth_ethereum', units: 5n, ...to } as const;
      await refusal(await stored({ ...coin, purpose: 'lend', delegates: 'energy' }));
      await refusal(await stored({ ...coin, purpose: 'lend' }));
      await refusal(await stored({ ...coin, purpose: 'reclaim', delegates: 'energy' }));
      await refusal(await stored({ ...coin, purpose: 'topup', delegates: 'energy' }));
      await refusal(await stored({ delegates: 'energy' }));
    });

    test('a transfer is made void by a transaction to the wallet itself, before or after it was signed', async () => {
      const paid = await stored();
      await sign(paid);
      for (const about of [paid, it.world.order()]) {
        const { nonce } = about;
        const { transferId, referenceId } = paymentOf(about);
        const read = await sign(await stored({ transferId, referenceId, nonce, voids: true }));
        expect(read).toMatchObject({ value: 0n, data: '0x', nonce: Number(nonce) });
        expect(read.to?.toLowerCase()).toBe(it.world.hot);
      }
    });

    test('the same order gives the same bytes and one line of the log', async () => {
      const order = await stored();
      const first = await it.signer.sign(order);
      const { signed } = await it.world.log();
      expect(await it.signer.sign(order)).toEqual(first);
      expect((await it.world.log()).signed).toBe(signed);
      expect((await it.world.logText()).trimEnd().split('\n').at(-1)).toContain(first.txid);
    });

    test('a replacement with higher fees is signed under the same nonce', async () => {
      const order = await stored();
      const first = await it.signer.sign(order);
      const { payload } = it.world.order({ ...order, gasPrice: 30_000_000_000n });
      const second = await it.signer.sign({ ...order, payload });
      expect(second.txid).not.toBe(first.txid);
    });

    test.each([
      ['wallet', (): Change<SigningOrder> => ({ wallet: it.world.deposit(1) })],
      ['key', (): Change<SigningOrder> => ({ key: { role: 'deposit', index: 1 } })],
      ['nonce', (): Change<SigningOrder> => ({ nonce: 999_999n })],
      ['chain and asset', (): Change<SigningOrder> => ({ chain: 'bsc', asset: 'usdt_bsc' })],
      ['asset', (): Change<SigningOrder> => ({ asset: 'usdc_ethereum' })],
      ['recipient', (): Change<SigningOrder> => ({ to: it.world.deposit(2) })],
      ['amount', (): Change<SigningOrder> => ({ units: 1_500_001n })],
      ['purpose', (): Change<SigningOrder> => ({ purpose: 'sweep' })],
      ['voids', (): Change<SigningOrder> => ({ voids: true })],
      ['payload', (): Change<SigningOrder> => ({ payload: '0x02c0' })],
    ])('an order whose %s is altered is refused for good', async (_, change) => {
      const order = changed(await stored(), change());
      expect((await refusal(order)).lasting).toBe(true);
    });

    test('an order of an asset that the signer does not know on that chain is refused as long as its catalog says so', async () => {
      const order = changed(await stored(), { chain: 'bsc' });
      expect((await refusal(order)).lasting).toBe(false);
    });

    test('a nonce that was signed is never signed for another recipient, asset, amount or transfer', async () => {
      const first = await stored();
      await sign(first);
      const { transferId, referenceId } = paymentOf(first);
      const same = { nonce: first.nonce, transferId, referenceId };
      for (const other of [
        { ...same, to: it.world.deposit(3) },
        { ...same, asset: 'usdc_ethereum' },
        { ...same, units: 1n },
        { ...same, referenceId: 'f'.repeat(24) },
        { ...same, transferId: 'f'.repeat(24) },
      ])
        await refusal(it.world.order(other));
    });

    test('a payout is not signed under a second nonce unless the policy lists it', async () => {
      const first = await stored();
      await sign(first);
      const { referenceId } = paymentOf(first);
      const again = await stored({ referenceId });
      expect((await refusal(again)).message).toContain('another nonce');
      await underPolicy({ resign: [referenceId] }, async () => {
        await sign(again);
      });
      // A signed payout may still be replaced after the list is empty again.
      await sign({ ...again, payload: it.world.order({ ...again, gasPrice: 40_000_000_000n }).payload });
    });

    test('a payout whose first nonce was only ever made void is signed under another one', async () => {
      const given = await stored({ voids: true });
      await sign(given);
      await sign(await stored({ referenceId: paymentOf(given).referenceId }));
    });

    test('halt refuses everything at once, in passing', async () => {
      const order = await stored();
      await underPolicy({ halt: true }, async () => {
        expect((await refusal(order)).lasting).toBe(false);
        expect((await refusal(await stored({ voids: true }))).lasting).toBe(false);
      });
      await sign(order);
    });

    test('a policy with a fault allows nothing until it is right again', async () => {
      const order = await stored();
      await underPolicy({ assets: { usdt_ethereum: { per_day: 5 } } }, async () => {
        const error = await refusal(order);
        expect(error.lasting).toBe(false);
        expect(error.message).toContain('assets.usdt_ethereum.per_day');
      });
      await underPolicy('{"halt": ', async () => {
        expect((await refusal(order)).lasting).toBe(false);
      });
      await sign(order);
    });

    test('a transaction may move as much as the policy says and no unit more', async () => {
      await underPolicy({ assets: { usdt_ethereum: { per_transaction: '1.5' } } }, async () => {
        await sign(await stored());
        expect((await refusal(await stored({ units: 1_500_001n }))).message).toContain('1.5 USDT');
        await sign(await stored({ units: 1_500_001n, voids: true }));
        await sign(await stored({ asset: 'usdc_ethereum', units: 10n ** 12n }));
      });
    });

    test('G5: a fee over the ceiling is refused in passing, and the payment is named', async () => {
      // 90,000 gas at 20 gwei
      await underPolicy({ chains: { ethereum: { max_fee: '0.0018' } } }, async () => {
        await sign(await stored());
        const order = await stored({ gasPrice: 20_000_000_001n });
        const { transferId } = paymentOf(order);
        expect(await refusal(order)).toMatchObject({
          ...{ lasting: false, transferId, because: 'fee' },
          message: expect.stringContaining('0.0018 ETH'),
        });
      });
    });

    test('a purpose that the policy does not list is refused', async () => {
      await underPolicy({ purposes: ['sweep', 'topup'] }, async () => {
        expect((await refusal(await stored())).message).toContain('payout');
      });
    });

    testForwards({ it: () => it, stored, refusal, underPolicy });

    test('orders at the same time are all signed, and their lines form one chain', async () => {
      const before = (await it.world.log()).signed;
      const orders = await Promise.all(Array.from({ length: 20 }, () => stored()));
      const signed = await Promise.all(orders.map((order) => it.signer.sign(order)));
      expect(new Set(signed.map(({ txid }) => txid)).size).toBe(20);
      expect(await it.world.log()).toMatchObject({ signed: before + 20, broken: null, tornBytes: 0 });
    });

    test('two orders at the same time for one sequence: one is signed', async () => {
      const first = await stored();
      const second = it.world.order({ ...first, to: it.world.deposit(4) });
      const other = changed(second, { referenceId: 'e'.repeat(24) });
      const ends = await Promise.allSettled([it.signer.sign(first), it.signer.sign(other)]);
      expect(ends.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    });
  });
}
