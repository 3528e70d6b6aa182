/**
 * Notices to operators by a webhook: JSON for programs, and the messages of Slack (Mattermost takes
 * them, too) and Telegram. The URL is a secret: it is in no log line.
 */
import { unixSeconds } from '../../app/invoices/present-invoice.ts';
import { shortened } from '../../domain/notices/notice-fields.ts';
import type { NoticeChannel, NoticeMessage } from '../../ports/notices/notice-channel.ts';
import type { WebhookTransport } from '../../ports/webhooks/webhook-transport.ts';
import { escaped } from '../shared/escaped.ts';

export type OperatorWebhookFormat = 'json' | 'slack' | 'telegram';

/** Telegram takes 4,096 characters, Slack some more. */
const TEXT_MAX = 3_800;

export function operatorWebhook(
  transport: WebhookTransport,
  { url, format }: { readonly url: string; readonly format: OperatorWebhookFormat },
): NoticeChannel {
  return {
    ...{ name: 'webhook', recipients: [''] },
    async send(message) {
      const request = REQUESTS[format](url, message);
      const outcome = await transport.post({
        url: request.url,
        headers: { 'content-type': 'application/json', 'x-quittance-notice': message.id },
        body: new TextEncoder().encode(JSON.stringify(request.body)),
      });
      if (outcome.kind === 'answered')
        return outcome.status >= 200 && outcome.status < 300 ? 'sent' : 'refused';
      return outcome.kind === 'refused' ? 'refused' : 'unreachable';
    },
  };
}

interface NoticeRequest {
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const REQUESTS: Readonly<
  Record<OperatorWebhookFormat, (url: string, message: NoticeMessage) => NoticeRequest>
> = {
  json: (url, { id, text, event, subject, status, fields, count, firstAt, lastAt }) => ({
    url,
    body: {
      ...{ text, id, event, subject, status, fields, count },
      ...{ first_at: unixSeconds(firstAt), last_at: unixSeconds(lastAt) },
    },
  }),
  // In its markup `<!channel>` would wake everybody, and fields may hold what strangers wrote.
  slack: (url, { text }) => ({ url, body: { text: escaped(shortened(text, TEXT_MAX)) } }),
  // The parameters of the URL belong to the body: `chat_id`, and `message_thread_id` of a topic.
  telegram(url, { text }) {
    const { origin, pathname, searchParams } = new URL(url);
    const given = Object.fromEntries(searchParams);
    return {
      url: origin + pathname,
      body: { ...given, text: shortened(text, TEXT_MAX), disable_web_page_preview: true },
    };
  },
};
