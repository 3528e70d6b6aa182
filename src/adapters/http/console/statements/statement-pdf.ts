/**
 * A statement as a PDF on A4, by pdfkit: the merchant, the period, a table of all lines with the
 * running balance, the totals, and numbered pages. It has at most PDF_LINES_MAX lines: the CSV has
 * any number. One is written at a time, and others have their turn in between: it takes seconds of
 * the processor that answers payments.
 */

import { setImmediate } from 'node:timers/promises';
import type { Statement } from '../../../../app/console/statement.ts';
import type { AssetCatalog } from '../../../../domain/catalog/asset.ts';
import { startOfDay } from '../../../../domain/console/day-figure.ts';
import {
  daysOfMonth,
  grossMicroUsd,
  monthText,
  NO_TOTALS,
  type StatementLine,
  type StatementTotals,
  withLines,
} from '../../../../domain/console/statement.ts';
import { oneAtATime } from '../../../shared/one-at-a-time.ts';
import {
  bytesOf,
  INK,
  MILLIMETRE,
  type PdfFonts,
  pdfFonts,
  pdfkit,
  printable,
  registerFonts,
  SOFT,
} from '../../kit/documents/pdf.ts';
import { coinAmount, entryName, instantText, periodText, TOTAL_NAMES, usd } from './statement-text.ts';

/** 250 pages: some megabytes in memory. */
export const PDF_LINES_MAX = 10_000;

const WIDTH = 297 * MILLIMETRE;
const HEIGHT = 210 * MILLIMETRE;
const MARGIN = 15 * MILLIMETRE;
const ROW = 4.2 * MILLIMETRE;
const SIZE = 7.5;
const BOTTOM = HEIGHT - MARGIN - 2 * ROW;

interface Column {
  readonly name: string;
  /** From the left margin, and its width: millimetres. */
  readonly at: number;
  readonly width: number;
  readonly right?: boolean;
}
const COLUMNS: readonly Column[] = [
  { name: 'Time (UTC)', at: 0, width: 31 },
  { name: 'What', at: 32, width: 33 },
  { name: 'Reference', at: 66, width: 42 },
  { name: 'Coin', at: 109, width: 55, right: true },
  { name: 'Amount, USD', at: 165, width: 26, right: true },
  { name: 'Fee, USD', at: 192, width: 20, right: true },
  { name: 'Change, USD', at: 213, width: 25, right: true },
  { name: 'Balance, USD', at: 239, width: 28, right: true },
];

/** Some milliseconds. */
const ROWS_AT_ONCE = 50;
const inTurn = oneAtATime();

/** Null if it has too many lines. */
export async function statementPdf(
  statement: Statement,
  catalog: AssetCatalog,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (statement.count > PDF_LINES_MAX) return null;
  return inTurn(() => written(statement, catalog));
}

async function written(statement: Statement, catalog: AssetCatalog): Promise<Uint8Array<ArrayBuffer>> {
  const [PDFDocument, fonts] = await Promise.all([pdfkit(), pdfFonts()]);
  const shownName = nameIn(fonts, statement);
  const document = new PDFDocument({
    ...{ size: [WIDTH, HEIGHT] as [number, number], margin: MARGIN, bufferPages: true },
    // Without one, pdfkit reads the metrics of a standard font.
    font: '',
    info: {
      Title: `Statement ${monthText(statement.month)}`,
      Author: shownName,
      CreationDate: statement.madeAt,
    },
  });
  registerFonts(document, fonts);
  const page = writer(document);
  writeHead(page, statement, shownName);
  let totals = NO_TOTALS;
  let balance = statement.openingMicroUsd;
  const { first, last } = daysOfMonth(statement.month);
  const opened = instantText(startOfDay(first));
  page.row([opened, 'Opening balance', null, null, null, null, null, usd(balance)], 'bold');
  for await (const lines of statement.lines()) {
    totals = withLines(totals, lines);
    for (const [nth, line] of lines.entries()) {
      if (nth % ROWS_AT_ONCE === 0) await setImmediate();
      balance += line.netMicroUsd;
      page.row(cellsOf(line, balance, catalog));
    }
  }
  const end = statement.isComplete
    ? [instantText(startOfDay(last + 1)), 'Closing balance']
    : [instantText(statement.madeAt), 'Balance so far'];
  page.row([...end, null, null, null, null, null, usd(statement.closingMicroUsd)], 'bold');
  writeTotals(page, totals);
  numberPages(document, statement, shownName);
  return bytesOf(document);
}

/** Names in letters that the font lacks are on the console's page only. */
function nameIn({ hasAll }: PdfFonts, { legalName, name, scope }: Statement): string {
  return (
    [legalName, name].find((text) => text !== null && hasAll(printable(text))) ??
    `Merchant ${scope.merchantId}`
  );
}

type Writer = ReturnType<typeof writer>;

/** Writes rows from the top to the bottom, and begins pages. */
function writer(document: PDFKit.PDFDocument) {
  let y = MARGIN;
  // No digit is cut off: a long text is written smaller.
  const cell = (text: string, { at, width, right }: Column, font: string, colour = INK) => {
    const room = width * MILLIMETRE;
    document.font(font).fontSize(SIZE).fillColor(colour);
    const wide = document.widthOfString(text);
    if (wide > room) document.fontSize((SIZE * room * 0.99) / wide);
    document.text(text, MARGIN + at * MILLIMETRE, y, {
      ...{ width: room, height: ROW, lineBreak: false },
      align: right === true ? 'right' : 'left',
    });
  };
  const line = () => {
    const to = y + ROW * 0.85;
    document
      .moveTo(MARGIN, to)
      .lineTo(WIDTH - MARGIN, to)
      .lineWidth(0.5)
      .strokeColor(SOFT)
      .stroke();
  };
  const heading = () => {
    for (const column of COLUMNS) cell(column.name, column, 'bold', SOFT);
    line();
    y += ROW * 1.3;
  };
  /** Room for so many rows, on a new page if need be. */
  const need = (rows: number) => {
    if (y + rows * ROW <= BOTTOM) return;
    document.addPage();
    y = MARGIN;
    heading();
  };
  return {
    need,
    heading,
    row(texts: readonly (string | null)[], font = 'regular') {
      need(1);
      for (const [place, column] of COLUMNS.entries()) {
        const text = texts[place] ?? null;
        if (text !== null) cell(text, column, font);
      }
      y += ROW;
    },
    text(words: string, { font = 'regular', scale = 1, colour = INK } = {}) {
      document
        .font(font)
        .fontSize(SIZE * scale)
        .fillColor(colour);
      document.text(words, MARGIN, y, { width: WIDTH - 2 * MARGIN, height: ROW * scale, ellipsis: true });
      y += ROW * Math.max(1, scale);
    },
    gap(rows = 0.6) {
      y += ROW * rows;
    },
  };
}

function writeHead(page: Writer, statement: Statement, shownName: string): void {
  page.text(shownName, { font: 'bold', scale: 1.3 });
  page.text('Statement of account', { font: 'bold', scale: 2 });
  page.gap();
  if (statement.scope.sandbox) page.text('SANDBOX: nothing here is money.', { font: 'bold' });
  if (!statement.isComplete) page.text('The month is not over: more lines may come.', { font: 'bold' });
  page.text(`Period: ${periodText(statement)}`);
  page.text(`Merchant: ${statement.scope.merchantId}`);
  page.text(`Made at ${instantText(statement.madeAt)} (UTC) from ${statement.count} lines of the ledger`);
  page.text('All balances and amounts are in US dollars. A statement, not a tax document.', { colour: SOFT });
  page.gap();
  page.heading();
}

function cellsOf(line: StatementLine, balance: bigint, catalog: AssetCatalog): readonly string[] {
  const { at, entry, referenceId, feeMicroUsd, netMicroUsd } = line;
  return [
    ...[instantText(at), entryName(entry), referenceId, coinAmount(line, catalog)],
    ...[usd(grossMicroUsd(line)), usd(feeMicroUsd), usd(netMicroUsd), usd(balance)],
  ];
}

function writeTotals(page: Writer, totals: StatementTotals): void {
  page.need(totals.length + 3);
  page.gap();
  page.text('Totals', { font: 'bold', scale: 1.2 });
  for (const { kind, count, grossMicroUsd: gross, feeMicroUsd, netMicroUsd } of totals)
    page.row([String(count), TOTAL_NAMES[kind], null, null, usd(gross), usd(feeMicroUsd), usd(netMicroUsd)]);
  const sum = (of: (total: StatementTotals[number]) => bigint) =>
    usd(totals.reduce((all, one) => all + of(one), 0n));
  page.row(
    [
      ...[String(totals.reduce((all, { count }) => all + count, 0)), 'All', null, null],
      ...[sum((one) => one.grossMicroUsd), sum((one) => one.feeMicroUsd), sum((one) => one.netMicroUsd)],
    ],
    'bold',
  );
}

/** At the foot of each page, once their number is known. */
function numberPages(document: PDFKit.PDFDocument, statement: Statement, shownName: string): void {
  const { count } = document.bufferedPageRange();
  const what = `${shownName} · ${monthText(statement.month)}`;
  for (let nth = 0; nth < count; nth += 1) {
    document.switchToPage(nth);
    const y = HEIGHT - MARGIN - ROW;
    const options = { width: WIDTH - 2 * MARGIN, height: ROW, lineBreak: false, ellipsis: true };
    document.font('regular').fontSize(SIZE).fillColor(SOFT);
    document.text(what, MARGIN, y, options);
    document.text(`Page ${nth + 1} of ${count}`, MARGIN, y, { ...options, align: 'right' });
  }
}
