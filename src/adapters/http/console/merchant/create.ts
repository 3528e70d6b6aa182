/** Opening an invoice by hand. */

import { FIAT_CURRENCIES } from '../../../../domain/catalog/fiat.ts';
import type { JsonValue } from '../../../../domain/money/json.ts';
import { html } from '../../checkout/page/html.ts';
import { invoiceBody } from '../../invoices/invoice-body.ts';
import { formBody, given } from '../kit/form-body.ts';
import { formParts } from '../kit/form-parts.ts';
import { button } from '../kit/parts.ts';
import { type ConsoleRoute, type MerchantCall, ofMerchant } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import { bearerWord } from '../kit/words.ts';
import type { MerchantPages } from './merchant-pages.ts';

const readInvoice = formBody(invoiceBody);
const FIELDS = ['amount', 'fiat_currency', 'asset', 'extra', 'title', 'description', 'ttl', 'fee_bearer'];

export function createRoutes(of: MerchantPages): readonly ConsoleRoute[] {
  return [
    ofMerchant('payments.create', 'GET', '/create', (call) => createPage(of, call)),
    ofMerchant('payments.create', 'POST', '/create', async (call) => {
      const { form, desk, shell, base } = call;
      const email = form.optional('email');
      const payer: Record<string, JsonValue> = email === null ? {} : { payer_info: { email } };
      const input = readInvoice({ ...given(form, FIELDS), ...payer }, of.api);
      if (!input.ok) return createPage(of, call, input.error);
      const made = await of.desk.createInvoice(desk, input.value);
      return made.ok
        ? shell.done(`${base}/payments/${made.value.id}`, 'invoice_created')
        : createPage(of, call, made.error);
    }),
  ];
}

function createPage(
  { application }: MerchantPages,
  { shell, form, base, environment, desk }: MerchantCall,
  problem: Problem | null = null,
): Response {
  const assets = application.catalog.all
    .filter((asset) => application.isOffered(asset, environment === 'sandbox'))
    .map(({ key }) => [key, key] as const);
  const value = (name: string): string => form.text(name);
  const { field, area, choice, ...parts } = formParts(problem, { payer_info: 'email', chain: 'asset' });
  const body = shell.form(
    `${base}/create`,
    html`${field('amount', 'Amount', { required: true, inputmode: 'decimal', value: value('amount') })}${choice(
      'fiat_currency',
      'Currency of the amount',
      FIAT_CURRENCIES.map((one) => [one, one] as const),
      { chosen: value('fiat_currency') || 'USD' },
    )}${choice('asset', 'Paid in', [['', 'the customer chooses'], ...assets], { chosen: value('asset') })}${field('extra', 'Order reference', { value: value('extra'), hint: 'Your own number of the order: letters, digits, _ and -.' })}${field('title', 'Title', { value: value('title'), maxLength: 150, hint: 'The customer sees it.' })}${area('description', 'Description', { value: value('description') })}${field('email', 'E-mail of the customer', { type: 'email', value: value('email') })}${field('ttl', 'Ends after, seconds', { inputmode: 'numeric', value: value('ttl'), hint: 'Empty: an hour.' })}${choice(
      'fee_bearer',
      'Payment fee borne by',
      [
        ['', `your setting: ${bearerWord(desk.caller.merchant.defaultFeeBearer)}`],
        ['client', 'the customer'],
        ['merchant', 'you'],
      ],
      { chosen: value('fee_bearer') },
    )}${button('Create the invoice')}`,
  );
  return shell.page({
    title: 'Create an invoice',
    body: html`<p>For a page that opens an invoice for each customer, make a <a href="${base}/links/new">payment link</a>.</p>${body}`,
    problem: parts.problem(),
    ...(problem === null ? {} : { status: 422 }),
  });
}
