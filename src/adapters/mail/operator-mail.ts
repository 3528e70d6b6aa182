/** Notices to operators by e-mail. */

import type { Mailer } from '../../ports/mails/mailer.ts';
import type { NoticeChannel } from '../../ports/notices/notice-channel.ts';
import { escaped } from '../shared/escaped.ts';

export function operatorMail(mailer: Mailer, recipients: readonly string[]): NoticeChannel {
  return {
    ...{ name: 'mail', recipients },
    send: ({ id, recipient: to, title: subject, text }) =>
      mailer.send({
        ...{ id, to, subject, text, html: htmlOf(text) },
        ...{ replyTo: null, attachments: [] },
      }),
  };
}

/** The same lines. Fields may hold what strangers wrote. */
function htmlOf(text: string): string {
  return `<!doctype html><meta charset="utf-8"><pre style="white-space:pre-wrap">${escaped(text)}</pre>`;
}
