/**
 * The receipt as a PDF, by pdfkit with DejaVu Sans: Latin, Cyrillic and Greek letters (decision
 * 0036). A receipt with other letters has no PDF; its page can be printed.
 */
import {
  bytesOf,
  INK,
  MILLIMETRE,
  pdfFonts,
  pdfkit,
  printable,
  registerFonts,
  SOFT,
} from '../../kit/documents/pdf.ts';
import type { Receipt, ReceiptLine } from './receipt.ts';
import type { Paper } from './receipt-path.ts';

const LAYOUTS = {
  a4: { width: 210 * MILLIMETRE, height: 297 * MILLIMETRE, margin: 20 * MILLIMETRE, size: 10 },
  roll: { width: 80 * MILLIMETRE, height: null, margin: 5 * MILLIMETRE, size: 8 },
} as const satisfies Record<Paper, object>;
/** PDF pages have an end. A roll is cut below the last line. */
const HEIGHT_MAX = 14_400;

/** Whether a PDF can be made of it: the fonts have all that is written. */
export async function canBePdf(receipt: Receipt): Promise<boolean> {
  const { facts, sums, received, total, transactions } = receipt;
  const { warning, heading, merchant, subject, description, transactionsHeading } = receipt;
  const texts = [warning, heading, merchant, subject, description, transactionsHeading];
  const lines = [...facts, ...sums, total, ...received].flatMap(({ name, value }) => [name, value]);
  const paid = transactions.flatMap(({ amount, network, txid }) => [amount, network, txid]);
  const { hasAll } = await pdfFonts();
  return hasAll(printable([...texts, ...lines, ...paid].join(' ')));
}

/** `at`: the creation date of the document, so that the same receipt has the same bytes. */
export async function receiptPdf(receipt: Receipt, paper: Paper, at: Date): Promise<Uint8Array<ArrayBuffer>> {
  const [PDFDocument, fonts] = await Promise.all([pdfkit(), pdfFonts()]);
  const { width, height, margin } = LAYOUTS[paper];
  const made = (pageHeight: number) =>
    new PDFDocument({
      size: [width, pageHeight],
      margin,
      // Without one, pdfkit reads the metrics of a standard font.
      font: '',
      info: { Title: receipt.heading, Author: receipt.merchant ?? '', CreationDate: at },
    });
  const write = (document: PDFKit.PDFDocument) => {
    registerFonts(document, fonts);
    writeReceipt(document, receipt, LAYOUTS[paper].size);
    return document;
  };
  if (height !== null) return bytesOf(write(made(height)));
  const measured = write(made(HEIGHT_MAX));
  const end = Math.min(HEIGHT_MAX, Math.ceil(measured.y + margin));
  measured.end();
  return bytesOf(write(made(end)));
}

function writeReceipt(document: PDFKit.PDFDocument, receipt: Receipt, size: number): void {
  const text = (words: string, { font = 'regular', scale = 1, colour = INK } = {}) =>
    document
      .font(font)
      .fontSize(size * scale)
      .fillColor(colour)
      .text(printable(words));
  const gap = (lines = 0.6) => document.font('regular').fontSize(size).moveDown(lines);
  if (receipt.warning !== null) text(receipt.warning, { font: 'bold' });
  if (receipt.merchant !== null) text(receipt.merchant, { font: 'bold', scale: 1.2 });
  text(receipt.heading, { font: 'bold', scale: 1.6 });
  gap();
  writeLines(document, receipt.facts, size);
  gap();
  if (receipt.subject !== null) text(receipt.subject, { font: 'bold' });
  if (receipt.description !== null) text(receipt.description, { colour: SOFT });
  if (receipt.subject !== null || receipt.description !== null) gap();
  writeLines(document, receipt.sums, size);
  writeLines(document, [receipt.total], size * 1.2, 'bold');
  gap();
  writeLines(document, receipt.received, size);
  gap();
  text(receipt.transactionsHeading, { font: 'bold' });
  for (const { amount, network, txid } of receipt.transactions) {
    text(`${amount} · ${network}`);
    text(txid, { scale: 0.8, colour: SOFT });
    gap(0.3);
  }
}

/** The name at the left, the value at the right; a long value begins below its name. */
function writeLines(
  document: PDFKit.PDFDocument,
  lines: readonly ReceiptLine[],
  size: number,
  font = 'regular',
): void {
  const { left, right } = document.page.margins;
  const width = document.page.width - left - right;
  for (const line of lines) {
    const [name, value] = [printable(line.name), printable(line.value)];
    document.font(font).fontSize(size);
    const fits = document.widthOfString(name) + document.widthOfString(value) + size < width;
    document.fillColor(SOFT).text(name);
    if (fits) document.moveUp();
    document.fillColor(INK).text(value, { align: 'right' });
  }
}
