/** Receipts: who gets one, what it says, and its PDF. */
import { describe, expect, test } from 'bun:test';
import { extractText, getDocumentProxy } from 'unpdf';
import { LANGUAGES } from '../../../../src/adapters/http/checkout/messages/languages.ts';
import { receiptPdf } from '../../../../src/adapters/http/checkout/receipt/receipt-pdf.ts';
import { INVOICE_STATUSES } from '../../../../src/domain/invoices/invoice.ts';
import type { Invoice } from '../../../../src/domain/invoices/invoice-record.ts';
import { aBrand } from '../../../support/builders.ts';
import { elementsOf, openedPage, paymentOf, wordsOf } from '../../../support/http/checkout-page.ts';

const EUR = { amount: 48.5, fiat_currency: 'EUR', asset: 'usdt_ethereum', extra: 'order-7', title: 'Tea' };
const PAID: Partial<Invoice> = {
  status: 'success',
  funds: { pendingUnits: 0n, creditedUnits: 50_000_000n, heldUnits: 0n },
  updatedAt: new Date('2026-06-01T12:34:00Z'),
};
const TXID = `0x${'ab'.repeat(32)}`;
const brand = aBrand({ name: 'Corner shop', legalName: 'Corner Ltd', support: 'help@shop.example' });

function opened({ body = {}, change = {}, sandbox = false }: Options = {}) {
  return openedPage(
    { ...EUR, ...body },
    {
      change: { ...PAID, ...change },
      sandbox,
      sources: { brand: async () => brand, payments: async () => [paymentOf({ final: true })] },
    },
  );
}
interface Options {
  readonly body?: object;
  readonly change?: Partial<Invoice>;
  readonly sandbox?: boolean;
}

async function textsOf(bytes: Uint8Array): Promise<string> {
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true });
  return text.replace(/\s+/g, ' ');
}

describe('a receipt', () => {
  test('says who was paid, when, what for, how much, at which rate and by which transactions', async () => {
    const { page, id } = await opened();
    const { status, text } = await page({}, '/receipt');
    const words = wordsOf(text);
    expect(status).toBe(200);
    for (const part of ['Corner shop', 'Corner Ltd', 'Tea', 'order-7', id, 'Jun 1, 2026, 12:34', TXID])
      expect(words).toContain(part);
    for (const part of ['Order€48.50', 'Payment fee€0.49', 'Total€48.99', 'Paid€48.99', 'Received50 USDT'])
      expect(words).toContain(part);
    expect(words).toContain('Exchange rate1 USDT = €0.90');
    expect(words).toContain('20 USDT · Ethereum');
    expect(words).not.toContain('Test invoice');
  });

  test('is linked from the page of each complete invoice, and is nowhere before', async () => {
    for (const status of INVOICE_STATUSES) {
      const { page, path } = await opened({ change: { status } });
      const complete = ['success', 'paid_over', 'refunded'].includes(status);
      const links = elementsOf((await page()).text, `a[href="${path}/receipt"]`);
      expect([status, links.length]).toEqual([status, complete ? 1 : 0]);
      for (const file of ['/receipt', '/receipt.pdf']) {
        const answer = await page({}, file);
        expect([status, answer.status]).toEqual([status, complete ? 200 : 404]);
        if (!complete) expect(wordsOf(answer.text)).toContain('as soon as the payment is complete');
      }
    }
  });

  test('of a refunded invoice says so, of a top-up what was paid, and of a test that it is one', async () => {
    const refunded = await opened({ change: { status: 'refunded' } });
    expect(wordsOf((await refunded.page({}, '/receipt')).text)).toContain('Refunded€48.99');
    const topUp = await opened({
      body: { billing_type: 'VARY' },
      change: { status: 'partially_paid', funds: { ...PAID.funds!, creditedUnits: 20_000_000n } },
    });
    expect(wordsOf((await topUp.page({}, '/receipt')).text)).toMatch(/Paid€1\d\.\d\d/);
    const test = await opened({ sandbox: true });
    expect(wordsOf((await test.page({}, '/receipt')).text)).toContain('Test invoice.');
  });

  test('keeps language and paper in its links, and takes no other paper', async () => {
    const { page, path } = await opened();
    const { text } = await page({}, '/receipt?lang=de&paper=roll');
    const links = elementsOf(text, 'nav a').map(({ attributes }) =>
      attributes.href?.replaceAll('&amp;', '&'),
    );
    expect(links).toEqual([
      `${path}?lang=de`,
      `${path}/receipt?lang=de`,
      `${path}/receipt?lang=de&paper=roll`,
      `${path}/receipt.pdf?lang=de&paper=roll`,
    ]);
    expect(elementsOf(text, 'main.roll')).toHaveLength(1);
    expect(elementsOf((await page({}, '/receipt?paper=%22x')).text, 'main.a4')).toHaveLength(1);
  });

  test('of an unknown invoice is not found', async () => {
    const { call } = await opened();
    for (const id of ['x', '00000000-0000-4000-8000-000000000000'])
      for (const file of ['receipt', 'receipt.pdf'])
        expect((await call('GET', `/checkout/${id}/${file}`, { key: null })).status).toBe(404);
  });

  test('escapes what merchants write', async () => {
    const { page } = await opened({ body: { title: '<b>x</b>' } });
    expect((await page({}, '/receipt')).text).not.toContain('<b>x</b>');
  });
});

describe('the PDF of a receipt', () => {
  async function pdf(options: Options = {}, query = '') {
    const { server, path } = await opened(options);
    const answer = await server.handle(new Request(`http://shop.example${path}/receipt.pdf${query}`));
    return { answer, text: answer.status === 200 ? await textsOf(await answer.bytes()) : '' };
  }

  test('says what the page says, whole', async () => {
    const { answer, text } = await pdf();
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="receipt-[0-9a-f]{24}\.pdf"$/,
    );
    for (const part of ['Corner shop', 'Corner Ltd', 'Tea', 'order-7', '€48.99', '50 USDT', '12:34'])
      expect(text).toContain(part);
    expect(text.replaceAll(' ', '')).toContain(TXID);
  });

  test('is in the customer’s language where its font has the letters, and in English elsewhere', async () => {
    for (const [language, word] of [
      ['de', 'Beleg'],
      ['ru', 'Квитанция'],
      ['vi', 'Biên nhận'],
      ['ja', 'Receipt'],
      ['ar', 'Receipt'],
    ] as const)
      expect((await pdf({}, `?lang=${language}`)).text).toContain(word);
  });

  test('does not exist where the merchant wrote other letters: the page is offered instead', async () => {
    // Emoji are of no script. The last one is the font's, and pdfkit cannot put it in its order.
    for (const title of ['お茶', 'Tea、', 'Tea 🚀', 'Tea 🍵', 'Tea 👍🏽', '①㊙', '₿-Tea', 'ชา', 'שלום']) {
      const { page, path } = await opened({ body: { title } });
      const { text } = await page({}, '/receipt');
      expect(text).toContain(title);
      expect([title, elementsOf(text, 'a[download]').length]).toEqual([title, 0]);
      const answer = await page({}, '/receipt.pdf');
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `${path}/receipt`]);
    }
  });

  test('exists for whatever its font has, in every language of its scripts', async () => {
    const title = 'Crème brûlée ☕\ufe0f, Čaj №5 → “½ ± 3 €” e\u0301\u200d';
    for (const language of LANGUAGES) {
      const { page } = await opened({ body: { title, description: 'one\ntwo\tthree\u2028four' } });
      const { text } = await page({}, `/receipt?lang=${language}`);
      expect([language, elementsOf(text, 'a[download]').length]).toEqual([language, 1]);
    }
  });

  test('has the size of its paper, and a second page where A4 is full', async () => {
    const transaction = { amount: '1 USDT', network: 'Ethereum', txid: TXID };
    const receipt = {
      ...{ heading: 'Receipt', warning: null, merchant: null, subject: null, description: null },
      ...{ facts: [], sums: [], total: { name: 'Paid', value: '$1' }, received: [] },
      ...{ transactionsHeading: 'Id', transactions: Array.from({ length: 100 }, () => transaction) },
    };
    const sizes = async (paper: 'a4' | 'roll', of = receipt) => {
      const document = await getDocumentProxy(await receiptPdf(of, paper, new Date(0)));
      const { view } = await document.getPage(1);
      return { pages: document.numPages, width: Math.round(view[2]!), height: Math.round(view[3]!) };
    };
    expect(await sizes('a4')).toEqual({ pages: 4, width: 595, height: 842 });
    const roll = await sizes('roll');
    expect([roll.pages, roll.width]).toEqual([1, 227]);
    const short = await sizes('roll', { ...receipt, transactions: [transaction] });
    expect(short.height).toBeLessThan(roll.height / 10);
  });
});
