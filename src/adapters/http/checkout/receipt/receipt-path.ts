/** Where receipts are: `{home}/{external id}/receipt`, and `receipt.pdf` beside it. */
import type { CheckoutView } from '../view.ts';

/** A sheet of A4, or a roll of 80 mm. */
export const PAPERS = ['a4', 'roll'] as const;
export type Paper = (typeof PAPERS)[number];

/** With the language that was switched to, and the paper if it is not A4. */
export function receiptPath(
  { home, invoice, switched }: Pick<CheckoutView, 'home' | 'invoice' | 'switched'>,
  paper: Paper = 'a4',
  ending: '' | '.pdf' = '',
): string {
  const query = new URLSearchParams({
    ...(switched === null ? {} : { lang: switched }),
    ...(paper === 'a4' ? {} : { paper }),
  }).toString();
  return `${home}/${invoice.externalId}/receipt${ending}${query === '' ? '' : `?${query}`}`;
}
