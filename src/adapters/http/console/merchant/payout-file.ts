/** Payouts from a file: every fault named before anything is ordered. */

import type { PayoutPreview } from '../../../../app/console/merchant-desk.ts';
import { html } from '../../checkout/page/html.ts';
import { ordered } from '../kit/acted.ts';
import { amount, area, button, card, facts, field, table, usd } from '../kit/parts.ts';
import { type ConsoleRoute, type MerchantCall, ofMerchant } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import { formIdOf, type MerchantPages } from './merchant-pages.ts';

export function payoutFileRoutes(of: MerchantPages): readonly ConsoleRoute[] {
  return [
    ofMerchant('payouts.create', 'GET', '/payouts/upload', (call) => uploadPage(call)),
    ofMerchant('payouts.create', 'POST', '/payouts/upload', async (call) => {
      const csv = await csvOf(call);
      const preview = await of.desk.previewPayouts(call.desk, csv);
      return preview.ok
        ? previewPage(of, call, { csv, preview: preview.value })
        : uploadPage(call, preview.error);
    }),
    ofMerchant('payouts.create', 'POST', '/payouts/batch', (call) =>
      ordered(call, of.desk.createPayoutBatch(call.desk, call.form.text('csv'), formIdOf(call)), {
        ...{ at: '/payouts', code: 'payout_ordered' },
        refused: (problem) => uploadPage(call, problem),
      }),
    ),
  ];
}

async function csvOf({ form }: MerchantCall): Promise<string> {
  const file = await form.file('file');
  return file === null ? form.text('csv') : new TextDecoder().decode(file.bytes);
}

function uploadPage({ shell, base, form }: MerchantCall, problem: Problem | null = null): Response {
  const body = html`<p>The first line names the columns: <code>address,amount,asset</code> and, if you want, <code>fiat_currency,ref,fee_bearer</code>. Nothing is ordered before you have seen a preview.</p>${shell.form(
    `${base}/payouts/upload`,
    html`${field('file', 'CSV file', { type: 'file', accept: '.csv,text/csv' })}${area('csv', 'Or paste it', { rows: 8, value: form.text('csv') })}${button('Preview')}`,
    { upload: true },
  )}`;
  return shell.page({
    title: 'Upload payouts',
    body,
    problem,
    ...(problem === null ? {} : { status: 422 }),
  });
}

function previewPage(
  { application }: MerchantPages,
  { shell, base }: MerchantCall,
  { csv, preview }: { csv: string; preview: PayoutPreview },
): Response {
  const { catalog } = application;
  const isWhole = preview.faults.length === 0 && preview.payouts.length > 0;
  const body = html`${
    preview.faults.length === 0
      ? null
      : card(
          'Faults',
          table(
            preview.faults,
            [
              { title: 'Row', align: 'end', cell: ({ row }) => String(row) },
              { title: 'Column', cell: ({ column }) => column ?? 'the row' },
              { title: 'Fault', cell: ({ message }) => message },
            ],
            { empty: '', caption: 'Faults' },
          ),
        )
  }${card(
    'In all',
    html`${facts([
      ['Payouts', String(preview.payouts.length)],
      ['Worth', usd(preview.amountMicroUsd)],
      ['Network fees', usd(preview.feeMicroUsd)],
      ['Taken from your balance', usd(preview.reservedMicroUsd)],
      ['You have', usd(preview.availableMicroUsd)],
    ])}${preview.coversIt ? null : html`<p class="message bad">Your balance does not cover it.</p>`}${
      preview.needsApproval ? html`<p class="message warn">A second person has to approve it.</p>` : null
    }`,
  )}${card(
    'Payouts',
    table(
      preview.payouts,
      [
        { title: 'Row', align: 'end', cell: ({ row }) => String(row) },
        { title: 'Address', cell: ({ input }) => input.address },
        { title: 'Amount', align: 'end', cell: ({ input, amountUnits }) => amount(amountUnits, input.asset) },
        { title: 'Arrives', align: 'end', cell: ({ input, sentUnits }) => amount(sentUnits, input.asset) },
        { title: 'Reference', cell: ({ input }) => input.ref },
      ],
      { empty: 'No row is without a fault.', caption: 'Payouts' },
    ),
  )}${card(
    'By asset',
    table(
      preview.totals,
      [
        { title: 'Asset', cell: ({ asset }) => asset },
        { title: 'Payouts', align: 'end', cell: ({ count }) => String(count) },
        { title: 'Amount', align: 'end', cell: (row) => amount(row.amountUnits, catalog.require(row.asset)) },
        { title: 'Fees', align: 'end', cell: (row) => amount(row.feeUnits, catalog.require(row.asset)) },
      ],
      { empty: '', caption: 'By asset' },
    ),
  )}${
    isWhole
      ? shell.form(
          `${base}/payouts/batch`,
          html`${shell.formId()}<textarea name="csv" hidden>${csv}</textarea>${button('Pay all of them out', 'main', 'Send all these payouts?')}`,
        )
      : html`<p>Correct the file, and <a href="${base}/payouts/upload">upload it again</a>.</p>`
  }`;
  return shell.page({ title: 'Preview', body, ...(isWhole ? {} : { status: 422 }) });
}
