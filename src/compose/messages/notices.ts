/**
 * Notices to operators: recorded in every process, sent by workers. Without OPERATOR_MAIL_TO and
 * OPERATOR_WEBHOOK_URL they are only kept.
 */

import { operatorMail } from '../../adapters/mail/operator-mail.ts';
import { smtpMailer } from '../../adapters/mail/smtp-mailer.ts';
import { randomIds } from '../../adapters/system/random-ids.ts';
import { redactFields } from '../../adapters/system/redact.ts';
import { systemTimers } from '../../adapters/system/system-timers.ts';
import { operatorWebhook } from '../../adapters/webhooks/operator-webhook.ts';
import { pinnedWebhookTransport } from '../../adapters/webhooks/pinned-transport.ts';
import type { AppDependencies } from '../../app/dependencies.ts';
import { type NoticeRecorder, noticeRecorder } from '../../app/notices/record-notices.ts';
import { forgetNotices, sendNotices } from '../../app/notices/send-notices.ts';
import { drain } from '../../app/shared/drain.ts';
import type { WorkerJob } from '../../app/shared/worker-job.ts';
import type { Config } from '../../config/types.ts';
import type { NoticeChannel } from '../../ports/notices/notice-channel.ts';
import type { UnitOfWork } from '../../ports/repositories.ts';
import type { Clock } from '../../ports/runtime/clock.ts';
import type { Logger } from '../../ports/runtime/logger.ts';

const SEND_EVERY_MS = 5_000;
/** Each may take half a minute, and all of them less than TRY_MS. */
const SENT_AT_ONCE = 5;
const FORGET_EVERY_MS = 3_600_000;
const FORGOTTEN_AT_ONCE = 500;

export function composeNotices(parts: {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly unitOfWork: UnitOfWork;
}): NoticeRecorder {
  return noticeRecorder({
    ...parts,
    ids: randomIds(parts.clock),
    timers: systemTimers,
    redact: redactFields,
  });
}

/** One that sends for each channel, and one that forgets. */
export function noticeJobs(config: Config, deps: AppDependencies): readonly WorkerJob[] {
  const forget = forgetNotices(deps);
  return [
    ...noticeChannels(config, deps.logger).map((channel): WorkerJob => {
      const send = sendNotices(deps, { channel, site: config.baseUrl });
      return {
        name: `send-notices-by-${channel.name}`,
        everyMs: SEND_EVERY_MS,
        run: (stopping) => drain(send, SENT_AT_ONCE, stopping),
      };
    }),
    {
      name: 'forget-notices',
      everyMs: FORGET_EVERY_MS,
      run: (stopping) => drain(forget, FORGOTTEN_AT_ONCE, stopping),
    },
  ];
}

export function noticeChannels({ mail, operators }: Config, logger: Logger): readonly NoticeChannel[] {
  const { mailTo, webhook } = operators;
  return [
    ...(mail === null || mailTo.length === 0 ? [] : [operatorMail(smtpMailer(mail, { logger }), mailTo)]),
    ...(webhook === null ? [] : [operatorWebhook(transportTo(webhook.url), webhook)]),
  ];
}

/**
 * The operator's own URL may be private, as a node's may be; link-local addresses (of a cloud's
 * metadata) stay refused. It takes no part in the way out of merchants' webhooks. No connection is
 * kept.
 */
function transportTo(url: string) {
  const { hostname, port, protocol } = new URL(url);
  const host = `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
  return pinnedWebhookTransport({ allowedHosts: [host], localAddress: null, proxy: null, idleMost: 0 });
}
