/** The three bodies that are posted to operators. */
import { describe, expect, test } from 'bun:test';
import {
  type OperatorWebhookFormat,
  operatorWebhook,
} from '../../../src/adapters/webhooks/operator-webhook.ts';
import { noticeMessage } from '../../../src/app/notices/write-notice.ts';
import type { OperatorNotice } from '../../../src/domain/notices/operator-notice.ts';
import type { WebhookOutcome, WebhookRequest } from '../../../src/ports/webhooks/webhook-transport.ts';

const AT = new Date('2026-06-01T12:00:30Z');
const NOTICE: OperatorNotice = {
  ...{ id: 'a'.repeat(24), event: 'chain.late', subject: 'tron', status: 'open', overAt: null },
  ...{ fields: { chain: 'tron', why: '<!channel> & more' }, firstAt: AT, lastAt: AT, count: 1 },
};
const MESSAGE = noticeMessage({ message: 'raised', recipient: '' }, NOTICE, 'https://pay.example');

/** What is posted, and what the channel makes of the answer. */
async function posted(
  format: OperatorWebhookFormat,
  { url = 'https://hooks.example/secret', outcome = answered(200), message = MESSAGE } = {},
) {
  const requests: WebhookRequest[] = [];
  const transport = {
    async post(request: WebhookRequest) {
      requests.push(request);
      return outcome;
    },
  };
  const result = await operatorWebhook(transport, { url, format }).send(message);
  const [request] = requests;
  return { result, url: request?.url, body: JSON.parse(new TextDecoder().decode(request?.body)) };
}
const answered = (status: number): WebhookOutcome => ({ kind: 'answered', status, body: '' });

describe('a notice by webhook', () => {
  test('as JSON has the text for people, and event, fields and times for programs', async () => {
    const { body } = await posted('json');
    expect(body).toEqual({
      text: expect.stringContaining('ALARM: tron: payments on a chain are seen late'),
      ...{ id: `${'a'.repeat(24)}.raised`, event: 'chain.late', subject: 'tron', status: 'alarm', count: 1 },
      ...{ fields: NOTICE.fields, first_at: 1_780_315_230, last_at: 1_780_315_230 },
    });
    expect(body.text).toContain(
      'Do: bun run chains status. See incidents (docs/operations/incidents.md#a-chain',
    );
    expect(body.text).toEndWith('chain.late at https://pay.example');
  });

  test('for Slack is text whose markup is escaped', async () => {
    const { body } = await posted('slack');
    expect(Object.keys(body)).toEqual(['text']);
    expect(body.text).toContain('why: &lt;!channel&gt; &amp; more');
  });

  test('for Telegram has the parameters of the URL in its body', async () => {
    const url = 'https://api.telegram.example/bot1:secret/sendMessage?chat_id=-100&message_thread_id=4';
    const sent = await posted('telegram', { url });
    expect(sent.url).toBe('https://api.telegram.example/bot1:secret/sendMessage');
    expect(sent.body).toMatchObject({ chat_id: '-100', message_thread_id: '4' });
    expect(sent.body.text).toContain('why: <!channel> & more');
    const long = { ...MESSAGE, text: 'x'.repeat(9_000) };
    expect((await posted('telegram', { url, message: long })).body.text).toHaveLength(3_800);
  });

  test('was taken only if the answer says so', async () => {
    const outcomes: [WebhookOutcome, string][] = [
      [answered(204), 'sent'],
      [answered(302), 'refused'],
      [answered(404), 'refused'],
      [{ kind: 'refused', reason: 'a link-local address' }, 'refused'],
      [{ kind: 'failed', reason: 'no answer' }, 'unreachable'],
      [{ kind: 'unsent', reason: 'no sockets' }, 'unreachable'],
    ];
    for (const [outcome, result] of outcomes)
      expect((await posted('json', { outcome })).result).toBe(result as 'sent');
  });
});

test('a message says that the alarm lasts, how often it was raised, and that it is over', () => {
  const again = { ...NOTICE, count: 5, lastAt: new Date('2026-06-01T12:40:00Z') };
  const still = noticeMessage({ message: 'again', recipient: '' }, again, 'https://pay.example');
  expect(still.title).toStartWith('STILL: tron: ');
  expect(still.text).toContain('Raised 2026-06-01 12:00 UTC, 5 times until 2026-06-01 12:40 UTC');
  const ended = { ...again, status: 'over', overAt: new Date('2026-06-01T13:00:00Z') } as const;
  const over = noticeMessage({ message: 'over', recipient: '' }, ended, 'https://pay.example');
  expect([over.title.slice(0, 5), over.status]).toEqual(['OVER:', 'over']);
  expect(over.text).toContain('Over since 2026-06-01 13:00 UTC');
  expect(over.text).not.toContain('Do:');
  const unknown = { ...NOTICE, event: 'no.such_event' };
  expect(noticeMessage({ message: 'raised', recipient: '' }, unknown, 'x').text).toContain('no.such_event');
});
