/** The cases of one customer or address, across all merchants. */
import type { FoundPayments } from '../../../../ports/console/payment-search.ts';
import { html } from '../../checkout/page/html.ts';
import { type FoundLinks, foundCards } from '../found.ts';
import { badge, button, card, field, table } from '../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import { namesOf } from './merchant-name.ts';
import type { OperatorPages } from './operator-pages.ts';

export function searchRoutesOfOperators(of: OperatorPages): readonly ConsoleRoute[] {
  return [ofOperator('operator.read', 'GET', '/search', (call) => searchPage(of, call))];
}

/** Where an operator looks at what was found, and whose it is. */
export async function linksOf(
  of: OperatorPages,
  call: OperatorCall,
  { invoices, payouts, deposits, permanentAddresses }: FoundPayments,
): Promise<FoundLinks> {
  const { base } = call;
  const rows = [...invoices, ...payouts, ...deposits, ...permanentAddresses];
  return {
    invoice: ({ id }) => `${base}/payments/${id}`,
    payout: ({ id }) => `${base}/payouts/${id}`,
    merchant: await namesOf(of, call, rows),
  };
}

async function searchPage(of: OperatorPages, call: OperatorCall): Promise<Response> {
  const { console, catalog } = of;
  const { query, shell, base } = call;
  const text = query.get('q') ?? '';
  const found = text === '' ? null : await console.searchEverything(text);
  const merchants = found?.merchants ?? [];
  const body = html`<form method="get" class="row">${field('q', 'Order reference, id, transaction, address, amount, e-mail or merchant', { type: 'search', value: text })}${button('Search', 'plain')}</form>${
    merchants.length === 0
      ? null
      : card(
          'Merchants',
          table(
            merchants,
            [
              { title: 'Name', cell: ({ id, name }) => html`<a href="${base}/merchants/${id}">${name}</a>` },
              { title: 'State', cell: ({ status }) => badge(status, status === 'active' ? 'good' : 'warn') },
            ],
            { empty: '', caption: 'Merchants' },
          ),
        )
  }${found === null ? null : foundCards(found, await linksOf(of, call, found), catalog)}`;
  return shell.page({ title: 'Cases', body });
}
