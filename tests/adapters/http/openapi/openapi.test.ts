import { describe, expect, test } from 'bun:test';
import { Validator as SchemaValidator } from '@seriousme/openapi-schema-validator';
import { API_ROUTES } from '../../../../src/adapters/http/api.ts';
import { blocksOf, GUIDE_PAGES } from '../../../support/http/guide-pages.ts';
import { openHarness, stageHarness } from '../../../support/http/http-harness.ts';
import { loadDocument, type OpenApiDocument, Validator } from '../../../support/http/openapi-check.ts';

stageHarness();

async function document(): Promise<OpenApiDocument> {
  return loadDocument('http://localhost', (await openHarness()).server);
}

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new SchemaValidator();
    const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(await document())));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  test('has every endpoint that the server runs, and no other', async () => {
    const { paths } = await document();
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const running = API_ROUTES.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(documented.toSorted()).toEqual(running.toSorted());
    expect(running).toHaveLength(31);
  });

  test('names every operation once, and documents its gates', async () => {
    const { paths } = await document();
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods)) as unknown as {
      operationId: string;
      summary: string;
      responses: Record<string, unknown>;
    }[];
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(operations.length);
    for (const name of names)
      expect(name).toMatch(
        /^(?:create|get|list|change|cancel|accept|notify|simulate|test|replay|deactivate|withdraw)[A-Z]\w+$/,
      );
    expect(names).toEqual(
      expect.arrayContaining([
        'createInvoice',
        'getInvoice',
        'listInvoices',
        'simulateInvoice',
        'createPayoutBatch',
      ]),
    );
    for (const { responses, summary } of operations) {
      expect(Object.keys(responses), summary).toContainEqual('401');
      for (const status of ['403', '429', '500', '503'])
        expect(Object.keys(responses), summary).toContain(status);
    }
  });

  test('has the envelope of errors once, which every refusal narrows to its own codes', async () => {
    const { paths } = await document();
    for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
      const refusals = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
      expect(refusals.length).toBeGreaterThan(4);
      for (const { content } of refusals.map(([, answer]) => answer)) {
        const { allOf } = content!['application/json'].schema as { allOf: [object, object] };
        expect(allOf[0]).toEqual({ $ref: '#/components/schemas/Error' });
        expect(JSON.stringify(allOf[1])).toContain('"enum":["');
      }
    }
  });

  test('has examples that fit their own schemas, for every body and every answer', async () => {
    const loaded = await document();
    const validator = new Validator(loaded);
    let checked = 0;
    for (const [path, methods] of Object.entries(loaded.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const contents = Object.entries(operation.responses).map(
          ([status, { content }]) => [status, content] as const,
        );
        for (const [name, content] of [['body', operation.requestBody?.content] as const, ...contents]) {
          if (!content) continue;
          const { schema, examples = {} } = content['application/json'];
          expect(Object.keys(examples).length, `${method} ${path} ${name}`).toBeGreaterThan(0);
          for (const { value } of Object.values(examples)) {
            expect(
              validator.fits(`${method} ${path} ${name} example`, schema, value),
              `${method} ${path} ${name}`,
            ).toBeNull();
            checked += 1;
          }
        }
      }
    }
    expect(checked).toBeGreaterThan(200);
  });

  test('takes every number of a body as a text of digits, too', async () => {
    const loaded = await document();
    const body = (path: string) => loaded.paths[path]?.post?.requestBody?.content['application/json'].schema;
    const validator = new Validator(loaded);
    const fault = (path: string, value: object) => validator.fits(path, body(path) ?? {}, value);
    const numbers = { amount: '25.50', ttl: '600', underpay_tolerance: '1.5', price_modifier: '-2' };
    expect(fault('/api/v2/invoices', numbers)).toBeNull();
    expect(fault('/api/v2/invoices', { amount: 25.5, ttl: null })).toBeNull();
    for (const amount of ['25,50', '', 'all', '0x10', -1])
      expect([amount, fault('/api/v2/invoices', { amount })]).not.toEqual([amount, null]);
    const item = { address: 'x', asset: 'usdt_tron' };
    expect(fault('/api/v2/payouts/batch', { items: [{ ...item, amount: '3' }] })).toBeNull();
    expect(fault('/api/v2/payouts/batch', { items: [{ ...item, amount: 'three' }] })).not.toBeNull();
    const alone = Object.keys(loaded.paths).flatMap((path) =>
      [...JSON.stringify(body(path) ?? {}).matchAll(/"(\w+)":\{[^{}]*"type":\[?"(?:number|integer)"/g)].map(
        ([, name]) => `${path} ${name}`,
      ),
    );
    expect(alone).toEqual([]);
  });

  test('has request examples that the API accepts', async () => {
    const loaded = await document();
    for (const [path, methods] of Object.entries(loaded.paths)) {
      for (const { value } of Object.values(
        methods.post?.requestBody?.content['application/json'].examples ?? {},
      )) {
        const { call, earn, sandboxKey } = await openHarness({
          merchant: { callbackUrl: 'https://shop.example/hook' },
        });
        await earn(1_000, sandboxKey);
        const invoice = await call('POST', '/api/v2/invoices', { key: sandboxKey, body: { amount: 25 } });
        const { order_id: id } = invoice.json.result;
        if (path.endsWith('/refunds'))
          await call('POST', `/api/v2/invoices/${id}/simulate`, {
            key: sandboxKey,
            body: { status: 'paid_over' },
          });
        const at = path.replace(/\{\w+\}/, id);
        const answer = await call('POST', at, {
          key: sandboxKey,
          body: value,
          headers: { 'x-uniq-id': crypto.randomUUID() },
        });
        expect(answer.status, `${path} ${answer.text}`).toBeLessThan(300);
      }
    }
  });

  test('describes the webhook with its headers', async () => {
    const { webhooks } = (await document()) as unknown as {
      webhooks: { invoice: { post: { parameters: { name: string }[]; requestBody: object } } };
    };
    const names = webhooks.invoice.post.parameters.map(({ name }) => name);
    expect(names).toEqual([
      'X-Service-Signature',
      'X-Service-Signature-Previous',
      'X-Service-Sandbox',
      'X-Service-Delivery',
      'X-Service-Attempt',
      'X-Service-Event-Seq',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      'User-Agent',
    ]);
    expect(JSON.stringify(webhooks)).toContain('"$ref":"#/components/schemas/InvoiceWebhook"');
  });

  test('shows no marks of our own and no private name', async () => {
    const text = JSON.stringify(await document());
    for (const mark of ['blank', 'maxDecimals', 'patternHint', '"$id"', 'ExactDecimal'])
      expect(text).not.toContain(mark);
  });
});

describe('/docs/reference', () => {
  test('loads everything from our own host, under a strict policy', async () => {
    const { call } = await openHarness();
    const page = await call('GET', '/docs/reference', { key: null });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '');
    expect(links.length).toBeGreaterThanOrEqual(5);
    for (const link of links) {
      expect(link, link).toStartWith('/');
      const file = await call('GET', link, { key: null });
      expect(file.status, link).toBe(200);
      expect(file.text.length, link).toBeGreaterThan(50);
    }
    expect(page.text).not.toMatch(/<script(?![^>]*src=)/);
  });
});

describe('the guide', () => {
  test('has commands that the API takes as they are written, one after the other', async () => {
    const it = await openHarness({ merchant: { callbackUrl: 'https://shop.example/hook' } });
    let ran = 0;
    for (const path of GUIDE_PAGES) {
      let id = '';
      const page = await it.call('GET', path, { key: null });
      for (const block of blocksOf(page.text).filter((text) => text.includes('/api/v2/'))) {
        const call = /^curl -s "http:\/\/localhost(\/api\/v2\/\S+)" \\\n {2}-H "x-api-key: \$KEY"/.exec(
          block,
        );
        if (call === null) throw new Error(`no command: ${block}`);
        const body = /-d '(.*)'$/s.exec(block)?.[1];
        const given = [...block.matchAll(/-H ["']([\w-]+): (.*?)["']/g)].map(
          ([, name = '', value = '']): [string, string] => [
            name,
            value.replace('$PAYOUT', '0190f3a1-b2c3-4a1b-8c3d-4e5f60718293'),
          ],
        );
        const answer = await it.call(
          body === undefined ? 'GET' : 'POST',
          (call[1] ?? '').replace('$ID', id),
          {
            key: it.sandboxKey,
            headers: Object.fromEntries(given.filter(([name]) => name !== 'x-api-key')),
            ...(body === undefined ? {} : { body }),
          },
        );
        expect(answer.status, `${path}\n${block}\n${answer.text}`).toBeLessThan(300);
        if (call[1] === '/api/v2/invoices') id = answer.json.result.order_id;
        ran += 1;
      }
    }
    expect(ran).toBeGreaterThanOrEqual(13);
  });
});
