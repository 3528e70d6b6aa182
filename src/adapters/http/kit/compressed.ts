/** Bodies in the smallest form that the caller's browser reads. */
import { brotliCompressSync, constants } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

/** What the browser accepts, the smaller first; null for plain. A weight of 0 is a refusal (RFC 9110, 12.5.3). */
export function acceptedEncoding(header: string | null): Encoding | null {
  const parts = (header ?? '').toLowerCase().replace(/\s/g, '').split(',');
  const accepts = (encoding: Encoding): boolean =>
    parts.some((part) => part.split(';')[0] === encoding && !/;q=0(?:\.0*)?$/.test(part));
  if (accepts('br')) return 'br';
  return accepts('gzip') ? 'gzip' : null;
}

/** `quality` of brotli: 11 for what is compressed once and kept, less for what is made for one request. */
export function compressed(text: string, encoding: Encoding, quality: number): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  if (encoding === 'gzip') return Bun.gzipSync(bytes);
  return new Uint8Array(brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }));
}

/** A text that is sent again and again: each form of it is made when it is first asked for, and kept. */
export class KeptText {
  readonly text: string;
  readonly #quality: number;
  readonly #forms = new Map<Encoding, Uint8Array<ArrayBuffer>>();

  constructor(text: string, quality: number) {
    this.text = text;
    this.#quality = quality;
  }

  in(encoding: Encoding): Uint8Array<ArrayBuffer> {
    const known = this.#forms.get(encoding);
    if (known) return known;
    const bytes = compressed(this.text, encoding, this.#quality);
    this.#forms.set(encoding, bytes);
    return bytes;
  }
}
