/**
 * Sends texts. A large one is compressed and has an ETag, so that a client that has it need not
 * read it again.
 */
import { acceptedEncoding, KeptText } from './documents/compressed.ts';

/** A shorter text is hardly smaller when compressed. */
const LARGE_CHARACTERS = 2_048;
/** Of brotli, for a text that is made for one request. */
const QUICK_QUALITY = 4;
const TAG_CHARACTERS = 22;

/**
 * The response to `request`. A large body of a successful GET gets a weak ETag (RFC 9110, 8.8.3),
 * which is the same for every encoding. The response is 304 without a body when If-None-Match
 * contains that ETag.
 */
export function sent(
  request: Request,
  { status, body }: { readonly status: number; readonly body: string },
  headers: Readonly<Record<string, string>>,
): Response {
  return sentText(request, status, new SentText(body), headers);
}

/** For a text that is the same for every request: its encodings and its ETag are made once. */
export function sentAlike(
  text: string,
  headers: Readonly<Record<string, string>>,
): (request: Request) => Response {
  const made = new SentText(text);
  return (request) => sentText(request, 200, made, headers);
}

class SentText extends KeptText {
  #tag: string | null = null;

  constructor(text: string) {
    super(text, QUICK_QUALITY);
  }

  get tag(): string {
    this.#tag ??= tagOf(this.text);
    return this.#tag;
  }
}

function sentText(
  request: Request,
  status: number,
  body: SentText,
  headers: Readonly<Record<string, string>>,
): Response {
  if (body.text.length < LARGE_CHARACTERS) return new Response(body.text, { status, headers });
  const encoding = acceptedEncoding(request.headers.get('accept-encoding'));
  const told: Record<string, string> = { ...headers, vary: 'accept-encoding' };
  if (encoding !== null) told['content-encoding'] = encoding;
  if (status === 200 && (request.method === 'GET' || request.method === 'HEAD')) {
    told.etag = body.tag;
    // The client may keep it, and must revalidate it.
    told['cache-control'] = 'private, no-cache';
    if (names(request.headers.get('if-none-match'), body.tag)) {
      delete told['content-encoding'];
      return new Response(null, { status: 304, headers: told });
    }
  }
  return new Response(encoding === null ? body.text : body.in(encoding), { status, headers: told });
}

function tagOf(text: string): string {
  const digest = new Bun.CryptoHasher('sha256').update(text).digest('base64url');
  return `W/"${digest.slice(0, TAG_CHARACTERS)}"`;
}

/** Weak comparison (RFC 9110, 13.1.2). */
function names(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  const opaque = (each: string): string => each.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((each) => each.trim() === '*' || opaque(each) === opaque(tag));
}
