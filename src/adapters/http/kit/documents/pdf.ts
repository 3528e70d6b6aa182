/**
 * What PDFs share: DejaVu Sans and its bold letters (decision 0036), and the document as bytes.
 * What the fonts can show is asked of the fonts themselves: emoji and other signs are of no script.
 */
import { readFile } from 'node:fs/promises';

/** Points: 72 to the inch. */
export const MILLIMETRE = 72 / 25.4;
export const INK = '#12161d';
export const SOFT = '#566070';

export interface PdfFonts {
  readonly regular: Buffer;
  readonly bold: Buffer;
  /** Whether both have a glyph for each character of the printable text. */
  hasAll(text: string): boolean;
}

/** What pdfkit keeps of a TrueType font; its types do not name it. */
interface WithFont {
  readonly _font: { readonly font: { hasGlyphForCodePoint(codePoint: number): boolean } };
}

/** Scripts that pdfkit puts in their order. The font has letters of others as well. */
const FOREIGN =
  /[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Common}\p{Script=Inherited}]/u;
/** Drawn as nothing: joiners, variation selectors, marks of direction; and ends of lines. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\n]/gu;

/** The class of documents. It is loaded for the first one, since it takes 40 MB. */
export async function pdfkit() {
  return (await import('pdfkit')).default;
}

let fonts: Promise<PdfFonts> | null = null;

export function pdfFonts(): Promise<PdfFonts> {
  fonts ??= loadedFonts().catch((error: unknown) => {
    fonts = null;
    throw error;
  });
  return fonts;
}

/** The text with every end of a line as "\n", and other control characters as spaces. */
export function printable(text: string): string {
  return text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(/[^\P{Cc}\n]/gu, ' ');
}

async function loadedFonts(): Promise<PdfFonts> {
  const font = (name: string) =>
    readFile(Bun.resolveSync(`dejavu-fonts-ttf/ttf/${name}.ttf`, import.meta.dir));
  const [PDFDocument, regular, bold] = await Promise.all([
    pdfkit(),
    font('DejaVuSans'),
    font('DejaVuSans-Bold'),
  ]);
  const opened = [regular, bold].map((bytes) => {
    const document = new PDFDocument({ font: '' }).font(bytes);
    return (document as unknown as WithFont)._font.font;
  });
  return {
    ...{ regular, bold },
    hasAll: (text) =>
      !FOREIGN.test(text) &&
      [...new Set(text.replace(UNSEEN, ''))].every((character) =>
        opened.every((each) => each.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)),
      ),
  };
}

export function registerFonts(document: PDFKit.PDFDocument, { regular, bold }: PdfFonts): void {
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
