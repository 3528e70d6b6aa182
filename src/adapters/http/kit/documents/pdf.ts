/**
 * What PDFs share: DejaVu Sans, with Latin, Cyrillic and Greek letters (decision 0036), and the
 * document as bytes.
 */
import { readFile } from 'node:fs/promises';

/** Points: 72 to the inch. */
export const MILLIMETRE = 72 / 25.4;
export const INK = '#12161d';
export const SOFT = '#566070';

/** Letters that the font does not have, or that pdfkit cannot put in their order. */
const FOREIGN =
  /[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Common}\p{Script=Inherited}]/u;

/** Whether a PDF can show the text. */
export function hasGlyphs(text: string): boolean {
  return !FOREIGN.test(text);
}

interface Fonts {
  readonly regular: Buffer;
  readonly bold: Buffer;
}

let fonts: Promise<Fonts> | null = null;

export function loadedFonts(): Promise<Fonts> {
  const font = (name: string) =>
    readFile(Bun.resolveSync(`dejavu-fonts-ttf/ttf/${name}.ttf`, import.meta.dir));
  fonts ??= Promise.all([font('DejaVuSans'), font('DejaVuSans-Bold')])
    .then(([regular, bold]) => ({ regular, bold }))
    .catch((error: unknown) => {
      fonts = null;
      throw error;
    });
  return fonts;
}

export function registerFonts(document: PDFKit.PDFDocument, { regular, bold }: Fonts): void {
  document.registerFont('regular', regular);
  document.registerFont('bold', bold);
}

/** Ends the document. */
export function bytesOf(document: PDFKit.PDFDocument): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    document.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    document.on('end', () => resolve(new Uint8Array(Buffer.concat(chunks))));
    document.on('error', reject);
    document.end();
  });
}
