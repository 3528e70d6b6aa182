/**
 * Shared by the price sources: one GET over HTTPS, limited in time and size, parsed without binary
 * floats.
 */
import { parseNumbersAsText } from '../../domain/money/lossless-json.ts';
import type { QuotedPrice } from '../../domain/rates/quote-age.ts';
import type { RateQuote, RateSource } from '../../ports/rates/rate-source.ts';

export interface RateSourceOptions {
  /** Replaces the service's own origin, for example with a mirror's. */
  readonly origin?: string;
  /** For the whole request; default 10,000. */
  readonly timeoutMs?: number;
  /** The coins to request from services that know coins by ticker; default: the built-in ones. */
  readonly tickers?: readonly string[];
}

/**
 * The service was unreachable or returned no usable price. The message names the source and the
 * cause.
 */
class RateSourceUnavailable extends Error {
  override readonly name = 'RateSourceUnavailable';
}

/** Every suitable service has trades in each of the coins every few minutes. */
const WINDOW_SECONDS = 900;
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;

export function jsonRateSource(
  source: {
    readonly name: string;
    readonly origin: string;
    readonly path: string;
    /**
     * Extracts usable prices from the response, in which every number is text; must not throw for
     * any input.
     */
    readonly read: (answer: unknown) => {
      usdPerAsset?: Map<string, QuotedPrice>;
      fiatPerUsd?: Map<string, QuotedPrice>;
    };
  },
  options: RateSourceOptions = {},
): RateSource {
  const url = (options.origin ?? source.origin) + source.path;
  const timeoutMs = options.timeoutMs ?? 10_000;
  return {
    name: source.name,
    windowSeconds: WINDOW_SECONDS,
    async fetch(): Promise<RateQuote> {
      const answer = await getJson(url, timeoutMs).catch((error: unknown) => {
        throw new RateSourceUnavailable(`${source.name} ${causeOf(error, timeoutMs)}`);
      });
      const { usdPerAsset = new Map<string, QuotedPrice>(), fiatPerUsd = new Map<string, QuotedPrice>() } =
        source.read(answer);
      if (usdPerAsset.size + fiatPerUsd.size === 0) {
        throw new RateSourceUnavailable(`${source.name} answered without a usable price`);
      }
      return { usdPerAsset, fiatPerUsd };
    },
  };
}

class UnusableAnswer extends Error {}

async function getJson(url: string, timeoutMs: number): Promise<unknown> {
  const response = await fetch(url, {
    headers: { Accept: 'application/json', 'User-Agent': 'Quittance' },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status !== 200) throw new UnusableAnswer(`answered with status ${response.status}`);
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new UnusableAnswer('answered with more than 2 MiB');
    text += decoder.decode(chunk, { stream: true });
  }
  return parseNumbersAsText(text + decoder.decode());
}

function causeOf(error: unknown, timeoutMs: number): string {
  if (error instanceof UnusableAnswer) return error.message;
  if (error instanceof SyntaxError) return 'did not answer in JSON';
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return `gave no answer in ${timeoutMs} ms`;
  return 'cannot be reached';
}
