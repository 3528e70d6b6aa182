/** Payouts as operators see them, with what they can do about each at present. */

import type { UnknownPayments } from '../../../../app/console/operator-desk.ts';
import { NOTE_LENGTH_MAX } from '../../../../domain/audit/audit-entry.ts';
import type { AssetCatalog } from '../../../../domain/catalog/asset.ts';
import { HELD_CODES } from '../../../../domain/payouts/held.ts';
import { operatorChoices } from '../../../../domain/sending/operator-choices.ts';
import type { OperatorPayout } from '../../../../ports/operator-queries.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { amount, badge, button, copyable, field, instant, table, usd } from '../kit/parts.ts';
import type { OperatorCall } from '../kit/route.ts';
import { payoutBadge } from '../kit/words.ts';
import type { NameOf } from './merchant-name.ts';

/** Who looks at which rows, and whether the role may decide. */
export interface ShownRows<Row> {
  readonly rows: readonly Row[];
  readonly catalog: AssetCatalog;
  readonly shell: OperatorCall['shell'];
  readonly base: string;
  readonly may: boolean;
  readonly nameOf: NameOf;
}

export function payoutTable(shown: ShownRows<OperatorPayout>): Markup {
  const { rows, catalog, base, may, nameOf } = shown;
  return table(
    rows,
    [
      {
        title: 'Payout',
        cell: ({ payout }) =>
          html`<a href="${base}/payouts/${payout.id}"><code>${payout.id}</code></a><br>${payoutBadge(payout.status)}${payout.kind === 'refund' ? ' refund' : ''}<br>${nameOf(payout)}`,
      },
      {
        title: 'Amount',
        align: 'end',
        cell: ({ payout }) =>
          html`${amount(payout.amountUnits, catalog.require(payout.asset))}<br><small>${usd(payout.amountMicroUsd)}<br>${instant(payout.createdAt)}</small>`,
      },
      { title: 'To', cell: ({ payout }) => html`<code>${payout.address}</code>` },
      { title: 'Why', cell: ({ payout }) => why(payout) },
      { title: '', cell: (row) => (may ? payoutForms(shown, row) : null) },
    ],
    { empty: 'None.', caption: 'Payouts' },
  );
}

type FormParts = Pick<ShownRows<OperatorPayout>, 'shell' | 'base' | 'catalog'>;

/** `back`: leads to the payout's own page afterwards, and not to the queue. */
export function payoutForms(
  { shell, base, catalog }: FormParts,
  { payout, transfer }: OperatorPayout,
  back: Markup | null = null,
): Markup | null {
  const { id, asset, held } = payout;
  const choices = operatorChoices(payout, transfer, catalog.require(asset).family);
  const act = (path: string, fields: Markup): Markup =>
    shell.form(`${base}/payouts/${id}/${path}`, html`${back}${fields}`, { class: 'inline' });
  const forms = [
    choices.includes('release')
      ? act(
          'release',
          html`${shell.formId()}${button('Release', 'plain', 'Release this payout? It is sent.')}`,
        )
      : null,
    // Whatever holds it: somebody may have paid by hand.
    held === null
      ? null
      : act(
          'paid',
          html`${field('txid', 'Was paid by transaction', { id: `txid-${id}` })}${button('It was paid', 'plain')}`,
        ),
    choices.includes('retry') ? act('retry', button('Try again', 'plain')) : null,
    choices.includes('hold')
      ? act(
          'hold',
          html`${field('reason', 'Reason', { id: `reason-${id}`, maxLength: NOTE_LENGTH_MAX })}${button('Hold', 'plain')}`,
        )
      : null,
    choices.includes('cancel') ? act('cancel', button('Cancel', 'danger', 'Cancel this payout?')) : null,
  ].filter((form) => form !== null);
  return forms.length === 0 ? null : html`<div class="actions">${forms}</div>`;
}

export function why({ held, waiting }: OperatorPayout['payout']): Markup | null {
  if (held !== null)
    return html`${badge(held.code, 'warn')}<br><small>${held.text}. ${HELD_CODES[held.code]}</small>`;
  return waiting === null ? null : html`${badge(waiting.code, 'warn')}<br><small>${waiting.reason}</small>`;
}

/** A line for each payment, and one for a transaction whose payments are not known. */
export function unknownTable(
  unknown: readonly UnknownPayments[],
  { catalog, base }: Pick<ShownRows<unknown>, 'catalog' | 'base'>,
): Markup {
  const rows = unknown.flatMap(({ transaction, perhaps }) =>
    (transaction.payments.length === 0 ? [null] : transaction.payments).map((payment) => ({
      ...{ transaction, perhaps, payment },
    })),
  );
  const text = ({ payment }: (typeof rows)[number]): string => {
    if (payment === null) return 'not known';
    return catalog.isListed(payment.asset)
      ? amount(payment.units, catalog.require(payment.asset))
      : `${payment.units} of ${payment.asset}`;
  };
  return table(
    rows,
    [
      {
        title: 'Transaction',
        cell: ({ transaction: { chain, txid } }) => html`${chain}<br>${copyable(txid)}`,
      },
      { title: 'Amount', align: 'end', cell: text },
      { title: 'To', cell: ({ payment }) => html`<code>${payment?.to ?? ''}</code>` },
      { title: 'Mined', cell: ({ transaction }) => instant(transaction.minedAt) },
      {
        title: 'Perhaps paid',
        cell: ({ perhaps }) =>
          html`${perhaps.map((id) => html`<a href="${base}/payouts/${id}"><code>${id}</code></a> `)}`,
      },
    ],
    { empty: '', caption: 'Sent by the hot wallets, and not known here' },
  );
}
