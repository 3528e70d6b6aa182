/**
 * verifyWebhook of the TypeScript client against our signer and the library of Standard Webhooks.
 */
import { describe, expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import {
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
  type WebhookOptions,
} from '../../clients/typescript/src/quittance.ts';
import { hmacSigner } from '../../src/adapters/webhooks/hmac-signer.ts';

const KEYS = ['sk_live_old', 'sk_live_new'] as const;
const SECRETS = [`whsec_${btoa('a'.repeat(32))}`, `whsec_${btoa('b'.repeat(32))}`] as const;
const BODY = '{"order_id":"01","status":"success","amount":0.10000000000000001,"extra":"é"}';
const AT = new Date('2026-11-23T00:00:00Z');
const now = AT.getTime();

const bytes = (text: string) => new TextEncoder().encode(text);
const service = (key: string) => ({ 'X-Service-Signature': hmacSigner.sign(bytes(BODY), key) });
const standard = (...secrets: string[]) => ({
  'webhook-id': 'd1',
  'webhook-timestamp': `${now / 1000}`,
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign('d1', AT, BODY)).join(' '),
});

/** `ok`, or the code of the fault. */
async function verdict(
  headers: WebhookHeaders,
  options: WebhookOptions,
  body: Parameters<typeof verifyWebhook>[0] = BODY,
) {
  return verifyWebhook(body, headers, { now, ...options }).then(
    () => 'ok',
    (error: WebhookError | TypeError): string => (error instanceof WebhookError ? error.code : error.name),
  );
}

describe('verifyWebhook', () => {
  test('takes X-Service-Signature, or the other key’s during a change, over the bytes that came', async () => {
    const [apiKey, other] = KEYS;
    const both = { ...service(other), 'x-service-signature-previous': hmacSigner.sign(bytes(BODY), apiKey) };
    const headers = [
      service(apiKey),
      new Headers(service(apiKey)),
      { 'x-service-signature': Object.values(service(apiKey)) },
      both,
    ];
    for (const each of headers) expect(await verdict(each, { apiKey })).toBe('ok');
    expect(await verdict(both, { apiKey: other }, bytes(BODY))).toBe('ok');
    for (const each of [
      service(other),
      { 'x-service-signature': 'zz' },
      { 'x-service-signature': 'abc' },
      { 'x-service-signature': '' },
    ])
      expect(await verdict(each, { apiKey })).toBe('WRONG_SIGNATURE');
    expect(await verdict(service(apiKey), { apiKey }, `${BODY} `)).toBe('WRONG_SIGNATURE');
    expect(await verdict({}, { apiKey })).toBe('NO_SIGNATURE');
  });

  test('takes any of the signatures of Standard Webhooks, near its time', async () => {
    const [webhookSecret, other] = SECRETS;
    for (const secrets of [[webhookSecret], [other, webhookSecret], [webhookSecret, other]])
      expect(await verdict(standard(...secrets), { webhookSecret })).toBe('ok');
    const ours = hmacSigner.signStandard(
      { id: 'd1', unixSeconds: now / 1000, body: bytes(BODY) },
      webhookSecret,
    );
    expect(ours).toBe(standard(webhookSecret)['webhook-signature']);

    const good = standard(webhookSecret);
    expect(await verdict(standard(other), { webhookSecret })).toBe('WRONG_SIGNATURE');
    expect(await verdict({ ...good, 'webhook-id': 'd2' }, { webhookSecret })).toBe('WRONG_SIGNATURE');
    expect(
      await verdict({ ...good, 'webhook-signature': ours.replace('v1,', 'v2,') }, { webhookSecret }),
    ).toBe('NO_SIGNATURE');
    expect(await verdict({ ...good, 'webhook-signature': 'v1,?' }, { webhookSecret })).toBe(
      'WRONG_SIGNATURE',
    );
    for (const away of [-300, 300])
      expect(await verdict(good, { webhookSecret, now: now + away * 1000 })).toBe('ok');
    for (const away of [-301, 301])
      expect(await verdict(good, { webhookSecret, now: now + away * 1000 })).toBe('WRONG_TIME');
    for (const toleranceSeconds of [59, Number.NaN])
      expect(await verdict(good, { webhookSecret, now: now + 60_000, toleranceSeconds })).toBe('WRONG_TIME');
  });

  test('lets every secret that is given have its say, and needs one', async () => {
    const [apiKey] = KEYS;
    const [webhookSecret] = SECRETS;
    const both = { ...service(apiKey), ...standard(webhookSecret) };
    expect(await verdict(both, { apiKey, webhookSecret })).toBe('ok');
    expect(await verdict(service(apiKey), { apiKey, webhookSecret })).toBe('NO_SIGNATURE');
    expect(await verdict({ ...both, ...service('x') }, { apiKey, webhookSecret })).toBe('WRONG_SIGNATURE');
    for (const options of [{}, { apiKey: '' }, { webhookSecret: '' }, { apiKey, webhookSecret: 'whsec_' }])
      expect(await verdict(both, options)).toBe('TypeError');
  });

  test('answers the event, with exact amounts where asked', async () => {
    const [apiKey] = KEYS;
    const exact = await verifyWebhook(BODY, service(apiKey), { apiKey, decimals: 'string' });
    expect(exact).toMatchObject({ amount: '0.10000000000000001', extra: 'é' });
    expect(await verifyWebhook(BODY, service(apiKey), { apiKey })).toMatchObject({ amount: 0.1 });
    const headers = { 'x-service-signature': hmacSigner.sign(bytes('x'), apiKey) };
    expect(await verdict(headers, { apiKey }, 'x')).toBe('NOT_JSON');
  });
});
