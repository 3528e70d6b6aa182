/**
 * The contract of TreasuryQueries about what wallets of ours should have after a block, by our
 * records: each transfer once, and each fee with who paid it.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import { aDeposit, aHash, anId, anInvoice, NOW } from '../../support/builders.ts';
import { anOutgoing } from '../../support/payouts/outgoing-builders.ts';
import { openedFor } from '../opened.ts';
import type { OpenedTreasury } from './treasury-queries.ts';

const [HOT, ADDRESS] = ['hot wallet', 'deposit address'];
const [USDC, SOL] = ['usdc_solana', 'sol_solana'];

export function describeWalletUnits(name: string, open: () => Promise<OpenedTreasury>): void {
  describe(`${name}: what wallets should have`, () => {
    const storage = openedFor(open);
    let sweepId: string;
    beforeAll(async () => {
      const merchant = await storage.merchant();
      const invoice = anInvoice({ merchantId: merchant.id });
      const block = (height: number) => ({ height, hash: aHash() });
      const mined = (height: number) => ({ txid: aHash(), block: block(height) });
      const sent = (given: Partial<OutgoingTransfer>) =>
        anOutgoing({ chain: 'solana', asset: USDC, ...given });
      const at = {
        merchantId: merchant.id,
        chain: 'solana',
        asset: USDC,
        address: ADDRESS,
        invoiceId: invoice.id,
      };
      // The hot wallet pays the fee of a sweep; it is the fee of the transfer all the same.
      const sweep = sent({
        ...{ wallet: ADDRESS, purpose: 'sweep', units: 60n, feeUnits: 5n, hotFeeUnits: 5n },
        ...{ status: 'confirmed', ...mined(6) },
      });
      sweepId = sweep.id;
      const transfers = [
        sweep,
        sent({
          ...{ wallet: 'another address', purpose: 'sweep', units: 500n, feeUnits: 1n, ...mined(6) },
          ...{ status: 'failed', failure: failureOf('reverted') },
        }),
        sent({ wallet: HOT, nonce: 1n, units: 20n, feeUnits: 3n, status: 'confirmed', ...mined(7) }),
        sent({
          ...{ wallet: HOT, nonce: 2n, units: 900n, feeUnits: 2n, ...mined(7) },
          ...{ status: 'failed', failure: failureOf('reverted') },
        }),
        sent({ wallet: HOT, nonce: 3n, units: 900n }),
        sent({ wallet: HOT, nonce: 4n, units: 900n, feeUnits: 9n, status: 'confirmed', ...mined(8) }),
      ];
      await storage.run(async (r) => {
        await r.invoices.insert(invoice);
        await r.deposits.insertAll([aDeposit({ ...at, units: 100n, status: 'credited', block: block(5) })]);
        await r.deposits.insertAll([aDeposit({ ...at, units: 7n, status: 'held', block: block(9) })]);
        await r.deposits.insertAll([aDeposit({ ...at, units: 7n, status: 'reversed', block: null })]);
        for (const transfer of transfers) await r.outgoing.insert(transfer);
        await r.capital.insert({
          ...{ id: anId(), chain: 'solana', asset: SOL, units: 1_000n, block: block(1) },
          ...{ note: 'a float', at: NOW, coin: null, address: null },
        });
        for (const [height, units] of [
          [10, -30n],
          [11, 4n],
        ] as const)
          await r.capital.insert({
            ...{ id: anId(), chain: 'solana', asset: USDC, units, block: block(height) },
            ...{ note: 'a lost sweep', at: NOW, coin: null, address: ADDRESS },
          });
      });
    });

    const place = (height: number, apart: readonly string[]) => ({
      ...{ chain: 'solana', nativeAsset: SOL, height, apart },
    });
    async function hotWallet(height: number, apart: readonly string[] = []) {
      const units = await storage
        .ports()
        .treasuryQueries.unitsOfHotWallet({ ...place(height, apart), wallet: HOT, pooled: false });
      return { [USDC]: units.get(USDC) ?? 0n, [SOL]: units.get(SOL) ?? 0n };
    }
    async function address(height: number, apart: readonly string[] = []) {
      const rows = await storage
        .ports()
        .treasuryQueries.unitsOfAddresses({ ...place(height, apart), addresses: [ADDRESS] });
      const units = new Map(rows.map((row) => [row.asset, row.units]));
      return { [USDC]: units.get(USDC) ?? 0n, [SOL]: units.get(SOL) ?? 0n };
    }

    test('follows the blocks: a sweep brings its units, and costs the hot wallet what it paid for it', async () => {
      expect(await hotWallet(5)).toEqual({ [USDC]: 0n, [SOL]: 1_000n });
      expect(await hotWallet(6)).toEqual({ [USDC]: 60n, [SOL]: 995n });
      expect(await address(5)).toEqual({ [USDC]: 100n, [SOL]: 0n });
      expect(await address(6)).toEqual({ [USDC]: 40n, [SOL]: 0n });
      expect(await address(9)).toEqual({ [USDC]: 47n, [SOL]: 0n });
    });

    test('loses what a payout moved and the fee of one without effect, and not what is on its way', async () => {
      expect(await hotWallet(7)).toEqual({ [USDC]: 40n, [SOL]: 990n });
      expect(await hotWallet(8)).toEqual({ [USDC]: -860n, [SOL]: 981n });
    });

    test('has what was booked at an address there, as of the block of each booking, and not at the hot wallet', async () => {
      expect([await address(10), await address(11)]).toMatchObject([{ [USDC]: 17n }, { [USDC]: 21n }]);
      expect([await hotWallet(9), await hotWallet(11)]).toMatchObject([{ [USDC]: -860n }, { [USDC]: -860n }]);
      await storage.run(async ({ capital }) => {
        const booked = await capital.unitsOfAddresses({ ...place(10, []), addresses: [ADDRESS] });
        expect(booked).toContainEqual({ address: ADDRESS, asset: USDC, units: 17n });
        const of = { chain: 'solana', asset: USDC, address: ADDRESS };
        const other = { ...of, asset: SOL };
        const hot = { ...other, address: null };
        expect([await capital.lastHeight(of), await capital.lastHeight(other)]).toEqual([11, null]);
        expect(await capital.lastHeight(hot)).toBe(1);
        // -30 and then 4: neither 4 nor 27 takes a booking back, and 30 were more than is left.
        for (const [units, takesBack] of [
          [26n, true],
          [30n, false],
          [4n, false],
          [25n, false],
          [27n, false],
        ] as const)
          expect([units, await capital.takesBack({ ...of, units })]).toEqual([units, takesBack]);
        await capital.insert({
          ...{ ...of, id: anId(), units: -5n, block: { height: 12, hash: aHash() } },
          ...{ note: '', at: NOW, coin: null },
        });
        for (const units of [5n, 30n, 31n]) expect(await capital.takesBack({ ...of, units })).toBe(true);
        expect(await capital.takesBack({ ...of, units: 26n })).toBe(false);
        expect(await capital.takesBack({ ...other, units: 1n })).toBe(false);
      });
    });

    test('takes one booking of an asset and a block at each place', async () => {
      const chain = `chain ${anId()}`;
      const booking = (address: string | null) => ({
        ...{ id: anId(), chain, asset: USDC, units: 5n, block: { height: 3, hash: aHash() } },
        ...{ note: '', at: NOW, coin: null, address },
      });
      const [hot, there] = [booking(null), booking(ADDRESS)];
      await storage.run(({ capital }) => capital.insert(hot));
      for (const more of [there, { ...there, id: anId(), address: 'another address' }])
        await storage.run(({ capital }) => capital.insert(more));
      for (const again of [hot, there])
        await expect(
          storage.run(({ capital }) => capital.insert({ ...again, id: anId() })),
        ).rejects.toMatchObject({ sqlState: '23505' });
    });

    test('leaves out what is counted apart, on both sides', async () => {
      expect(await hotWallet(7, [sweepId])).toEqual({ [USDC]: -20n, [SOL]: 995n });
      expect(await address(7, [sweepId])).toEqual({ [USDC]: 100n, [SOL]: 0n });
    });
  });
}
