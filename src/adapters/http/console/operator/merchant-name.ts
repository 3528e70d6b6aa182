/** Whose it is: the name leads to the merchant, and its id stands in small. */
import { html, type Markup } from '../../checkout/page/html.ts';
import type { OperatorCall } from '../kit/route.ts';
import type { OperatorPages } from './operator-pages.ts';

export interface OfMerchant {
  readonly merchantId: string;
  readonly sandbox: boolean;
}

export type NameOf = (of: OfMerchant) => Markup;

/** Reads the names of all rows of a page at once. */
export async function namesOf(
  { operatorQueries }: Pick<OperatorPages, 'operatorQueries'>,
  { base }: Pick<OperatorCall, 'base'>,
  rows: readonly OfMerchant[],
): Promise<NameOf> {
  const ids = rows.map(({ merchantId }) => merchantId);
  const names = ids.length === 0 ? new Map<string, string>() : await operatorQueries.merchantNames(ids);
  return ({ merchantId, sandbox }) =>
    html`<a href="${base}/merchants/${merchantId}">${names.get(merchantId) ?? merchantId}</a>${sandbox ? ', sandbox' : ''}<br><small>${merchantId}</small>`;
}
