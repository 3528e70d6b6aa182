/** Refunds over HTTP: offered by the merchant, claimed on the customer's page. */
import { describe, expect, test } from 'bun:test';
import { elementsOf, wordsOf } from '../../../support/http/checkout-page.ts';
import { harnessClock, openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
const ADDRESS = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const OTHER = 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS';

/** A paid sandbox invoice and its refund. */
async function opened(
  offer: object = {},
  options: Parameters<typeof openHarness>[0] = {},
  asset = 'usdt_tron',
) {
  const it = await openHarness(options);
  const key = it.sandboxKey;
  const { json } = await it.call('POST', '/api/v2/invoices', {
    key,
    body: { amount: 25, fiat_currency: 'USD', asset },
  });
  const invoice = json.result;
  const simulated = await it.call('POST', `/api/v2/invoices/${invoice.order_id}/simulate`, {
    key,
    body: { status: 'success', send_webhook: false },
  });
  expect(simulated.status).toBe(200);
  const refunds = `/api/v2/invoices/${invoice.order_id}/refunds`;
  const offered = await it.call('POST', refunds, { key, body: offer });
  expect([offered.status, offered.json.error ?? null]).toEqual([201, null]);
  const refund = offered.json.result;
  const path = new URL(refund.claim_url).pathname;
  const page = (query = '', at = path) => it.call('GET', at + query, { key: null });
  const send = (form: Record<string, string>, at = path, headers: Record<string, string> = FORM) =>
    it.call('POST', at, { key: null, body: new URLSearchParams(form).toString(), headers });
  const read = async () => (await it.call('GET', `/api/v2/refunds/${refund.id}`, { key })).json.result;
  return { ...it, key, invoice, refund, refunds, path, page, send, read };
}

const stageOf = (text: string): string | undefined =>
  elementsOf(text, 'main').map(({ attributes }) => attributes['data-refund'])[0];
const hidden = (text: string, name: string): string =>
  elementsOf(text, `input[name="${name}"]`)[0]?.attributes.value ?? '';

describe('the page of a refund', () => {
  test('asks for an address, shows what arrives, and pays it once it is confirmed', async () => {
    const it = await opened();
    const first = await it.page();
    expect([first.status, stageOf(first.text)]).toEqual([200, 'enter']);
    expect(wordsOf(first.text)).toContain('25 USDT');
    const checked = await it.send({ step: 'check', address: ` ${ADDRESS} ` });
    expect([checked.status, stageOf(checked.text)]).toEqual([200, 'check']);
    expect(wordsOf(checked.text)).toContain(ADDRESS);
    expect(wordsOf(checked.text)).toContain('Network fee');
    expect(await it.read()).toMatchObject({ status: 'open' });

    const form = {
      step: 'confirm',
      address: hidden(checked.text, 'address'),
      seen: hidden(checked.text, 'seen'),
    };
    const done = await it.send(form);
    expect([done.status, done.headers.get('location')]).toEqual([303, it.path]);
    const refund = await it.read();
    expect(refund).toMatchObject({ status: 'confirmed', address: ADDRESS });
    expect(BigInt(Math.round(refund.amount_sent * 1e6))).toBe(BigInt(form.seen));
    const after = await it.page();
    expect(stageOf(after.text)).toBe('confirmed');
    expect(after.headers.get('refresh')).toBe('20');
    expect(wordsOf(after.text)).toContain(ADDRESS);
  });

  test('warns in both steps where the recipient may need a comment that is not sent', async () => {
    const warning = 'The refund is sent without a comment or memo.';
    const address = `0:${'a1'.repeat(32)}`;
    for (const asset of ['ton_ton', 'usdt_ton']) {
      const it = await opened({}, {}, asset);
      expect(wordsOf((await it.page()).text)).toContain(warning);
      const checked = await it.send({ step: 'check', address });
      expect([checked.status, stageOf(checked.text)]).toEqual([200, 'check']);
      expect(wordsOf(checked.text)).toContain(warning);
    }
    expect(wordsOf((await (await opened()).page()).text)).not.toContain(warning);
  });

  test('takes a destination tag on XRP, in its field or in the address, and no two of them', async () => {
    const account = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
    const it = await opened({}, {}, 'xrp_xrp');
    expect(elementsOf((await it.page()).text, 'input[name="tag"]')).toHaveLength(1);
    for (const tag of ['x', '-1', '4294967296', '1.5', '12345678901'])
      expect([tag, (await it.send({ step: 'check', address: account, tag })).status]).toEqual([tag, 422]);
    expect((await it.send({ step: 'check', address: `${account}:7`, tag: '8' })).status).toBe(422);
    const checked = await it.send({ step: 'check', address: account, tag: '7' });
    expect([checked.status, hidden(checked.text, 'tag')]).toEqual([200, '7']);
    // As it was entered: nobody could compare it with an X-address.
    const shown = (text: string) => [...text.matchAll(/<code>([^<]*)</g)].map(([, words]) => words);
    expect(shown(checked.text)).toEqual([account, '7']);
    const form = { address: hidden(checked.text, 'address'), tag: hidden(checked.text, 'tag') };
    expect((await it.send({ step: 'confirm', ...form })).status).toBe(303);
    const inAddress = await opened({}, {}, 'xrp_xrp');
    expect((await inAddress.send({ step: 'confirm', address: `${account}:7` })).status).toBe(303);
    expect((await it.read()).address).toBe((await inAddress.read()).address);
    expect(shown((await it.page()).text)).toEqual([account, '7']);
  });

  test('lets the customer change the address before it is sent', async () => {
    const it = await opened();
    await it.send({ step: 'confirm', address: ADDRESS });
    expect(stageOf((await it.page('?change=1')).text)).toBe('enter');
    expect((await it.send({ step: 'confirm', address: OTHER })).status).toBe(303);
    expect(await it.read()).toMatchObject({ status: 'confirmed', address: OTHER });
  });

  test('keeps what was entered and says why it is refused', async () => {
    const it = await opened();
    const wrong = await it.send({ step: 'check', address: 'nonsense"><b>' });
    expect([wrong.status, stageOf(wrong.text)]).toEqual([422, 'enter']);
    expect(hidden(wrong.text, 'address')).toBe('nonsense&quot;&gt;&lt;b&gt;');
    expect(elementsOf(wrong.text, '.problem')).toHaveLength(1);
    const less = await it.send({ step: 'confirm', address: ADDRESS, seen: '25000001' });
    expect([less.status, stageOf(less.text)]).toEqual([409, 'check']);
    for (const seen of ['-1', '1e9', '9'.repeat(79), 'x'])
      expect([seen, (await it.send({ step: 'check', address: ADDRESS, seen })).status]).toEqual([seen, 200]);
    expect(await it.read()).toMatchObject({ status: 'open' });
  });

  test('takes forms of its own only', async () => {
    const it = await opened();
    for (const headers of [
      { ...FORM, 'sec-fetch-site': 'cross-site' },
      { 'content-type': FORM['content-type'], origin: 'https://evil.example' },
    ]) {
      const answer = await it.send({ step: 'confirm', address: ADDRESS }, it.path, headers);
      expect(answer.status).toBe(403);
    }
    expect(await it.read()).toMatchObject({ status: 'open' });
  });

  test('L2: is found by its whole link only', async () => {
    const it = await opened();
    const [id = '', code = ''] = it.path.slice('/r/'.length).split('-');
    expect(code).toMatch(/^[0-9a-f]{40}$/);
    const [, another = ''] = (await opened()).path.slice('/r/'.length).split('-');
    const guesses = [
      ...[
        `${id}-${another}`,
        id,
        `${id}-`,
        `${id}-${'0'.repeat(40)}`,
        `${id}-${code.slice(1)}`,
        `${id}-${code}0`,
      ],
      ...[`${id}-${code.toUpperCase()}A`, `${'0'.repeat(24)}-${code}`, '%00', '..%2f'],
    ];
    for (const guess of guesses) {
      expect([guess, (await it.page('', `/r/${guess}`)).status]).toEqual([guess, 404]);
      expect([guess, (await it.send({ step: 'confirm', address: ADDRESS }, `/r/${guess}`)).status]).toEqual([
        guess,
        404,
      ]);
    }
    expect(await it.read()).toMatchObject({ status: 'open' });
  });

  test('is neither framed, cached, nor told to other sites', async () => {
    const { headers } = await (await opened()).page();
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
      'no-store',
      'no-referrer',
    ]);
  });

  test('says that it is over once it is withdrawn or expired', async () => {
    const it = await opened({ expires_in_days: 1 });
    const withdrawn = await opened();
    await withdrawn.call('DELETE', `/api/v2/refunds/${withdrawn.refund.id}`, { key: withdrawn.key });
    harnessClock.advance(86_401);
    for (const each of [it, withdrawn]) {
      const { status, text } = await each.page();
      expect([status, stageOf(text)]).toEqual([410, 'over']);
      expect((await each.send({ step: 'confirm', address: ADDRESS })).status).toBe(410);
    }
  });

  test('is on the checkout of the invoice where the merchant allows that', async () => {
    const it = await opened({ on_checkout: true });
    const checkout = new URL(it.invoice.payment_url).pathname;
    expect(elementsOf((await it.page('', checkout)).text, `a[href="${checkout}/refund"]`)).toHaveLength(1);
    const page = await it.page('?lang=de', `${checkout}/refund`);
    expect([page.status, stageOf(page.text)]).toEqual([200, 'enter']);
    expect(wordsOf(page.text)).toContain('Ihre Rückerstattung');
    expect(
      (await it.send({ step: 'confirm', address: ADDRESS, lang: 'de' }, `${checkout}/refund`)).status,
    ).toBe(303);
    expect(await it.read()).toMatchObject({ status: 'confirmed', address: ADDRESS });

    const hiddenOne = await opened();
    const other = new URL(hiddenOne.invoice.payment_url).pathname;
    expect((await hiddenOne.page('', `${other}/refund`)).status).toBe(404);
    expect(elementsOf((await hiddenOne.page('', other)).text, `a[href="${other}/refund"]`)).toEqual([]);
  });

  test('bounds the forms of a network', async () => {
    const it = await opened({}, { config: { rateLimitPerMinute: 1_000 } });
    const answers = [];
    for (let nth = 0; nth < 21; nth += 1)
      answers.push((await it.send({ step: 'check', address: 'x' })).status);
    expect(answers).toEqual([...Array<number>(20).fill(422), 429]);
  });
});

describe('a merchant', () => {
  test('offers a refund once per Idempotency-Key, with the same link', async () => {
    const it = await opened();
    await it.call('DELETE', `/api/v2/refunds/${it.refund.id}`, { key: it.key });
    const headers = { 'idempotency-key': 'refund-1' };
    const [one, two] = [
      await it.call('POST', it.refunds, { key: it.key, body: {}, headers }),
      await it.call('POST', it.refunds, { key: it.key, body: {}, headers }),
    ];
    expect(two.json).toEqual(one.json);
    expect((await it.call('GET', it.refunds, { key: it.key })).json.result).toHaveLength(2);
  });

  test('offers from allowed addresses only, and never reads the link again', async () => {
    const it = await opened({}, { merchant: { allowedSubnets: ['10.0.0.0/8'] } }).catch(() => null);
    expect(it).toBeNull();
    const allowed = await opened();
    expect(await allowed.read()).not.toHaveProperty('claim_url');
  });

  test('is told what is wrong with an offer', async () => {
    const it = await opened();
    const refused = async (body: object) =>
      (await it.call('POST', it.refunds, { key: it.key, body })).json.error;
    expect(await refused({ expires_in_days: 91 })).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await refused({ amount: 0 })).toMatchObject({ code: 'VALIDATION_ERROR' });
    await it.call('DELETE', `/api/v2/refunds/${it.refund.id}`, { key: it.key });
    expect(await refused({ amount: 25.1 })).toMatchObject({
      code: 'PAYOUT_REJECTED',
      details: { rule: 'refund_amount' },
    });
    expect(await refused({ amount: '1.0000001' })).toMatchObject({ details: { rule: 'refund_amount' } });
    expect(await refused({ only_surplus: true })).toMatchObject({ details: { rule: 'refund_amount' } });
  });
});
