/**
 * Opens a checkout page over the in-memory application, and reads pages as a browser parses them.
 */
import type { CheckoutSources } from '../../../src/adapters/http/checkout/data.ts';
import type { HttpConfig } from '../../../src/adapters/http/server.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import type { CheckoutPayment } from '../../../src/ports/checkout/checkout-queries.ts';
import { type Harness, openHarness } from '../fake/fake-http-harness.ts';
import type { Answered } from './called-server.ts';

interface OpenedPage extends Harness {
  /** Of the page: `/checkout/<external id>`. */
  readonly path: string;
  /** The invoice's. */
  readonly id: string;
  page(headers?: Readonly<Record<string, string>>, query?: string): Promise<Answered>;
  /** Sends one of the page's forms. */
  send(form: 'currency' | 'simulate', body: string, headers?: Record<string, string>): Promise<Answered>;
}

export async function openedPage(
  body: object,
  options: {
    change?: Partial<Invoice>;
    sandbox?: boolean;
    sources?: Partial<CheckoutSources>;
    config?: Partial<HttpConfig>;
  } = {},
): Promise<OpenedPage> {
  const harness = openHarness({
    ...(options.sources === undefined ? {} : { dependencies: { checkout: options.sources } }),
    ...(options.config === undefined ? {} : { config: options.config }),
  });
  const key = options.sandbox === true ? harness.sandboxKey : harness.liveKey;
  const { order_id: id, external_id } = (await harness.call('POST', '/api/v2/invoices', { key, body })).json
    .result;
  if (options.change !== undefined) harness.application.setInvoice(id, options.change);
  const path = `/checkout/${external_id}`;
  return {
    ...harness,
    path,
    id,
    page: (headers = {}, query = '') => harness.call('GET', path + query, { key: null, headers }),
    send: (form, text, headers = {}) =>
      harness.call('POST', `${path}/${form}`, {
        key: null,
        body: text,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      }),
  };
}

export function paymentOf(change: Partial<CheckoutPayment> = {}): CheckoutPayment {
  return {
    chain: 'ethereum',
    txid: `0x${'ab'.repeat(32)}`,
    asset: 'usdt_ethereum',
    units: 20_000_000n,
    final: false,
    height: 100,
    head: 104,
    ...change,
  };
}

export interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The elements of a page in their order, as a parser of HTML finds them. */
export function elementsOf(html: string, selector = '*'): readonly Element[] {
  const found: Element[] = [];
  new HTMLRewriter()
    .on(selector, {
      element: (element) => {
        found.push({ tag: element.tagName, attributes: Object.fromEntries(element.attributes) });
      },
    })
    .transform(html);
  return found;
}

/** What a page says, without its markup, in one line. */
export function wordsOf(html: string): string {
  return html
    .replace(/<(?:style|script|svg)[\s\S]*?<\/(?:style|script|svg)>/g, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}
