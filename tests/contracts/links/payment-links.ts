/** The contract of PaymentLinkRepository and PaymentLinkQueries. */
import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { INVOICE_STATUSES } from '../../../src/domain/invoices/invoice.ts';
import { NEW_LINK, type PaymentLink } from '../../../src/domain/links/payment-link.ts';
import type { PaymentLinkQueries, WrittenLink } from '../../../src/ports/links/payment-link-repository.ts';
import type { Queries } from '../../../src/ports/list-queries.ts';
import { anId, anInvoice, inStatus, NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export interface OpenedLinks extends Opened {
  readonly queries: PaymentLinkQueries & Pick<Queries, 'paymentLink' | 'paymentLinks'>;
}

const PICTURE = { type: 'image/png', bytes: new Uint8Array([1, 2, 255]) } as const;
const DIGEST = createHash('sha256').update(PICTURE.bytes).digest('hex');

function aLink(given: Partial<WrittenLink> & Pick<WrittenLink, 'merchantId'>): WrittenLink {
  const id = anId();
  return {
    ...NEW_LINK,
    ...{ id, slug: `link-${id}`, sandbox: false, mode: 'payment', title: 'Plan', fiatCurrency: 'USD' },
    ...{ amountMicros: 25_000_000n, createdAt: NOW, updatedAt: NOW },
    ...given,
  };
}

function readOf({ picture, ...link }: WrittenLink): PaymentLink {
  return { ...link, pictureDigest: picture === null ? null : DIGEST };
}

export function describePaymentLinks(name: string, open: () => Promise<OpenedLinks>): void {
  describe(`${name}: payment links`, () => {
    const storage = openedFor(open);
    const queries = () => storage.ports().queries;
    const insert = (link: WrittenLink) => storage.run((r) => r.paymentLinks.insertIfAbsent(link));

    test('a link is found as it was written, with the digest of its picture', async () => {
      const merchant = await storage.merchant();
      const plain = aLink({ merchantId: merchant.id });
      const full = aLink({
        ...{ merchantId: merchant.id, sandbox: true, mode: 'point_of_sale', picture: PICTURE, stock: 3 },
        ...{ amountMicros: null, leastMicros: 1n, mostMicros: 2n ** 70n, suggestedMicros: [5n, 7n] },
        ...{ tips: [5n, 10n], acceptedCoins: ['usdt_tron', 'btc_bitcoin'], expiresAt: secondsAfter(60) },
        ...{ fields: ['email', 'note'], description: 'ünïcödé', successUrl: 'https://shop.example/ok' },
      });
      for (const link of [plain, full]) {
        expect(await insert(link)).toBe(true);
        const { id, merchantId, sandbox, slug } = link;
        const scope = { merchantId, sandbox };
        expect(await storage.run((r) => r.paymentLinks.find(id))).toEqual(readOf(link));
        expect(await storage.run((r) => r.paymentLinks.lock(scope, id))).toEqual(link);
        expect(
          await storage.run((r) => r.paymentLinks.lock({ merchantId, sandbox: !sandbox }, id)),
        ).toBeNull();
        expect(await queries().paymentLink(scope, id)).toEqual(readOf(link));
        expect(await queries().paymentLink({ ...scope, merchantId: anId() }, id)).toBeNull();
        expect(await queries().paymentLinkBySlug(slug)).toEqual({ link: readOf(link), merchant });
      }
      expect(await queries().paymentLinkBySlug('nothing-like-it')).toBeNull();
      expect(await storage.run((r) => r.paymentLinks.find(anId()))).toBeNull();
      const picture = await queries().linkPicture(DIGEST);
      expect([picture?.type, [...(picture?.bytes ?? [])]]).toEqual([PICTURE.type, [...PICTURE.bytes]]);
      expect(await queries().linkPicture(DIGEST.replace(/^./, 'x'))).toBeNull();
    });

    test('a slug is used once, also among merchants', async () => {
      const [one, other] = [await storage.merchant(), await storage.merchant()];
      const first = aLink({ merchantId: one.id });
      const second = aLink({ merchantId: other.id, slug: first.slug });
      expect([await insert(first), await insert(second)]).toEqual([true, false]);
      expect(await storage.run((r) => r.paymentLinks.find(second.id))).toBeNull();
    });

    test('what is saved is read again, and a link that is not there is not saved', async () => {
      const { id: merchantId } = await storage.merchant();
      const link = aLink({ merchantId, picture: PICTURE });
      await insert(link);
      const changed = {
        ...link,
        ...{ title: 'Another', picture: null, active: false, amountMicros: null, fields: ['name'] as const },
        updatedAt: secondsAfter(9),
      };
      expect(await storage.run((r) => r.paymentLinks.save(changed))).toEqual(readOf(changed));
      expect(await storage.run((r) => r.paymentLinks.find(link.id))).toEqual(readOf(changed));
      await expect(storage.run((r) => r.paymentLinks.save(aLink({ merchantId })))).rejects.toThrow();
    });

    test('pages are of one environment, the newest first, with their total', async () => {
      const { id: merchantId } = await storage.merchant();
      const [second, third, first, elsewhere] = [
        aLink({ merchantId }),
        aLink({ merchantId }),
        aLink({ merchantId, createdAt: secondsAfter(-1) }),
        aLink({ merchantId, sandbox: true }),
      ];
      for (const link of [second, third, first, elsewhere]) await insert(link);
      const scope = { merchantId, sandbox: false };
      const page = async (number: number) => {
        const { rows, total } = await queries().paymentLinks(scope, { page: number, perPage: 2 });
        return [rows.map(({ id }) => id), total];
      };
      expect(await page(1)).toEqual([[third.id, second.id], 3]);
      expect(await page(2)).toEqual([[first.id], 3]);
      expect(await page(3)).toEqual([[], 3]);
      expect(await storage.run((r) => r.paymentLinks.count(scope))).toBe(3);
    });

    test('its invoices are open, taken or gone by their status, and counted up to one of them', async () => {
      const { id: merchantId } = await storage.merchant();
      const link = aLink({ merchantId });
      await insert(link);
      const given = { merchantId, paymentLinkId: link.id };
      const [before, after] = [anInvoice(given), anInvoice(given)];
      const others = INVOICE_STATUSES.map((status) => anInvoice({ ...given, ...inStatus(status) }));
      for (const invoice of [before, ...others, after, anInvoice({ merchantId })])
        await storage.run((r) => r.invoices.insert(invoice));
      expect(await queries().openOfLink(link.id)).toBe(3);
      const gone = ['expired', 'cancelled', 'failed', 'refunded'];
      const taken = INVOICE_STATUSES.filter((status) => !gone.includes(status)).length;
      const counted = [null, before.id, after.id, anId()].map((id) => queries().takenOfLink(link.id, id));
      expect(await Promise.all(counted)).toEqual([taken + 2, 0, taken + 1, 0]);
      expect([await queries().openOfLink(anId()), await queries().takenOfLink(anId(), null)]).toEqual([0, 0]);
    });

    test('the oldest without a choice and the last ones are found', async () => {
      const { id: merchantId } = await storage.merchant();
      const link = aLink({ merchantId });
      await insert(link);
      const given = { merchantId, paymentLinkId: link.id };
      const unchosen = { ...given, price: null };
      const invoices = [
        anInvoice(given),
        anInvoice({ ...unchosen, ...inStatus('expired') }),
        anInvoice({ ...unchosen, createdAt: secondsAfter(5) }),
        anInvoice({ ...unchosen, createdAt: secondsAfter(5), initialFiatMicros: 7n }),
      ];
      for (const invoice of invoices) await storage.run((r) => r.invoices.insert(invoice));
      expect(await queries().oldestUnchosen(link.id)).toBe(invoices[2]!.id);
      expect(await queries().oldestUnchosen(anId())).toBeNull();
      const shown = invoices.map(({ externalId, status, initialFiatMicros: fiatMicros, createdAt }) => ({
        ...{ externalId, status, fiatMicros, createdAt },
      }));
      expect(await queries().lastOfLink(link.id, NOW, 3)).toEqual(shown.toReversed().slice(0, 3));
      expect(await queries().lastOfLink(link.id, secondsAfter(1), 3)).toEqual([shown[3]!, shown[2]!]);
    });
  });
}
