/**
 * A browser's side of server-sent events, as far as tests need it: one event after the other,
 * waited for with patience.
 */
import { within } from '../runtime/poll.ts';

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

export interface EventReader {
  readonly response: Response;
  /** The next event with data; null when the server ended the stream. */
  next(): Promise<ServerEvent | null>;
  /**
   * The next block of any kind, as it came: events, comments. Null when the server ended the
   * stream.
   */
  block(): Promise<string | null>;
  leave(): void;
}

const PATIENCE_MS = 20_000;

export async function readEvents(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventReader> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let over = reader === undefined;

  async function block(): Promise<string | null> {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const found = text.slice(0, end);
        text = text.slice(end + 2);
        return found;
      }
      if (over || reader === undefined) return null;
      const { done, value } = await within('an event', PATIENCE_MS, reader.read());
      over = done;
      text += decoder.decode(value, { stream: !done });
    }
  }

  return {
    response,
    block,
    async next() {
      for (;;) {
        const lines = (await block())?.split('\n');
        if (lines === undefined) return null;
        const field = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const data = field('data');
        if (data !== undefined) return { event: field('event') ?? 'message', data };
      }
    },
    leave() {
      abort.abort();
    },
  };
}
