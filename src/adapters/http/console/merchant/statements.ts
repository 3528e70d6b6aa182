/** Monthly statements: the list of months, one on the page, and as CSV and PDF. */
import type { Statement } from '../../../../app/console/statement.ts';
import { type Month, monthFrom, monthOf, monthText } from '../../../../domain/console/statement.ts';
import { html } from '../../checkout/page/html.ts';
import { download } from '../kit/answers.ts';
import { notFound } from '../kit/gate.ts';
import { badge, card, facts, table, usd } from '../kit/parts.ts';
import { type ConsoleRoute, type MerchantCall, ofMerchant } from '../kit/route.ts';
import { statementCsv } from '../statements/statement-csv.ts';
import { PDF_LINES_MAX, statementPdf } from '../statements/statement-pdf.ts';
import { statementFileName } from '../statements/statement-text.ts';
import type { MerchantPages } from './merchant-pages.ts';

const MONTHS_SHOWN = 24;

export function statementRoutes(of: MerchantPages): readonly ConsoleRoute[] {
  return [
    ofMerchant('ledger.read', 'GET', '/statements', (call) => monthsPage(call)),
    ofMerchant('ledger.read', 'GET', '/statements/:month', (call) => monthPage(of, call)),
    ofMerchant('ledger.read', 'GET', '/statements/:month/csv', async (call) => {
      const statement = await exportedIn(of, call, 'csv');
      if (statement === null) return notFound(call.shell);
      const body = await statementCsv(statement, of.application.catalog, {
        signal: call.request.signal,
        onFailure: of.onBug,
      });
      return download(body, { name: `${statementFileName(statement)}.csv`, type: 'text/csv; charset=utf-8' });
    }),
    ofMerchant('ledger.read', 'GET', '/statements/:month/pdf', async (call) => {
      const statement = await exportedIn(of, call, 'pdf');
      if (statement === null) return notFound(call.shell);
      const body = await statementPdf(statement, of.application.catalog);
      if (body === null) return tooLong(call);
      return download(body, { name: `${statementFileName(statement)}.pdf`, type: 'application/pdf' });
    }),
  ];
}

async function statementIn(
  { application }: MerchantPages,
  { desk, params }: MerchantCall,
): Promise<Statement | null> {
  const month = monthFrom(params.month ?? '');
  return month === null ? null : application.console.statement(desk.caller.scope, month);
}

async function exportedIn(
  { desk: of }: MerchantPages,
  { desk, params }: MerchantCall,
  format: 'csv' | 'pdf',
): Promise<Statement | null> {
  const month = monthFrom(params.month ?? '');
  return month === null ? null : of.exportStatement(desk, month, format);
}

function tooLong({ shell, base, params }: MerchantCall): Response {
  return shell.page({
    status: 422,
    title: 'The PDF would be too long',
    body: html`<p>A PDF has at most ${String(PDF_LINES_MAX)} lines. <a href="${base}/statements/${params.month ?? ''}/csv">Take the CSV</a>, which has any number.</p>`,
  });
}

/** The months since the merchant was made. */
function monthsPage({ shell, base, now, desk }: MerchantCall): Response {
  const months: Month[] = [];
  const first = monthText(monthOf(desk.caller.merchant.createdAt));
  for (let nth = 0; nth < MONTHS_SHOWN; nth += 1) {
    const month = monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - nth, 1)));
    if (monthText(month) < first) break;
    months.push(month);
  }
  const body = table(
    months.map(monthText),
    [
      { title: 'Month (UTC)', cell: (month) => html`<a href="${base}/statements/${month}">${month}</a>` },
      {
        title: 'Files',
        cell: (month) =>
          html`<a href="${base}/statements/${month}/csv">CSV</a> <a href="${base}/statements/${month}/pdf">PDF</a>`,
      },
    ],
    { empty: 'There is no month yet.', caption: 'Statements' },
  );
  return shell.page({ title: 'Statements', body: card('Months', body) });
}

async function monthPage(of: MerchantPages, call: MerchantCall): Promise<Response> {
  const { shell, base } = call;
  const statement = await statementIn(of, call);
  if (statement === null) return notFound(shell);
  const month = monthText(statement.month);
  const body = html`${card(
    'Sum',
    facts([
      ['State', statement.isComplete ? badge('complete', 'good') : badge('the month is not over', 'warn')],
      ['Balance at the beginning', usd(statement.openingMicroUsd)],
      ['Balance at the end', usd(statement.closingMicroUsd)],
      ['Lines', String(statement.count)],
    ]),
  )}<p class="actions"><a class="button" href="${base}/statements/${month}/csv">CSV</a><a class="button" href="${base}/statements/${month}/pdf">PDF</a></p><p class="hint">A statement, not a tax document.</p>`;
  return shell.page({ title: `Statement of ${month}`, body });
}
