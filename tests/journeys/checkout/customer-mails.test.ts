/** E-mails to customers, from their cause to the mail server. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { creditStray } from '../../../src/app/deposits/unmatched-deposits.ts';
import { changeBrand } from '../../../src/app/merchants/manage-brand.ts';
import { changeMerchant } from '../../../src/app/merchants/manage-merchants.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { type MailServer, startMailServer } from '../../support/mail/mail-server.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { type TestClock, testClock } from '../../support/runtime/test-clock.ts';
import { type Json, startTestService, type TestService } from '../../support/test-service.ts';

const ANN = { email: 'ann@customer.example', language: 'de' };

describe.skipIf(!needs('postgres', postgresAvailable()))('e-mails to customers', () => {
  let it: TestService;
  let server: MailServer;
  let clock: TestClock;
  let merchant: { readonly id: string; readonly live: string; readonly sandbox: string };

  beforeAll(async () => {
    [server, clock] = [await startMailServer(), testClock()];
    it = await startTestService({
      env: { CHAINS: 'fake', SMTP_URL: server.url, MAIL_FROM: 'pay@gateway.example' },
      chains: ['ethereum'],
      overrides: { clock },
    });
    merchant = await it.merchant({ name: 'Corner shop' });
    const { dependencies } = it.service;
    await changeMerchant(dependencies)(merchant.id, { allowedSubnets: ['127.0.0.0/8', '::1/128'] });
    await changeBrand(dependencies)(merchant.id, { clears: false, support: 'help@shop.example' });
    await it.settle();
  });
  beforeEach(async () => {
    server.answer(null);
    await sent();
    server.received.length = 0;
  });
  afterAll(async () => {
    await it.stop();
    await server.stop();
  });

  const chain = () => {
    const fake = it.service.chains.fakes?.get('ethereum');
    if (!fake) throw new Error('the fake chains are not there');
    return fake.control;
  };
  /** Lets the job send what is due. */
  async function sent() {
    await it.settle();
    await it.run('send-mails');
    return server.received;
  }
  async function created(body: Json = {}): Promise<Json> {
    const terms = { amount: 25, fiat_currency: 'USD', asset: 'usdt_ethereum', payer_info: ANN };
    const answer = await it.call(merchant.live, 'POST', '/api/v2/invoices', { ...terms, ...body });
    expect(answer.body.error).toBeUndefined();
    return answer.body.result;
  }
  async function pay(invoice: Json): Promise<void> {
    chain().pay({
      to: invoice.address_to,
      asset: 'usdt_ethereum',
      units: unitsOf(String(invoice.amount), 6),
    });
    chain().mine(13);
    await it.settle();
  }

  test('a complete payment is receipted once, in the language of the customer, with a PDF', async () => {
    const invoice = await created({ title: 'Grüner Tee\u2028"x"', extra: 'order-7' });
    expect(await sent()).toEqual([]);
    await pay(invoice);
    const [receipt] = await sent();
    expect(receipt?.to).toEqual(['ann@customer.example']);
    const { mail } = receipt!;
    expect(mail.subject).toBe('Beleg: Grüner Tee "x"');
    expect(mail.replyTo?.[0]?.address).toBe('help@shop.example');
    expect(mail.text).toContain('Corner shop hat Ihre Zahlung erhalten');
    expect(mail.text).toContain('order-7');
    expect(mail.text).toContain(`/checkout/${invoice.external_id}/receipt?lang=de`);
    expect(mail.attachments[0]).toMatchObject({
      filename: `receipt-${invoice.order_id}.pdf`,
      mimeType: 'application/pdf',
    });
    await sent();
    expect(server.received).toHaveLength(1);
  });

  test('text of merchants is text, and an unknown language is English', async () => {
    const payer_info = { email: 'ann@customer.example', language: 'tlh' };
    await pay(await created({ title: '<img src=x onerror=alert(1)>', payer_info }));
    const [{ mail }] = (await sent()) as [MailServer['received'][number]];
    expect(mail.subject).toStartWith('Receipt: <img');
    expect(mail.html).toContain('lang="en"');
    expect(mail.html).not.toContain('<img');
  });

  test('a payment that came too late is told once, and where to ask', async () => {
    const invoice = await created({
      ttl: 300,
      payer_info: { email: 'ann@customer.example', language: 'ar' },
    });
    clock.advance(600);
    chain().mine(13);
    await it.settle();
    await pay(invoice);
    await pay(invoice);
    const [late, ...more] = await sent();
    expect(more).toEqual([]);
    expect(late?.mail.subject).toBe('وصلت دفعتك متأخرة');
    expect(late?.mail.html).toContain('dir="rtl"');
    expect(late?.mail.text).toContain('help@shop.example');
  });

  test('a late payment that was credited, or left the chain, before the e-mail is written is not told', async () => {
    const late = async (): Promise<Json> => {
      const invoice = await created({ ttl: 300 });
      clock.advance(600);
      chain().mine(13);
      await it.settle();
      server.answer(450);
      await pay(invoice);
      await sent();
      server.answer(null);
      return invoice;
    };
    const { dependencies } = it.service;
    await late();
    const which = { statuses: ['stray'], sandbox: false, limit: 9 } as const;
    for (const { id } of await dependencies.operatorQueries.deposits(which))
      expect(await creditStray(dependencies)(id)).toMatchObject({ ok: true });
    clock.advance(121);
    expect(await sent()).toEqual([]);
    const invoice = await late();
    chain().reorg(14);
    await it.settle();
    clock.advance(121);
    expect(await sent()).toEqual([]);
    // Nothing was told yet, so the next one is, and only that.
    await pay(invoice);
    await pay(invoice);
    expect(await sent()).toHaveLength(1);
  });

  test('a refund is offered by a link that works, unless it is over before the e-mail is sent', async () => {
    const invoice = await created();
    await pay(invoice);
    await sent();
    server.received.length = 0;
    const path = `/api/v2/invoices/${invoice.order_id}/refunds`;
    const offer = async (body: Json) => (await it.call(merchant.live, 'POST', path, body)).body.result;
    const silent = await offer({});
    await it.call(merchant.live, 'DELETE', `/api/v2/refunds/${silent.id}`);
    const withdrawn = await offer({ send_email: true });
    await it.call(merchant.live, 'DELETE', `/api/v2/refunds/${withdrawn.id}`);
    expect(await sent()).toEqual([]);
    const refund = await offer({ send_email: true });
    const [{ mail }] = (await sent()) as [MailServer['received'][number]];
    expect(mail.subject).toBe('Ihre Rückerstattung von Corner shop');
    expect(mail.text).toContain(`${refund.claim_url}?lang=de`);
  });

  test('no state waits for a mail server: it is tried again, and the address that is refused is given up', async () => {
    server.answer(450);
    const invoice = await created();
    await pay(invoice);
    expect(await sent()).toEqual([]);
    expect(
      (await it.call(merchant.live, 'GET', `/api/v2/invoices/${invoice.order_id}`)).body.result.status,
    ).toBe('success');
    server.answer(null);
    expect(await sent()).toEqual([]);
    clock.advance(121);
    expect(await sent()).toHaveLength(1);

    server.answer(550);
    await pay(await created());
    await sent();
    server.answer(null);
    clock.advance(86_400);
    expect(await sent()).toHaveLength(1);
  });

  test('a try whose process died is repeated with the same id', async () => {
    server.answer(450);
    await pay(await created());
    server.answer(null);
    clock.advance(121);
    const { unitOfWork } = it.service.dependencies;
    const now = clock.now();
    const died = await unitOfWork.run(({ customerMails }) =>
      customerMails.take({ now, until: new Date(now.getTime() + 300_000), limit: 10 }),
    );
    expect(died).toHaveLength(1);
    expect(await sent()).toEqual([]);
    clock.advance(301);
    const [again] = await sent();
    expect(again?.mail.messageId).toBe(`<${died[0]?.id}@gateway.example>`);
  });

  test('the customer of a link is written to in the language of its page', async () => {
    const made = await it.call(merchant.sandbox, 'POST', '/api/v2/links', {
      ...{ title: 'Tea', amount: 25, fields: ['email'], accepted_coins: ['usdt_ethereum'] },
    });
    const form = new URLSearchParams({ email: 'bob@customer.example', lang: 'fr' });
    const opened = await fetch(`${it.url}/l/${made.body.result.slug}`, {
      ...{ method: 'POST', body: form, redirect: 'manual', headers: { 'sec-fetch-site': 'same-origin' } },
    });
    expect(opened.status).toBe(303);
    const [invoice] = (await it.call(merchant.sandbox, 'GET', '/api/v2/invoices')).body.result;
    expect(invoice.payer_info).toEqual({ email: 'bob@customer.example', language: 'fr' });
  });

  test('without a mail server nothing is queued', async () => {
    const off = await startTestService({ env: { CHAINS: 'fake' }, chains: ['ethereum'] });
    try {
      const { id, sandbox } = await off.merchant();
      expect(id).toMatch(/^[0-9a-f]{24}$/);
      const { body } = await off.call(sandbox, 'POST', '/api/v2/invoices', {
        ...{ amount: 25, fiat_currency: 'USD', asset: 'usdt_ethereum', payer_info: ANN },
      });
      await off.call(sandbox, 'POST', `/api/v2/invoices/${body.result.order_id}/simulate`, {
        status: 'success',
      });
      expect(off.service.jobs.map(({ name }) => name)).not.toContain('send-mails');
      const now = new Date(Date.now() + 86_400_000);
      const { unitOfWork } = off.service.dependencies;
      const found = await unitOfWork.run(({ customerMails }) =>
        customerMails.take({ now, until: now, limit: 10 }),
      );
      expect(found).toEqual([]);
    } finally {
      await off.stop();
    }
  });
});
