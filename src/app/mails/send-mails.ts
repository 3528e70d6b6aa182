/**
 * Sends queued e-mails. The network is outside the transactions: a process that dies after sending
 * sends once more after TRY_MS, with the same id.
 */
import { type CustomerMail, type MailOutcome, mailAfter, TRY_MS } from '../../domain/mails/customer-mail.ts';
import type { Mailer, MailWriter } from '../../ports/mails/mailer.ts';
import type { AppDependencies } from '../dependencies.ts';

type Needs = Pick<AppDependencies, 'unitOfWork' | 'clock' | 'logger'>;

/**
 * Sends up to `limit` due ones, and returns how many were taken. One that cannot be written is
 * tried again like any other, and does not stop the others; its bug is thrown at the end.
 */
export function sendMails(
  deps: Needs,
  parts: { readonly mailer: Mailer; readonly writer: MailWriter },
): (limit: number) => Promise<number> {
  return async (limit) => {
    const now = deps.clock.now();
    const until = new Date(now.getTime() + TRY_MS);
    const taken = await deps.unitOfWork.run(({ customerMails }) => customerMails.take({ now, until, limit }));
    const bugs: unknown[] = [];
    for (const mail of taken) {
      // The rest is due again: another process may have begun it.
      if (deps.clock.now() >= until) break;
      const outcome = await tried(parts, mail).catch((bug: unknown): MailOutcome => {
        bugs.push(bug);
        return 'unreachable';
      });
      const next = mailAfter(mail, outcome, deps.clock.now());
      await deps.unitOfWork.run(({ customerMails }) => customerMails.save(next));
      if (next.status === 'given_up')
        deps.logger.warn('mail.given_up', { mailId: mail.id, kind: mail.kind, failure: next.failure });
    }
    if (bugs.length > 0) throw bugs[0];
    return taken.length;
  };
}

async function tried(
  { mailer, writer }: { readonly mailer: Mailer; readonly writer: MailWriter },
  mail: CustomerMail,
): Promise<MailOutcome> {
  const content = await writer.write(mail);
  if (content === null) return 'obsolete';
  return mailer.send({ ...content, id: mail.id, to: mail.recipient });
}
