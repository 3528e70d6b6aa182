/**
 * Open pages as their browsers hold them: one connection each, listening for server-sent events.
 */

export interface OpenStream {
  /** When the newest state came (performance.now()), and how many came. */
  readonly heard: { at: number; count: number };
  close(): void;
}

/** Resolves with the first state. `from` is the customer's address, which a trusted proxy tells. */
export function openCheckout(at: { port: number; externalId: string; from: string }): Promise<OpenStream> {
  const { port, externalId, from } = at;
  return openEvents({ port, path: `/checkout/${externalId}/events`, headers: { 'x-forwarded-for': from } });
}

/** The same. `onState` is called for each state after the first. */
export async function openEvents(at: {
  port: number;
  path: string;
  headers: Readonly<Record<string, string>>;
  onState?: () => void;
}): Promise<OpenStream> {
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>();
  const heard = { at: 0, count: 0 };
  const request = [
    `GET ${at.path} HTTP/1.1`,
    `host: 127.0.0.1:${at.port}`,
    ...Object.entries(at.headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
  let text = '';
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: at.port,
    socket: {
      open(socket) {
        socket.write(request);
      },
      data(_, bytes) {
        text += bytes.toString('latin1');
        const end = text.lastIndexOf('\n\n');
        if (end < 0) return;
        const states = text.slice(0, end).match(/^data: /gm)?.length ?? 0;
        text = text.slice(end);
        if (states === 0) return;
        heard.at = performance.now();
        if (heard.count > 0) at.onState?.();
        heard.count += states;
        resolve();
      },
      close() {
        reject(new Error(`a stream ended: ${text.slice(0, 200)}`));
      },
      error(_, error) {
        reject(error);
      },
    },
  });
  await opened;
  return { heard, close: () => socket.end() };
}
