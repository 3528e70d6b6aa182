/** E-mails to customers: whom they go to, and when they are tried again. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type CustomerMail, customerContact, mailAfter } from '../../../src/domain/mails/customer-mail.ts';
import { anId, NOW } from '../../support/builders.ts';

const MINUTE_MS = 60_000;
const later = (minutes: number): Date => new Date(NOW.getTime() + minutes * MINUTE_MS);

function aMail(given: Partial<CustomerMail> = {}): CustomerMail {
  return {
    ...{ id: anId(), merchantId: anId(), sandbox: false, invoiceId: anId(), kind: 'receipt' },
    ...{ refundClaimId: null, recipient: 'ann@shop.example', language: 'de', status: 'queued', tries: 1 },
    ...{ dueAt: NOW, failure: null, createdAt: NOW, ...given },
  };
}

describe('an e-mail to a customer', () => {
  test('is sent once, or given up with the reason', () => {
    expect(mailAfter(aMail(), 'sent', NOW)).toMatchObject({ status: 'sent', failure: null });
    for (const failure of ['refused', 'obsolete'] as const)
      expect(mailAfter(aMail(), failure, NOW)).toMatchObject({ status: 'given_up', failure });
    expect(mailAfter(aMail(), 'unreachable', later(24 * 60))).toMatchObject({
      ...{ status: 'given_up', failure: 'unreachable' },
    });
  });

  test('is tried again after pauses that double, up to six hours', () => {
    const pauses = [1, 2, 3, 9, 10, 1_000].map((tries) => {
      const { dueAt, status } = mailAfter(aMail({ tries }), 'unreachable', NOW);
      return [status, (dueAt.getTime() - NOW.getTime()) / MINUTE_MS];
    });
    expect(pauses).toEqual([2, 4, 8, 360, 360, 360].map((minutes) => ['queued', minutes]));
  });

  test('ends within a day and a pause, however often it fails', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 }), (slow) => {
        let [mail, at, tries] = [aMail({ tries: 0 }), NOW, 0];
        while (mail.status === 'queued') {
          tries += 1;
          expect(tries).toBeLessThan(20);
          at = new Date(Math.max(at.getTime(), mail.dueAt.getTime()) + slow * MINUTE_MS);
          mail = mailAfter({ ...mail, tries }, 'unreachable', at);
        }
        expect(at.getTime()).toBeLessThanOrEqual(later(31 * 60).getTime());
      }),
    );
  });

  test('goes to the email of payer_info if it is one, in the language that it names', () => {
    expect(customerContact({ email: 'ann@shop.example', language: 'ja' })).toEqual({
      ...{ recipient: 'ann@shop.example', language: 'ja' },
    });
    expect(customerContact({ email: 'ann@shop.example', language: 7 })).toMatchObject({ language: '' });
    expect(customerContact({ email: 'ann@shop.example', language: 'x'.repeat(17) })).toMatchObject({
      language: '',
    });
    const none = [null, {}, { email: 7 }, { email: '' }, { email: 'ann' }, { email: 'a@b' }];
    const hostile = [
      'a@b.c\r\nBcc: x@y.z',
      'a@b.c, x@y.z',
      '<a@b.cc>',
      'a b@c.dd',
      `${'a'.repeat(300)}@b.cc`,
    ];
    for (const payer of [...none, ...hostile.map((email) => ({ email }))])
      expect(customerContact(payer as never)).toBeNull();
  });

  test('never goes to a text with a line break, a comma or a bracket', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (before, after) => {
        const found = customerContact({ email: `${before}@${after}` });
        if (found !== null) expect(found.recipient).toMatch(/^[^\s,;<>()"\\]+@[a-z0-9.-]+$/i);
      }),
    );
  });
});
