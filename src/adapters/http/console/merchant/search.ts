/** The search box of a merchant: by whatever is known of a payment. */
import { html } from '../../checkout/page/html.ts';
import { foundCards } from '../found.ts';
import { button, field } from '../kit/parts.ts';
import { type ConsoleRoute, type MerchantCall, ofMerchant } from '../kit/route.ts';
import type { MerchantPages } from './merchant-pages.ts';

export function searchRoutes(of: MerchantPages): readonly ConsoleRoute[] {
  return [ofMerchant('payments.read', 'GET', '/search', (call) => searchPage(of, call))];
}

async function searchPage(
  { application }: MerchantPages,
  { query, shell, desk, base }: MerchantCall,
): Promise<Response> {
  const text = query.get('q') ?? '';
  const found = text === '' ? null : await application.console.searchPayments(desk.caller.scope, text);
  const links = {
    invoice: ({ id }: { id: string }) => `${base}/payments/${id}`,
    payout: ({ id }: { id: string }) => `${base}/payouts/${id}`,
    merchant: null,
  };
  const body = html`<form method="get" class="row">${field('q', 'Order reference, id, transaction, address, amount or e-mail', { type: 'search', value: text })}${button('Search', 'plain')}</form>${found === null ? null : foundCards(found, links, application.catalog)}`;
  return shell.page({ title: 'Search', body });
}
