/**
 * What the audit log keeps of each subject, by the look-ups of the repositories. They take no lock:
 * each is read while another transaction holds its row, where there can be two at once.
 */
import { describe, expect, test } from 'bun:test';
import { snapshotOf } from '../../../src/app/audit/snapshots.ts';
import type { AuditSubject } from '../../../src/domain/audit/audit-entry.ts';
import { NEW_LINK } from '../../../src/domain/links/payment-link.ts';
import { NO_BRAND } from '../../../src/domain/merchants/brand.ts';
import { heldFor } from '../../../src/domain/payouts/held.ts';
import type { RefundClaim } from '../../../src/domain/payouts/refund-claim.ts';
import type { Sweep } from '../../../src/domain/sweeps/sweep.ts';
import type { WrittenLink } from '../../../src/ports/links/payment-link-repository.ts';
import type { Repositories } from '../../../src/ports/repositories.ts';
import {
  aDeposit,
  aHash,
  aKey,
  anAddress,
  anId,
  anInvoice,
  aPayout,
  aPermanentAddress,
  NOW,
  secondsAfter,
} from '../../support/builders.ts';
import { anOutgoing, aSigned } from '../../support/payouts/outgoing-builders.ts';
import { type Opened, openedFor } from '../opened.ts';

const SECRET = 'sealed-and-never-to-be-logged';

export function describeSnapshots(
  name: string,
  open: () => Promise<Opened>,
  { transactions }: { readonly transactions: 'at once' | 'one after the other' },
): void {
  describe(`${name}: snapshots for the audit log`, () => {
    const storage = openedFor(open);
    const snapshot = (subject: AuditSubject, subjectId: string | null) =>
      storage.run((r) => snapshotOf(r, { subject, subjectId }));

    /** While `lock` holds what it locks in a transaction of its own. */
    async function whileLocked<T>(
      lock: (r: Repositories) => Promise<unknown>,
      work: () => Promise<T>,
    ): Promise<T> {
      if (transactions === 'one after the other') return work();
      return storage.run(async (r) => {
        await lock(r);
        return work();
      });
    }

    test('of keys and secrets it has the times, and nothing of them', async () => {
      const { id } = await storage.merchant();
      expect(await snapshot('api_key', id)).toBeNull();
      expect(await snapshot('webhook_secret', id)).toBeNull();
      const put = (environment: 'live' | 'sandbox', seconds: number, until: Date | null) =>
        storage.run(async ({ merchants, webhookSecrets }) => {
          const secret = { merchantId: id, environment, sealed: `${SECRET} ${anId()}` } as const;
          const createdAt = secondsAfter(seconds);
          await merchants.putKey(aKey({ ...secret, createdAt }), until);
          await webhookSecrets.put({ ...secret, createdAt }, until);
        });
      await put('live', 0, null);
      await put('live', 60, secondsAfter(600));
      await put('sandbox', 120, null);
      const facts = {
        live: { since: secondsAfter(60).toISOString(), older_until: secondsAfter(600).toISOString() },
        sandbox: { since: secondsAfter(120).toISOString(), older_until: null },
      };
      const found = await whileLocked(
        (r) => r.merchants.lock(id),
        () => Promise.all([snapshot('api_key', id), snapshot('webhook_secret', id)]),
      );
      expect(found).toEqual([
        { merchantId: id, facts },
        { merchantId: id, facts },
      ]);
    });

    test('of a merchant, its brand and its links it has the settings, pictures as digests', async () => {
      const { id } = await storage.merchant({ name: 'Corner shop' });
      const logo = { type: 'image/png', bytes: new Uint8Array([1, 2, 3]) } as const;
      await storage.run(({ brands }) => brands.put(id, { ...NO_BRAND, accent: '#0a7d4f', logo }));
      const link: WrittenLink = {
        ...{
          ...NEW_LINK,
          id: anId(),
          slug: `plan-${anId()}`,
          merchantId: id,
          sandbox: false,
          mode: 'payment',
        },
        ...{ title: 'Plan', fiatCurrency: 'USD', createdAt: NOW, updatedAt: NOW, amountMicros: 25_000_000n },
      };
      await storage.run(({ paymentLinks }) => paymentLinks.insertIfAbsent(link));
      const till: WrittenLink = { ...link, id: anId(), slug: 'the-secret-of-a-till', mode: 'point_of_sale' };
      await storage.run(({ paymentLinks }) => paymentLinks.insertIfAbsent({ ...till, amountMicros: null }));
      const digest = new Bun.CryptoHasher('sha256').update(logo.bytes).digest('hex');
      await whileLocked(
        async (r) => {
          await r.merchants.lock(id);
          await r.brands.lock(id);
          await r.paymentLinks.lock({ merchantId: id, sandbox: false }, link.id);
        },
        async () => {
          expect(await snapshot('merchant', id)).toMatchObject({
            merchantId: id,
            facts: { name: 'Corner shop' },
          });
          expect(await snapshot('brand', id)).toMatchObject({
            ...{ merchantId: id, facts: { name: 'Corner shop', accent: '#0a7d4f', logo_sha256: digest } },
          });
          expect(await snapshot('link', link.id)).toMatchObject({
            ...{ merchantId: id, facts: { slug: link.slug, amount_micros: '25000000', active: true } },
          });
        },
      );
      expect(JSON.stringify(await snapshot('link', till.id))).not.toContain(till.slug);
    });

    test('of invoices, deposits and addresses it has status and amounts', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      const deposit = aDeposit({ merchantId, invoiceId: invoice.id, units: 12_345_678n, note: 'why' });
      const permanent = aPermanentAddress({ merchantId });
      await storage.run(async (r) => {
        await r.invoices.insert(invoice);
        await r.deposits.insertAll([deposit]);
        await r.permanentAddresses.insertIfAbsent(permanent);
      });
      await whileLocked(
        async (r) => {
          await r.invoices.lock(invoice.id);
          await r.deposits.lock(deposit.id);
          await r.permanentAddresses.lock(permanent.id);
        },
        async () => {
          expect(await snapshot('invoice', invoice.id)).toMatchObject({
            merchantId,
            facts: {
              ...{ status: invoice.status, due_units: String(invoice.price?.dueUnits) },
              ...{ fiat_micros: String(invoice.initialFiatMicros), credited_units: '0' },
            },
          });
          expect(await snapshot('deposit', deposit.id)).toMatchObject({
            ...{ merchantId, facts: { status: deposit.status, units: '12345678', note: 'why' } },
          });
          expect(await snapshot('permanent_address', permanent.id)).toMatchObject({
            ...{ merchantId, facts: { active: true, address: permanent.address, deactivated_at: null } },
          });
        },
      );
    });

    test('of a payout it has why it waits, and what was ordered of its signed transfer', async () => {
      const { id: merchantId } = await storage.merchant();
      const payout = aPayout({ merchantId, held: heldFor('limit') });
      const transfer = anOutgoing({ referenceId: payout.id, status: 'signed', feeBumpRequested: true });
      await storage.run(async (r) => {
        await r.payouts.insert(payout);
        await r.outgoing.takeNonce({ chain: transfer.chain, address: transfer.wallet, atLeast: 0n });
        await r.outgoing.insert(transfer);
        await r.outgoing.save(transfer);
        await r.outgoing.insertSigned(aSigned({ transferBatchId: transfer.transferBatchId }));
      });
      const found = await whileLocked(
        (r) => r.payouts.lock(payout.id),
        () => Promise.all([snapshot('payout', payout.id), snapshot('refund', payout.id)]),
      );
      for (const each of found)
        expect(each).toMatchObject({
          merchantId,
          facts: {
            ...{ status: payout.status, amount_units: String(payout.amountUnits), ordered_by: null },
            ...{ held: { code: 'limit' }, waiting: null, released: false },
            transfer: { id: transfer.id, status: 'signed', given_up: false, fee_bump_requested: true },
          },
        });
    });

    test('of a refund that a customer claims it has what is offered, and until when', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      const claim: RefundClaim = {
        ...{ id: anId(), merchantId, sandbox: false, subject: 'invoice', invoiceId: invoice.id },
        ...{ depositId: null, asset: 'usdt_ethereum', units: 5n, feeBearer: 'client', onCheckout: false },
        ...{ orderedBy: 'ann', status: 'open', address: null, payoutId: null },
        ...{ expiresAt: secondsAfter(60), createdAt: NOW, updatedAt: NOW },
      };
      await storage.run(async (r) => {
        await r.invoices.insert(invoice);
        await r.refundClaims.insert(claim);
      });
      expect(await snapshot('refund', claim.id)).toMatchObject({
        merchantId,
        facts: { status: 'open', units: '5', address: null, ends_at: secondsAfter(60).toISOString() },
      });
    });

    test('of the treasury it has sweeps, frozen addresses and the newest funding', async () => {
      const address = anAddress();
      const sweep: Sweep = {
        ...{
          id: anId(),
          chain: 'ethereum',
          address,
          asset: 'usdt_ethereum',
          status: 'planned',
          forced: true,
        },
        ...{ units: null, topupId: null, delegationId: null, transferId: null, undelegationId: null },
        ...{ reason: null, createdAt: NOW, endedAt: null },
      };
      const booking = (height: number, units: bigint) => ({
        ...{
          id: anId(),
          chain: 'ethereum',
          asset: `coin${anId()}`,
          units,
          note: 'gas',
          at: NOW,
          coin: null,
          address: null,
        },
        block: { height, hash: aHash() },
      });
      const [first, second] = [booking(5, 10n), booking(6, -3n)];
      const place = `ethereum:${address}`;
      const capital = `ethereum:${first.asset}`;
      expect(await snapshot('address', place)).toEqual({
        ...{ merchantId: null, facts: { frozen_at: null, reason: null } },
      });
      expect(await snapshot('capital', capital)).toBeNull();
      await storage.run(async (r) => {
        await r.sweeps.planAll([sweep]);
        await r.frozen.freeze({ chain: 'ethereum', address, reason: 'its owner changed', at: NOW });
        await r.capital.insert(first);
        await r.capital.insert({ ...second, asset: first.asset });
      });
      await whileLocked(
        (r) => r.sweeps.lock(sweep.id),
        async () => {
          expect(await snapshot('sweep', sweep.id)).toMatchObject({
            facts: { status: 'planned', forced: true, reason: null, transfers: [] },
          });
        },
      );
      expect((await snapshot('address', place))?.facts).toEqual({
        ...{ frozen_at: NOW.toISOString(), reason: 'its owner changed' },
      });
      expect((await snapshot('capital', capital))?.facts).toEqual({
        ...{ booking_id: second.id, address: null, units: '-3', note: 'gas', block: 6 },
        at: NOW.toISOString(),
      });
    });

    test('of the kill switch it has its position, also while it is being moved', async () => {
      expect(await snapshot('signing', null)).toEqual({
        ...{ merchantId: null, facts: { stopped_at: null, note: null } },
      });
      await storage.run(({ outgoing }) => outgoing.setSigningStopped({ at: NOW, note: 'a drill' }));
      const found = await whileLocked(
        (r) => r.outgoing.setSigningStopped(null),
        () => snapshot('signing', null),
      );
      expect(found?.facts).toEqual({ stopped_at: NOW.toISOString(), note: 'a drill' });
    });

    test('there is none of what is unknown, or has no snapshot', async () => {
      const id = anId();
      const subjects: AuditSubject[] = [
        ...(['merchant', 'api_key', 'webhook_secret', 'brand', 'link', 'invoice', 'deposit'] as const),
        ...(['payout', 'refund', 'permanent_address', 'sweep', 'delivery', 'wallet', 'chain'] as const),
      ];
      for (const subject of subjects) {
        expect({ subject, found: await snapshot(subject, id) }).toEqual({ subject, found: null });
        expect({ subject, found: await snapshot(subject, null) }).toEqual({ subject, found: null });
      }
    });
  });
}
