/** The contract of CustomerMailRepository. */
import { describe, expect, test } from 'bun:test';
import { type CustomerMail, mailAfter } from '../../../src/domain/mails/customer-mail.ts';
import type { RefundClaim } from '../../../src/domain/payouts/refund-claim.ts';
import { anId, anInvoice, NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

function aClaim(merchantId: string, invoiceId: string): RefundClaim {
  return {
    ...{ id: anId(), merchantId, invoiceId, sandbox: false, subject: 'invoice', depositId: null, units: 5n },
    ...{ asset: 'usdt_ethereum', feeBearer: 'client', onCheckout: true, orderedBy: null, status: 'open' },
    ...{ address: null, payoutId: null, expiresAt: secondsAfter(86_400), createdAt: NOW, updatedAt: NOW },
  };
}

/** `open`: on storage that sends e-mails, or on one that does not. */
export function describeCustomerMails(
  name: string,
  open: (options: { readonly sendsMails: boolean }) => Promise<Opened>,
): void {
  describe(`${name}: mails to customers`, () => {
    const storage = openedFor(() => open({ sendsMails: true }));
    const queue = (mail: CustomerMail) => storage.run((r) => r.customerMails.queue(mail));
    const save = (mail: CustomerMail) => storage.run((r) => r.customerMails.save(mail));
    const take = (now: Date, limit = 100) =>
      storage.run((r) => r.customerMails.take({ now, until: secondsAfter(300, now), limit }));
    /** Of an invoice of its own. */
    async function aMail(given: Partial<CustomerMail> = {}): Promise<CustomerMail> {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      await storage.run((r) => r.invoices.insert(invoice));
      return {
        ...{ id: anId(), merchantId, sandbox: false, invoiceId: invoice.id, kind: 'receipt' },
        ...{ refundClaimId: null, recipient: 'ann@customer.example', language: 'de', status: 'queued' },
        ...{ tries: 0, dueAt: NOW, failure: null, createdAt: NOW },
        ...given,
      };
    }

    test('due ones are taken, those that wait longest first, and are not due again before the end of the try', async () => {
      const [later, soon, due] = [
        await aMail({ dueAt: secondsAfter(20) }),
        await aMail({ dueAt: secondsAfter(10) }),
        await aMail(),
      ];
      for (const mail of [later, soon, due]) await queue(mail);
      expect(await take(secondsAfter(10), 1)).toEqual([{ ...due, tries: 1, dueAt: secondsAfter(310) }]);
      expect(await take(secondsAfter(19))).toEqual([{ ...soon, tries: 1, dueAt: secondsAfter(319) }]);
      expect(await take(secondsAfter(20))).toEqual([{ ...later, tries: 1, dueAt: secondsAfter(320) }]);
      expect(await take(secondsAfter(309))).toEqual([]);
      const again = await take(secondsAfter(310));
      expect(again).toEqual([{ ...due, tries: 2, dueAt: secondsAfter(610) }]);
      for (const mail of [...again, soon, later]) await save(mailAfter(mail, 'sent', NOW));
      expect(await take(secondsAfter(10_000))).toEqual([]);
    });

    test('those that are taken at once come in the order of their times, and of their ids', async () => {
      const [c, a, b] = [
        await aMail({ dueAt: secondsAfter(2) }),
        await aMail({ dueAt: secondsAfter(1) }),
        await aMail({ dueAt: secondsAfter(1) }),
      ];
      for (const mail of [b, c, a]) await queue(mail);
      const order = (await take(secondsAfter(5))).map(({ id }) => id);
      expect(order).toEqual([a, b, c].map(({ id }) => id));
      for (const mail of [a, b, c]) await save(mailAfter(mail, 'sent', NOW));
    });

    test('each kind is queued once, and again after it became obsolete', async () => {
      const mail = await aMail({ language: 'fr' });
      await queue(mail);
      const second = { ...mail, id: anId(), recipient: 'bob@customer.example', dueAt: secondsAfter(30) };
      await queue(second);
      const [taken] = await take(secondsAfter(40));
      expect(taken).toMatchObject({ id: mail.id, recipient: mail.recipient });
      await save(mailAfter(taken!, 'refused', NOW));
      await queue(second);
      expect(await take(secondsAfter(10_000))).toEqual([]);
      await save({ ...mailAfter(taken!, 'obsolete', NOW), recipient: 'not saved' });
      await queue(second);
      expect(await take(secondsAfter(40))).toEqual([
        { ...second, id: mail.id, tries: 1, dueAt: secondsAfter(340) },
      ]);
      const late = { ...mail, id: anId(), kind: 'late_payment' } as const;
      await queue(late);
      expect((await take(secondsAfter(40))).map(({ id }) => id)).toEqual([late.id]);
      for (const done of [mail, late]) await save(mailAfter(done, 'sent', NOW));
    });

    test('each claim has a link of its own, which is queued once', async () => {
      const mail = await aMail({ kind: 'refund' });
      const claims = [1, 2].map(() => aClaim(mail.merchantId, mail.invoiceId));
      await storage.run(async (r) => {
        for (const claim of claims) await r.refundClaims.insert(claim);
      });
      const mails = claims.map(({ id }) => ({ ...mail, id: anId(), refundClaimId: id }));
      for (const each of mails) await queue(each);
      await expect(queue({ ...mails[0]!, id: anId() })).rejects.toThrow();
      expect(new Set((await take(NOW)).map(({ id }) => id))).toEqual(new Set(mails.map(({ id }) => id)));
    });

    test('one that is not there is not saved', async () => {
      await expect(save(await aMail())).rejects.toThrow();
    });

    test('storage of a gateway that sends none queues none', async () => {
      const { unitOfWork, close } = await open({ sendsMails: false });
      const mail = await aMail();
      const isOn = await unitOfWork.run(async (r) => {
        await r.customerMails.queue(mail);
        return r.customerMails.isOn;
      });
      const taken = await unitOfWork.run((r) => r.customerMails.take({ now: NOW, until: NOW, limit: 9 }));
      expect([isOn, taken]).toEqual([false, []]);
      await close();
    });
  });
}
