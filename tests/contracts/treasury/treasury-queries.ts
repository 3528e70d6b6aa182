/**
 * The contract of TreasuryQueries: what deposit addresses hold, what sweeps may collect and what
 * waits, in pages and orders that are the same everywhere. Each test has a chain of its own.
 */
import { describe, expect, test } from 'bun:test';
import type { Deposit } from '../../../src/domain/deposits/deposit.ts';
import type { Sweep } from '../../../src/domain/sweeps/sweep.ts';
import { sweepReason } from '../../../src/domain/sweeps/sweep-reason.ts';
import type { Repositories } from '../../../src/ports/repositories.ts';
import type { TreasuryQueries } from '../../../src/ports/treasury/treasury-queries.ts';
import { aDeposit, aHash, anId, anInvoice, anIssuedAddress, NOW } from '../../support/builders.ts';
import { aUtxo } from '../../support/chains/utxo-builders.ts';
import { anOutgoing } from '../../support/payouts/outgoing-builders.ts';
import { type Opened, openedFor, type Storage } from '../opened.ts';

export interface OpenedTreasury extends Opened {
  readonly treasuryQueries: TreasuryQueries;
}

const block = (height: number) => ({ height, hash: aHash() });
const [USDT, USDC] = ['usdt', 'usdc'] as const;
/** From the first to the last in the order of the database, which is not that of a dictionary. */
const [A, B, C, D] = ['B-1', 'a-2', 'b-3', 'é-4'] as const;

/** Makes credited deposits of one unit of USDT, unless said otherwise. */
export const depositsIn =
  (storage: Storage<Opened>) =>
  async (chain: string, ...given: readonly Partial<Deposit>[]): Promise<void> => {
    const { id: merchantId } = await storage.merchant();
    const invoice = anInvoice({ merchantId });
    const at = { merchantId, invoiceId: invoice.id, chain, asset: USDT, units: 1n };
    await storage.run(async (r) => {
      await r.invoices.insert(invoice);
      for (const each of given)
        await r.deposits.insertAll([aDeposit({ ...at, status: 'credited', ...each })]);
    });
  };

export function describeTreasuryQueries(name: string, open: () => Promise<OpenedTreasury>): void {
  describe(`${name}: treasury queries`, () => {
    const storage = openedFor(open);
    const treasury = () => storage.ports().treasuryQueries;
    const aChain = () => `chain ${anId()}`;
    const aSweep = (given: Partial<Sweep>): Sweep => ({
      ...{ id: anId(), chain: 'ethereum', address: A, asset: USDT, status: 'planned', forced: false },
      ...{ units: null, topupId: null, delegationId: null, transferId: null, undelegationId: null },
      ...{ reason: null, createdAt: NOW, endedAt: null },
      ...given,
    });
    const failed = { status: 'failed', reason: sweepReason('operator'), endedAt: NOW } as const;

    const deposited = depositsIn(storage);
    /** A sweep that took what can be taken at its place. */
    const covered = async (r: Repositories, sweep: Sweep): Promise<void> => {
      await r.sweeps.planAll([sweep]);
      await r.sweeps.cover([sweep]);
    };

    test('what can be swept is credited, mined, and at an address that nothing holds back; in pages of addresses', async () => {
      const chain = aChain();
      await deposited(
        chain,
        { address: B, asset: USDC, units: 5n },
        { address: B, units: 10n },
        { address: B, units: 1n, status: 'arrived' },
        { address: B, units: 2n, block: null },
        { address: A, units: 100n },
        { address: A, units: 100n },
        { address: C, status: 'held' },
        { address: C },
        { address: D },
        { address: 'gone', status: 'dropped', block: null },
      );
      const page = (after: string, limit: number, onDemand = false) =>
        treasury().sweepable(chain, { after, limit, onDemand });
      const [atA, atD] = [A, D].map((address) => ({
        address,
        asset: USDT,
        units: address === A ? 200n : 1n,
      }));
      const atB = [
        { address: B, asset: USDC, units: 5n },
        { address: B, asset: USDT, units: 10n },
      ];
      expect(await page('', 9)).toEqual({ rows: [atA!, ...atB, atD!], last: null });
      expect(await page('', 2)).toEqual({ rows: [atA!, ...atB], last: B });
      // An address without anything to sweep takes its place in a page.
      expect(await page(B, 1)).toEqual({ rows: [], last: C });
      expect(await page(C, 1)).toEqual({ rows: [atD!], last: D });
      expect(await page(D, 1)).toEqual({ rows: [], last: null });
      await storage.run(async (r) => {
        await r.sweeps.planAll([aSweep({ chain, address: B })]);
        await r.frozen.freeze({ chain, address: D, reason: 'a test', at: NOW });
      });
      expect((await page('', 9)).rows).toEqual([atA!, atB[0]!]);
      expect((await page('', 9, true)).rows).toEqual([atA!, ...atB]);
      const unknown = await treasury().sweepable(aChain(), { after: '', limit: 9, onDemand: true });
      expect(unknown).toEqual({ rows: [], last: null });
    });

    test('what a failed sweep left behind is swept on demand only, and what another took is not', async () => {
      const chain = aChain();
      await deposited(chain, { address: A, units: 7n }, { address: B, units: 8n });
      const [left, taken] = [A, B].map((address) => aSweep({ chain, address }));
      await storage.run(async (r) => {
        for (const sweep of [left!, taken!]) await covered(r, sweep);
        await r.sweeps.save({ ...left!, ...failed });
      });
      const page = (onDemand: boolean) => treasury().sweepable(chain, { after: '', limit: 9, onDemand });
      expect(await page(false)).toEqual({ rows: [], last: null });
      expect((await page(true)).rows).toEqual([{ address: A, asset: USDT, units: 7n }]);
    });

    test('addresses come in pages: those that ever had a deposit, all of a family, and those of them without any', async () => {
      const chain = aChain();
      const family = `family${anId().slice(-6)}`;
      await deposited(
        chain,
        { address: C, status: 'reversed', block: null },
        { address: A },
        { address: A, sandbox: true },
      );
      await deposited(aChain(), { address: B });
      const { id: merchantId } = await storage.merchant();
      await storage.run(async (r) => {
        for (const address of [D, B, C, A]) {
          const invoice = anInvoice({ merchantId });
          await r.invoices.insert(invoice);
          await r.addresses.insert(
            anIssuedAddress({ merchantId, invoiceId: invoice.id, family: family as 'evm', address }),
          );
        }
      });
      expect(await treasury().depositAddresses(chain, { after: '', limit: 9 })).toEqual([A, C]);
      expect(await treasury().depositAddresses(chain, { after: A, limit: 1 })).toEqual([C]);
      const of = { chain, family };
      expect(await treasury().issuedAddresses(of, { after: '', limit: 9 })).toEqual([A, B, C, D]);
      expect(await treasury().issuedAddresses(of, { after: A, limit: 2 })).toEqual([B, C]);
      expect(await treasury().unpaidAddresses(of, { after: '', limit: 9 })).toEqual([B, D]);
      expect(await treasury().unpaidAddresses(of, { after: '', limit: 1 })).toEqual([B]);
      expect(await treasury().unpaidAddresses({ chain, family: 'none' }, { after: '', limit: 9 })).toEqual(
        [],
      );
    });

    test('money at addresses is sweepable or undecided, and none that a sweep took or that is gone', async () => {
      const chain = aChain();
      await deposited(chain, { address: D, units: 1_000n });
      await storage.run((r) => covered(r, aSweep({ chain, address: D })));
      await deposited(
        chain,
        { units: 1n },
        { units: 10n, status: 'arrived' },
        { units: 20n, status: 'held' },
        { units: 30n, block: null },
        { units: 40n, status: 'reversed', block: null },
        { units: 5n, asset: USDC, sandbox: true },
      );
      expect(await treasury().atDepositAddresses(chain)).toEqual([
        { asset: USDC, sweepableUnits: 5n, undecidedUnits: 0n },
        { asset: USDT, sweepableUnits: 1n, undecidedUnits: 60n },
      ]);
    });

    test('pieces below a bound are addresses with their sum, or single free coins', async () => {
      const chain = aChain();
      await deposited(
        chain,
        { address: A, units: 6n },
        { address: A, units: 4n },
        { address: B, units: 9n },
        { address: C, units: 3n },
        { address: C, units: 90n, status: 'arrived' },
        { address: D, units: 1n, sandbox: true },
        { address: B, units: 2n, asset: USDC },
      );
      const coins = [3n, 5n, 10n].map((units) => aUtxo({ units, key: { role: 'change', index: 1 } }));
      const unmined = aUtxo({ units: 1n, key: { role: 'change', index: 1 } });
      await storage.run(async (r) => {
        await r.utxos.insert(chain, [unmined]);
        for (const coin of coins) await r.utxos.insertChange(chain, coin, block(5));
        await r.utxos.doubt(chain, [coins[0]!], true);
      });
      const of = (utxos: boolean, ...least: readonly [string, bigint][]) =>
        treasury().belowCost({ chain, utxos, least: new Map(least) });
      expect(await of(false, [USDT, 10n])).toEqual([{ asset: USDT, count: 2, units: 12n }]);
      expect(await of(false, [USDT, 11n], [USDC, 3n])).toEqual([
        { asset: USDC, count: 1, units: 2n },
        { asset: USDT, count: 3, units: 22n },
      ]);
      expect(await of(false, [USDT, 1n])).toEqual([]);
      expect(await of(false)).toEqual([]);
      expect(await of(true, ['btc', 10n])).toEqual([{ asset: 'btc', count: 1, units: 5n }]);
      expect(await of(true, ['btc', 11n])).toEqual([{ asset: 'btc', count: 2, units: 15n }]);
    });

    test('sweeps to look at are open, failed with money left, or ended with a transfer that is open again', async () => {
      const chain = aChain();
      await deposited(chain, { address: A }, { address: B });
      const [left, empty, reopened, open, done] = [A, C, D, B, B].map((address, nth) =>
        aSweep({ chain, address, asset: nth === 4 ? USDC : USDT }),
      );
      await storage.run(async (r) => {
        for (const sweep of [left!, empty!, reopened!, open!]) await covered(r, sweep);
        for (const sweep of [left!, empty!]) await r.sweeps.save({ ...sweep, ...failed });
      });
      const transfer = anOutgoing({ chain, purpose: 'sweep', referenceId: reopened!.id });
      const ended = { status: 'done', units: 1n, transferId: transfer.id, endedAt: NOW } as const;
      await storage.run(async (r) => {
        await r.outgoing.insert(transfer);
        await r.sweeps.save({ ...reopened!, ...ended });
        await r.sweeps.planAll([{ ...done!, ...ended }]);
      });
      const looked = [open!, { ...reopened!, ...ended }, { ...left!, ...failed }];
      expect(await treasury().sweepsToLookAt(chain, 9)).toEqual(looked);
      expect(await treasury().sweepsToLookAt(chain, 2)).toEqual(looked.slice(0, 2));
      expect(await storage.run((r) => r.sweeps.undone(chain))).toEqual([{ ...reopened!, ...ended }]);
    });
  });
}
