/**
 * The contract of SweepRepository: one sweep per place, and no deposit is moved twice, or while it
 * must stay.
 */
import { describe, expect, test } from 'bun:test';
import type { Deposit } from '../../../src/domain/deposits/deposit.ts';
import type { Sweep } from '../../../src/domain/sweeps/sweep.ts';
import { sweepReason } from '../../../src/domain/sweeps/sweep-reason.ts';
import { aDeposit, aHash, anAddress, anId, anInvoice, NOW } from '../../support/builders.ts';
import { anOutgoing } from '../../support/payouts/outgoing-builders.ts';
import { aSweep } from '../../support/sweeps/a-sweep.ts';
import { type Opened, openedFor } from '../opened.ts';

export function describeSweepRepository(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: sweeps`, () => {
    const storage = openedFor(open);
    const plan = async (sweep: Sweep) => (await storage.run((r) => r.sweeps.planAll([sweep]))).length === 1;
    const save = (sweep: Sweep) => storage.run((r) => r.sweeps.save(sweep));
    const unitsOf = (found: ReadonlyMap<string, bigint>, { id }: Sweep) => found.get(id) ?? 0n;
    const cover = async (sweep: Sweep) => unitsOf(await storage.run((r) => r.sweeps.cover([sweep])), sweep);
    const coverable = async (sweep: Sweep) =>
      unitsOf(await storage.run((r) => r.sweeps.coverable([sweep])), sweep);
    const openAt = ({ chain, address }: Sweep) =>
      storage.run((r) => r.sweeps.openAt({ chain, addresses: [address] }));
    const failed = (sweep: Sweep): Sweep => ({
      ...sweep,
      ...{ status: 'failed', reason: sweepReason('too_dear'), endedAt: NOW },
    });
    /** Deposits at the sweep's place, with an invoice. */
    async function deposited(at: Sweep, ...given: readonly Partial<Deposit>[]): Promise<void> {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      const { chain, address, asset } = at;
      await storage.run(async (r) => {
        await r.invoices.insert(invoice);
        for (const each of given)
          await r.deposits.insertAll([
            aDeposit({
              merchantId,
              invoiceId: invoice.id,
              chain,
              address,
              asset,
              status: 'credited',
              ...each,
            }),
          ]);
      });
    }

    test('a place has one open sweep, and one that waits to begin becomes forced when an operator asks', async () => {
      const sweep = aSweep();
      const { address } = sweep;
      expect(await plan(sweep)).toBe(true);
      expect(await plan(aSweep({ address }))).toBe(false);
      expect(await plan(aSweep({ address, asset: 'usdc_ethereum' }))).toBe(true);
      expect(await plan(aSweep({ address, forced: true }))).toBe(true);
      expect(await plan(aSweep({ address, forced: true }))).toBe(false);
      expect(await storage.run((r) => r.sweeps.lock(sweep.id))).toEqual({ ...sweep, forced: true });
      const begun = anOutgoing({ purpose: 'sweep', referenceId: sweep.id });
      await storage.run((r) => r.outgoing.insert(begun));
      await save({ ...sweep, status: 'sweeping', units: 5n, transferId: begun.id });
      expect(await plan(aSweep({ address, forced: true }))).toBe(false);
      await save(failed(sweep));
      expect(await plan(aSweep({ address }))).toBe(true);
    });

    test('it moves what is credited, in a block and of its place, and nothing that another sweep moves', async () => {
      const sweep = aSweep();
      const arrived = { id: anId(), units: 100n, status: 'arrived' } as const;
      await deposited(
        sweep,
        { units: 1n },
        { units: 10n },
        arrived,
        { units: 100n, status: 'held' },
        { units: 100n, block: null },
        { units: 100n, asset: 'usdc_ethereum' },
        { units: 100n, address: anAddress() },
        { units: 100n, chain: 'base' },
      );
      await plan(sweep);
      expect(await coverable(sweep)).toBe(11n);
      expect(await cover(sweep)).toBe(11n);
      const other = aSweep({ address: sweep.address });
      expect([await coverable(other), await cover(other)]).toEqual([0n, 0n]);
      await deposited(sweep, { units: 1_000n });
      expect([await coverable(other), await coverable(sweep)]).toEqual([1_000n, 1_011n]);
      expect([await cover(sweep), await cover(sweep)]).toEqual([1_011n, 1_011n]);
      // A deposit that was not credited yet belongs to the next sweep.
      await storage.run(async (r) => {
        const deposit = await r.deposits.lock(arrived.id);
        await r.deposits.save({ ...deposit!, status: 'credited' });
      });
      expect(await coverable(other)).toBe(100n);
    });

    test('many are planned, locked, covered, saved and released together', async () => {
      const chain = `chain ${anId()}`;
      const [first, second, third] = [aSweep({ chain }), aSweep({ chain }), aSweep({ chain })];
      await deposited(first, { units: 1n }, { units: 10n });
      await deposited(second, { units: 100n });
      const planned = await storage.run((r) => r.sweeps.planAll([second, first]));
      expect(new Set(planned)).toEqual(new Set([first, second]));
      const again = [aSweep({ chain, address: first.address }), third];
      expect(await storage.run((r) => r.sweeps.planAll(again))).toEqual([third]);
      expect(await storage.run((r) => r.sweeps.planAll([]))).toEqual([]);
      const all = [first, second, third];
      const ids = all.map(({ id }) => id);
      expect(await storage.run((r) => r.sweeps.lockAll([...ids, anId()].toReversed()))).toEqual(all);
      const covered = new Map([
        [first.id, 11n],
        [second.id, 100n],
      ]);
      expect(await storage.run((r) => r.sweeps.coverable(all))).toEqual(covered);
      expect(await storage.run((r) => r.sweeps.cover(all))).toEqual(covered);
      expect(await coverable(aSweep({ chain, address: second.address }))).toBe(0n);
      await storage.run((r) => r.sweeps.uncover([second, third]));
      expect(await coverable(aSweep({ chain, address: first.address }))).toBe(0n);
      expect(await coverable(aSweep({ chain, address: second.address }))).toBe(100n);
      const changed = [failed(first), { ...second, reason: sweepReason('withheld') }];
      await storage.run((r) => r.sweeps.saveAll(changed));
      expect(await storage.run((r) => r.sweeps.lockAll(ids))).toEqual([...changed, third]);
      expect(storage.run((r) => r.sweeps.saveAll([aSweep()]))).rejects.toThrow();
    });

    test('what a sweep that failed was to move, or one let go, the next one moves', async () => {
      const sweep = aSweep();
      await deposited(sweep, { units: 7n });
      await plan(sweep);
      await cover(sweep);
      await save(failed(sweep));
      const next = aSweep({ address: sweep.address });
      await plan(next);
      expect(await cover(next)).toBe(7n);
      await storage.run((r) => r.sweeps.uncover([sweep]));
      expect(await coverable(aSweep({ address: sweep.address }))).toBe(0n);
      await storage.run((r) => r.sweeps.uncover([next]));
      expect(await coverable(aSweep({ address: sweep.address }))).toBe(7n);
    });

    test('nothing leaves an address with money that the risk check keeps, or that was rejected, or that is frozen', async () => {
      const withheld = (addresses: readonly string[], on = free.chain) =>
        storage.run((r) => r.sweeps.withheldAmong({ chain: on, addresses }));
      const places = Array.from({ length: 4 }, () => aSweep());
      const [free, held, rejected, frozen] = places as [Sweep, Sweep, Sweep, Sweep];
      await deposited(free, {}, { status: 'arrived' }, { status: 'confirming' });
      await deposited(held, {}, { status: 'held' });
      await deposited(rejected, {}, { status: 'rejected' });
      await deposited(frozen, {});
      const { chain, address } = frozen;
      await storage.run((r) => r.frozen.freeze({ chain, address, reason: 'a test', at: NOW }));
      const addresses = places.map((place) => place.address);
      expect(await withheld(addresses)).toEqual(new Set(addresses.slice(1)));
      expect(await withheld([free.address])).toEqual(new Set());
      // On another chain it is another address.
      expect(await withheld(addresses, 'base')).toEqual(new Set());
    });

    test('what is undecided at an address counts up to a height', async () => {
      const sweep = aSweep();
      const block = (height: number) => ({ height, hash: aHash() });
      await deposited(
        sweep,
        { units: 1n, status: 'confirming', block: block(10) },
        { units: 10n, status: 'arrived', block: block(11) },
        { units: 100n, status: 'credited', block: block(10) },
        { units: 1_000n, status: 'held', block: block(10) },
      );
      const other = aSweep();
      await deposited(other, { units: 7n, status: 'arrived', block: block(11) });
      const undecided = async (height: number) => {
        const { chain } = sweep;
        const addresses = [sweep.address, other.address];
        const found = await storage.run((r) => r.sweeps.undecidedUnits({ chain, addresses, height }));
        const of = ({ address, asset }: Sweep) =>
          found.find((row) => row.address === address && row.asset === asset)?.units ?? 0n;
        return [of(sweep), of(other)];
      };
      expect([await undecided(9), await undecided(10), await undecided(11)]).toEqual([
        [0n, 0n],
        [1_001n, 0n],
        [1_011n, 7n],
      ]);
    });

    test('ended sweeps are undone while their money, or energy, is on its way again; a top-up does not matter', async () => {
      const chain = `chain ${anId()}`;
      const done = { status: 'done', units: 1n, endedAt: NOW } as const;
      const sweeps = Array.from({ length: 5 }, () => aSweep({ chain, ...done }));
      const purposes = ['sweep', 'lend', 'reclaim', 'topup', 'sweep'] as const;
      const transfers = sweeps.map(({ id }, nth) => {
        const [status, purpose] = [nth === 0 ? 'signed' : 'allocated', purposes[nth]] as const;
        return anOutgoing({ chain, referenceId: id, purpose: purpose!, status, nonce: BigInt(nth) });
      });
      const [moved, lent, reclaimed, toppedUp, renewed] = transfers.map(({ id }) => id);
      // Of the last one, it is not the newest.
      const of = [
        { transferId: moved! },
        { delegationId: lent!, transferId: renewed! },
        { delegationId: renewed!, undelegationId: reclaimed!, transferId: renewed! },
        { topupId: toppedUp!, transferId: renewed! },
        { transferId: moved! },
      ];
      const ended = sweeps.map((sweep, nth) => ({ ...sweep, ...of[nth] }));
      await storage.run(async (r) => {
        for (const transfer of transfers) await r.outgoing.insert(transfer);
        await r.sweeps.planAll([2, 0, 4, 1, 3].map((nth) => ended[nth]!));
      });
      // The oldest first: where two are of one address, its transfer comes first, too.
      expect(await storage.run((r) => r.sweeps.undone(chain))).toEqual(ended.slice(0, 3));
    });

    test('open sweeps come in pages by id, and only those with a transfer on its way are active', async () => {
      const chain = `chain ${anId()}`;
      const transfer = anOutgoing({ chain, purpose: 'sweep' });
      const [planned, active, ended] = [aSweep({ chain }), aSweep({ chain }), aSweep({ chain })];
      const sweeping = { ...active, status: 'sweeping', units: 5n, transferId: transfer.id } as const;
      await storage.run(async (r) => {
        await r.outgoing.insert(transfer);
        await r.sweeps.planAll([ended, active, planned]);
        await r.sweeps.save(sweeping);
        await r.sweeps.save(failed(ended));
      });
      const page = (after: string, limit: number) =>
        storage.run((r) => r.sweeps.open(chain, { after, limit }));
      expect(await page('', 9)).toEqual([planned, sweeping]);
      expect(await page('', 1)).toEqual([planned]);
      expect(await page(planned.id, 9)).toEqual([sweeping]);
      expect(await storage.run((r) => r.sweeps.countActive(chain))).toBe(1);
      expect(await openAt(active)).toEqual([sweeping]);
      expect(await openAt(ended)).toEqual([]);
      const addresses = [active, planned, ended].map(({ address }) => address);
      expect(await storage.run((r) => r.sweeps.openAt({ chain, addresses }))).toEqual([planned, sweeping]);
    });

    test('money moved at an address last in the highest block of its own transfers, its gas and its energy', async () => {
      const chain = `chain ${anId()}`;
      const at = (height: number) => ({
        ...({ chain, status: 'confirmed', txid: aHash(), feeUnits: 1n } as const),
        block: { height, hash: aHash() },
      });
      const sweep = aSweep({ chain });
      const other = aSweep({ chain });
      const lastMoved = async () => {
        const addresses = [sweep.address, other.address, anAddress()];
        const found = await storage.run((r) => r.sweeps.lastMovedAt({ chain, addresses }));
        return [found.get(sweep.address), found.get(other.address), found.size];
      };
      const insert = async (transfer: ReturnType<typeof anOutgoing>): Promise<string> => {
        await storage.run((r) => r.outgoing.insert(transfer));
        return transfer.id;
      };
      await plan(sweep);
      expect(await lastMoved()).toEqual([undefined, undefined, 0]);
      await insert(anOutgoing({ wallet: other.address, purpose: 'sweep', ...at(9) }));
      await insert(anOutgoing({ wallet: sweep.address, purpose: 'sweep', ...at(5) }));
      await insert(anOutgoing({ wallet: sweep.address, purpose: 'sweep', ...at(50), chain: 'other' }));
      expect(await lastMoved()).toEqual([5, 9, 2]);
      const topupId = await insert(anOutgoing({ purpose: 'topup', ...at(6) }));
      const delegationId = await insert(anOutgoing({ purpose: 'lend', ...at(8) }));
      const undelegationId = await insert(anOutgoing({ purpose: 'reclaim', ...at(7) }));
      await save({ ...sweep, status: 'topping_up', topupId });
      expect(await lastMoved()).toEqual([6, 9, 2]);
      await save({ ...sweep, status: 'reclaiming', topupId, delegationId, undelegationId });
      expect(await lastMoved()).toEqual([8, 9, 2]);
    });
  });
}
