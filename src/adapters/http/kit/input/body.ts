/** Reads the JSON body of a request within its limit, in chunks or at once (decision 0003). */
import { type AppError, appError, validationError } from '../../../../domain/errors.ts';
import type { JsonObject } from '../../../../domain/money/json.ts';
import { err, ok, type Result } from '../../../../domain/result.ts';
import { parseExactJson } from './exact-json.ts';

export interface BodyRules {
  /** False if an empty body stands for an empty object. */
  readonly required: boolean;
  readonly refuseRepeatedKeys: boolean;
}

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

/** The body's bytes, of the right media type. */
export async function readBody(request: Request, limitBytes: number): Promise<Result<Uint8Array, AppError>> {
  if (request.body !== null) {
    const refusal = mediaTypeRefusal(request.headers);
    if (refusal !== null) return err(refusal);
  }
  const bytes = await readBytes(request, limitBytes).catch(() => 'cut off' as const);
  if (bytes === 'cut off') return err(invalidJson('The body is incomplete.'));
  return bytes === null ? err(tooLarge(limitBytes)) : ok(bytes);
}

export function parseBody(bytes: Uint8Array, rules: BodyRules): Result<JsonObject, AppError> {
  if (bytes.byteLength === 0) return rules.required ? err(invalidJson('The body is empty.')) : ok({});
  const text = decodeUtf8(bytes);
  if (text === null) return err(invalidJson('The body is not UTF-8.'));
  const read = parseExactJson(text, { ...rules, emptyList: !rules.required });
  switch (read.kind) {
    case 'object':
      return ok(read.value);
    case 'malformed':
      return err(invalidJson('The body is not a JSON object.'));
    case 'refused':
      return err(validationError(read.faults));
  }
}

function mediaTypeRefusal(headers: Headers): AppError | null {
  const type = headers.get('content-type') ?? '';
  if (type !== 'application/json' && !JSON_TYPE.test(type.trim())) {
    return appError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json, in UTF-8.');
  }
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
    return appError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without Content-Encoding.');
  }
  return null;
}

/** Null when the body is longer than `limit`, by Content-Length or while a chunked body is read. */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array | null> {
  const { body } = request;
  if (body === null) return new Uint8Array();
  const declared = request.headers.get('content-length');
  if (declared !== null) return Number(declared) > limit ? null : request.bytes();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    length += value.byteLength;
    if (length > limit) {
      await reader.cancel();
      return null;
    }
    chunks.push(value);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function invalidJson(reason: string): AppError {
  return appError('INVALID_JSON', `${reason} Send one JSON object.`);
}

function tooLarge(limit: number): AppError {
  return appError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`);
}
