/** The outbox of e-mails to customers, in memory. */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import type { CustomerMailRepository } from '../../../../src/ports/mails/customer-mail-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText, byTime } from '../store/orders.ts';

export function customerMailRepository({ tables }: MemoryStore, isOn: boolean): CustomerMailRepository {
  const { customerMails } = tables;
  return {
    isOn,

    async queue(mail) {
      if (!isOn) return;
      const there =
        mail.refundClaimId === null
          ? customerMails
              .by('invoiceId', mail.invoiceId)
              .find(({ kind, refundClaimId }) => kind === mail.kind && refundClaimId === null)
          : undefined;
      if (there === undefined) {
        customerMails.insert(mail);
      } else if (there.failure === 'obsolete') {
        const { recipient, language, status, tries, dueAt, failure, createdAt } = mail;
        customerMails.update(there, { recipient, language, status, tries, dueAt, failure, createdAt });
      }
    },

    take: async ({ now, until, limit }) =>
      customerMails
        .by('status', 'queued')
        .filter(({ dueAt }) => dueAt <= now)
        .sort((a, b) => byTime(a.dueAt, b.dueAt) || byText(a.id, b.id))
        .slice(0, limit)
        .map((mail) => customerMails.update(mail, { tries: mail.tries + 1, dueAt: until })),

    async save({ id, status, dueAt, failure }) {
      const there = customerMails.find(id);
      const mail = theOnly(there ? [there] : [], `save of customer mail ${id}`);
      customerMails.update(mail, { status, dueAt, failure });
    },
  };
}
