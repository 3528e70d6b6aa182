/**
 * Open checkouts as their browsers hold them: one connection each, listening for server-sent
 * events.
 */

export interface OpenCheckout {
  /** When the newest state came (performance.now()), and how many came. */
  readonly heard: { at: number; count: number };
  close(): void;
}

/** Resolves with the first state. `from` is the customer's address, which a trusted proxy tells. */
export async function openCheckout(at: {
  port: number;
  externalId: string;
  from: string;
}): Promise<OpenCheckout> {
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>();
  const heard = { at: 0, count: 0 };
  const request = [
    `GET /checkout/${at.externalId}/events HTTP/1.1`,
    `host: 127.0.0.1:${at.port}`,
    `x-forwarded-for: ${at.from}`,
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
