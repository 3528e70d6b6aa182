/**
 * Screens through a service of the operator's choice: POST of the payment as JSON, with the
 * response `{"decision": "pass" | "hit", "reason"?: string}` and status 200. Anything else is
 * `unavailable`.
 */
import type { RiskScreener, RiskSubject, RiskVerdict } from '../../ports/deposits/risk-screener.ts';

const ANSWER_BYTES_MAX = 64 * 1024;
const REASON_CHARACTERS_MAX = 500;

/**
 * @param options.url http(s); `user:password@` in it is sent as Basic authentication. Throws on any
 * other URL.
 */
export function httpScreener(options: { url: string; timeoutMs: number }): RiskScreener {
  const { url, authorization } = readUrl(options.url);
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json', ...authorization };

  return {
    async screen(payment): Promise<RiskVerdict> {
      let text: string;
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers,
          body: requestBody(payment),
          // A redirect would send the credentials and the customer's payment elsewhere.
          redirect: 'manual',
          signal: AbortSignal.timeout(options.timeoutMs),
        });
        if (response.status !== 200) return unavailable(`answered with status ${response.status}`);
        text = await limitedText(response);
      } catch (error) {
        const late = error instanceof DOMException && error.name === 'TimeoutError';
        return unavailable(late ? `gave no answer within ${options.timeoutMs} ms` : 'cannot be reached');
      }
      return readVerdict(text);
    },
  };
}

function requestBody(payment: RiskSubject): string {
  const { depositId, chain, asset, txid, from, to, units, sandbox } = payment;
  return JSON.stringify({ depositId, chain, asset, txid, from, to, units: units.toString(), sandbox });
}

function readVerdict(text: string): RiskVerdict {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return unavailable('did not answer in JSON');
  }
  const { decision, reason } = (answer ?? {}) as { decision?: unknown; reason?: unknown };
  if (decision === 'pass') return { kind: 'pass' };
  if (decision !== 'hit') return unavailable('answered without a decision');
  const given = typeof reason === 'string' ? readable(reason) : '';
  return { kind: 'hit', reason: given === '' ? 'reported by the screening service' : given };
}

/** Text that can be stored and shown: well formed, without NUL, of bounded length. */
function readable(reason: string): string {
  return Array.from(reason.toWellFormed().replaceAll('\0', '').trim())
    .slice(0, REASON_CHARACTERS_MAX)
    .join('');
}

async function limitedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer is too long');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function readUrl(text: string): { url: string; authorization: Record<string, string> } {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error('the risk screening URL must be an http(s) URL');
  }
  const { username, password } = url;
  url.username = '';
  url.password = '';
  if (username === '' && password === '') return { url: url.href, authorization: {} };
  const credentials = Buffer.from(`${percentDecoded(username)}:${percentDecoded(password)}`, 'utf8');
  return { url: url.href, authorization: { Authorization: `Basic ${credentials.toString('base64')}` } };
}

/** A stray `%` in a password stays as it is. */
function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

function unavailable(what: string): RiskVerdict {
  return { kind: 'unavailable', reason: `the screening service ${what}` };
}
