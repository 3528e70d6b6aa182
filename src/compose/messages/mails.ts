/** E-mails to customers: off without SMTP_URL and MAIL_FROM. */

import { mailWriter } from '../../adapters/http/checkout/mails/mail-writer.ts';
import { smtpMailer } from '../../adapters/mail/smtp-mailer.ts';
import type { Application } from '../../app/application.ts';
import type { AppDependencies } from '../../app/dependencies.ts';
import { sendMails } from '../../app/mails/send-mails.ts';
import { drain } from '../../app/shared/drain.ts';
import type { WorkerJob } from '../../app/shared/worker-job.ts';
import type { Config } from '../../config/types.ts';
import type { ComposedChains } from '../chains/chains.ts';
import { checkoutOf } from '../checkout.ts';

const SEND_EVERY_MS = 5_000;
const SENT_AT_ONCE = 20;

export function mailJobs(
  config: Config,
  parts: { deps: AppDependencies; application: Application; chains: ComposedChains },
): readonly WorkerJob[] {
  if (config.mail === null) return [];
  const { deps, application, chains } = parts;
  const { clock, logger, checkoutUrl } = deps;
  const send = sendMails(deps, {
    mailer: smtpMailer(config.mail, { logger }),
    writer: mailWriter({ application, clock, checkoutUrl, sources: checkoutOf(config, chains) }),
  });
  return [
    {
      name: 'send-mails',
      everyMs: SEND_EVERY_MS,
      run: (stopping) => drain(send, SENT_AT_ONCE, stopping),
    },
  ];
}
