/** The job that sends e-mails: no e-mail stops another one, and none is sent by two processes. */
import { describe, expect, test } from 'bun:test';
import { sendMails } from '../../../src/app/mails/send-mails.ts';
import { type CustomerMail, TRY_MS } from '../../../src/domain/mails/customer-mail.ts';
import type { MailContent } from '../../../src/ports/mails/mailer.ts';
import type { Repositories, UnitOfWork } from '../../../src/ports/repositories.ts';
import { anId } from '../../support/builders.ts';
import { memoryLogger } from '../../support/runtime/memory-logger.ts';
import { testClock } from '../../support/runtime/test-clock.ts';

const CONTENT: MailContent = { replyTo: null, subject: 'x', text: 'x', html: 'x', attachments: [] };

function stage(count: number) {
  const clock = testClock();
  const at = clock.now();
  const mails: CustomerMail[] = Array.from({ length: count }, () => ({
    ...{ id: anId(), merchantId: anId(), sandbox: false, invoiceId: anId(), kind: 'receipt' },
    ...{ refundClaimId: null, recipient: 'ann@customer.example', language: 'en', status: 'queued' },
    ...{ tries: 1, dueAt: at, failure: null, createdAt: at },
  }));
  const saved: CustomerMail[] = [];
  const customerMails: Repositories['customerMails'] = {
    isOn: true,
    queue: async () => undefined,
    take: async () => mails,
    save: async (mail) => void saved.push(mail),
  };
  const unitOfWork: UnitOfWork = { run: (work) => work({ customerMails } as Repositories) };
  const logger = memoryLogger([]);
  return { clock, mails, saved, deps: { clock, unitOfWork, logger } };
}

describe('the job that sends e-mails', () => {
  test('sends the others where one cannot be written, tries that one later, and reports its bug', async () => {
    const { deps, mails, saved } = stage(3);
    const sent: string[] = [];
    const send = sendMails(deps, {
      mailer: {
        async send({ id }) {
          sent.push(id);
          return 'sent';
        },
      },
      writer: {
        async write(mail) {
          if (mail === mails[0]) throw new Error('no such asset');
          return CONTENT;
        },
      },
    });
    await expect(send(3)).rejects.toThrow('no such asset');
    expect(sent).toEqual(mails.slice(1).map(({ id }) => id));
    expect(saved.map(({ status }) => status)).toEqual(['queued', 'sent', 'sent']);
    expect(saved[0]?.dueAt.getTime()).toBeGreaterThan(deps.clock.now().getTime());
  });

  test('leaves to the next run what another process may have begun', async () => {
    const { deps, clock, mails, saved } = stage(3);
    const sent: string[] = [];
    const send = sendMails(deps, {
      mailer: {
        async send({ id }) {
          sent.push(id);
          clock.advance(TRY_MS / 2_000);
          return 'unreachable';
        },
      },
      writer: { write: async () => CONTENT },
    });
    await send(3);
    expect(sent).toEqual(mails.slice(0, 2).map(({ id }) => id));
    expect(saved).toHaveLength(2);
  });
});
