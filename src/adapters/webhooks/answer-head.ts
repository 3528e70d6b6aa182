/**
 * Reads the head of an HTTP/1.1 response: the status, the framing of its body, and whether the
 * connection persists (RFC 9112, 6 and 9).
 */

export interface AnswerHead {
  readonly status: number;
  /** `close`: the body ends with the connection, or its framing cannot be trusted. */
  readonly body: { readonly kind: 'chunked' | 'close' } | { readonly kind: 'length'; readonly bytes: number };
  /**
   * The server accepts another request on this connection, and the end of this response is known.
   */
  readonly persistent: boolean;
  /** After how long the server closes an idle connection, in milliseconds, if it says so. */
  readonly serverIdleMs: number | null;
}

/** Null without a status line of HTTP/1.x. Later errors only make the connection unusable. */
export function readHead(text: string): AnswerHead | null {
  const [statusLine = '', ...lines] = text.split(/\r?\n/);
  const found = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/.exec(statusLine);
  if (found === null) return null;
  const status = Number(found[2]);
  const fields = readFields(lines);
  const body = framing(status, fields);
  const tokens = listOf(fields, 'connection');
  const staysOpen = found[1] === '1' ? !tokens.includes('close') : tokens.includes('keep-alive');
  const idle = /(?:^|,)timeout *= *(\d{1,6})/.exec(listOf(fields, 'keep-alive').join())?.[1];
  return {
    status,
    body,
    persistent: staysOpen && body.kind !== 'close' && !isAmbiguous(found[1], fields),
    serverIdleMs: idle === undefined ? null : Number(idle) * 1_000,
  };
}

type HeaderFields = ReadonlyMap<string, readonly string[]>;

function readFields(lines: readonly string[]): HeaderFields {
  const fields = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon).toLowerCase();
    const values = fields.get(name);
    const value = line.slice(colon + 1).trim();
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
}

function framing(status: number, fields: HeaderFields): AnswerHead['body'] {
  if (status < 200 || status === 204 || status === 304) return { kind: 'length', bytes: 0 };
  if (fields.has('transfer-encoding'))
    return { kind: listOf(fields, 'transfer-encoding').at(-1) === 'chunked' ? 'chunked' : 'close' };
  const lengths = new Set(listOf(fields, 'content-length'));
  const [length = ''] = lengths;
  return lengths.size === 1 && /^\d{1,15}$/.test(length)
    ? { kind: 'length', bytes: Number(length) }
    : { kind: 'close' };
}

/** If two readers could see different ends, no request may follow (RFC 9112, 6.1). */
function isAmbiguous(minorVersion: string | undefined, fields: HeaderFields): boolean {
  if (!fields.has('transfer-encoding')) return false;
  const codings = listOf(fields, 'transfer-encoding');
  return minorVersion === '0' || fields.has('content-length') || codings.length > 1;
}

/** The members of a list field, in lower case. */
function listOf(fields: HeaderFields, name: string): readonly string[] {
  const values = fields.get(name) ?? [];
  return values.flatMap((value) => value.toLowerCase().split(',')).map((member) => member.trim());
}
