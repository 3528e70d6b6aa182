/** What every signer makes of forwards: they reach its own cold address, or nobody. */
import { expect, test } from 'bun:test';
import { Transaction } from 'ethers';
import type { SigningOrder } from '../../../src/ports/sending/signer.ts';
import { type OrderChange, STRANGER } from '../../support/payouts/signing-world.ts';
import { changed, paymentOf } from '../../support/utxo/lone-orders.ts';
import type { SignerUnderTest } from './signer.ts';

const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';
const OTHER_COLD = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const FORWARD = { purpose: 'forward', to: COLD } as const;

/** The steps of the contract that these tests use (describeSigner). */
export interface SignerSteps {
  readonly it: () => SignerUnderTest;
  stored(change?: OrderChange): Promise<SigningOrder>;
  refusal(order: SigningOrder): Promise<{ readonly lasting: boolean; readonly message: string }>;
  underPolicy(content: unknown, work: () => Promise<void>): Promise<void>;
}

export function testForwards({ it, stored, refusal, underPolicy }: SignerSteps): void {
  const policy = { cold_addresses: { ethereum: COLD } };
  const sign = async (order: SigningOrder) => Transaction.from((await it().signer.sign(order)).raw);

  test('G11: a forward goes to the cold address of the policy, in any spelling, and to nobody else', async () => {
    await underPolicy(policy, async () => {
      expect((await sign(await stored(FORWARD))).from?.toLowerCase()).toBe(it().world.hot);
      const coin = await sign(await stored({ ...FORWARD, asset: 'eth_ethereum', to: COLD.toLowerCase() }));
      expect(coin.to).toBe(COLD);
      for (const to of [STRANGER, OTHER_COLD, it().world.hot, it().world.deposit(3)])
        expect((await refusal(await stored({ ...FORWARD, to }))).lasting).toBe(true);
      expect((await refusal(changed(await stored(FORWARD), { to: STRANGER }))).lasting).toBe(true);
    });
  });

  test('G11: without a cold address nothing is forwarded, and payouts are signed', async () => {
    expect((await refusal(await stored(FORWARD))).message).toContain('no cold address');
    await underPolicy({ cold_addresses: { bsc: COLD, usdc_ethereum: COLD } }, async () => {
      expect((await refusal(await stored(FORWARD))).lasting).toBe(true);
      await sign(await stored());
    });
  });

  test('G11: an asset has its own cold address before its chain’s, and the signer says which', async () => {
    const both = { cold_addresses: { ethereum: COLD, usdt_ethereum: OTHER_COLD } };
    await underPolicy(both, async () => {
      const asked = (asset: string) => it().signer.coldAddress({ chain: 'ethereum', asset });
      expect([await asked('usdt_ethereum'), await asked('eth_ethereum')]).toEqual([OTHER_COLD, COLD]);
      await refusal(await stored(FORWARD));
      await sign(await stored({ ...FORWARD, to: OTHER_COLD }));
    });
    expect(await it().signer.coldAddress({ chain: 'ethereum', asset: 'usdt_ethereum' })).toBeNull();
  });

  test('G11: a cold address that is none of its chain, or the hot wallet itself, allows nothing at all', async () => {
    for (const wrong of ['somewhere', `0x${'0'.repeat(40)}`, it().world.hot]) {
      await underPolicy({ cold_addresses: { ethereum: wrong } }, async () => {
        const error = await refusal(await stored());
        expect(error.lasting).toBe(false);
        expect(error.message).toContain('cold_addresses.ethereum');
        const asked = it().signer.coldAddress({ chain: 'ethereum', asset: 'usdt_ethereum' });
        expect(await asked.catch((reason: Error) => reason.message)).toContain('cold_addresses.ethereum');
      });
    }
  });

  test('G11: only the hot wallet forwards, and no payout or sweep is signed in the name of one', async () => {
    const key = { role: 'deposit', index: 7 } as const;
    await underPolicy(policy, async () => {
      await refusal(await stored({ ...FORWARD, key, wallet: it().world.deposit(7), nonce: 900n }));
      await refusal(await stored({ ...FORWARD, toKey: { role: 'hot' } }));
      await refusal(await stored({ ...FORWARD, delegates: 'energy' }));
      await refusal(await stored({ purpose: 'topup', asset: 'eth_ethereum', to: COLD }));
      await refusal(
        await stored({ purpose: 'sweep', to: COLD, key, wallet: it().world.deposit(7), nonce: 901n }),
      );
    });
  });

  test('G11: another amount is not signed under its nonce, and what moves nothing uses that up under any policy', async () => {
    const order = await stored(FORWARD);
    const { nonce } = order;
    await underPolicy(policy, async () => {
      await sign(order);
      await refusal(it().world.order({ ...FORWARD, nonce, units: 1_500_001n }));
      await refusal(it().world.order({ ...FORWARD, nonce, units: 1n }));
      const { payload } = it().world.order({ ...order, gasPrice: 30_000_000_000n });
      await sign({ ...order, payload });
    });
    const { transferId, referenceId } = paymentOf(order);
    const voided = await stored({ ...FORWARD, transferId, referenceId, nonce, voids: true });
    expect(await sign(voided)).toMatchObject({ value: 0n, nonce: Number(nonce) });
  });

  test('a purpose that the policy does not list is not forwarded, either', async () => {
    await underPolicy({ ...policy, purposes: ['payout'] }, async () => {
      await refusal(await stored(FORWARD));
      await sign(await stored());
    });
  });

  test('G11: forwards have a limit of a day of their own, and take nothing of the payouts’', async () => {
    const limits = { per_transaction: '2', per_day: '2', forward_per_day: '10' };
    const coins = (amount: bigint) => ({ asset: 'dai_ethereum', units: amount * 10n ** 18n });
    await underPolicy({ ...policy, assets: { dai_ethereum: limits } }, async () => {
      await sign(await stored({ ...FORWARD, ...coins(7n) }));
      await sign(await stored(coins(2n)));
      expect((await refusal(await stored(coins(1n)))).message).toContain('2 DAI');
      expect((await refusal(await stored({ ...FORWARD, ...coins(4n) }))).message).toContain('10 DAI');
      await sign(await stored({ ...FORWARD, ...coins(3n) }));
    });
  });
}
