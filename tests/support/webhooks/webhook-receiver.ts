/** A merchant's webhook endpoint on loopback that keeps what it receives, for tests. */

export interface ReceivedWebhook {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's exact text. */
  readonly body: string;
  readonly path: string;
  readonly at: Date;
}

export interface WebhookReceiver {
  /** Where to send to, for example `http://127.0.0.1:40123/webhook`. */
  readonly url: string;
  /** Everything received so far, in order of arrival. */
  readonly received: readonly ReceivedWebhook[];
  /** Resolves with what was received as soon as there are `count`; rejects after `deadlineMs`. */
  waitFor(count: number, deadlineMs: number): Promise<readonly ReceivedWebhook[]>;
  readonly stop: () => Promise<void>;
}

/**
 * @param options.respond answers a webhook (`index` counts from 0); default 200 with the text `ok`
 */
export function startWebhookReceiver(
  options: { respond?: (webhook: ReceivedWebhook, index: number) => Response | Promise<Response> } = {},
): WebhookReceiver {
  const received: ReceivedWebhook[] = [];
  const waiting = new Set<() => void>();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const webhook = {
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
        path: new URL(request.url).pathname,
        at: new Date(),
      };
      received.push(webhook);
      const index = received.length - 1;
      for (const wake of [...waiting]) wake();
      return options.respond?.(webhook, index) ?? new Response('ok');
    },
  });

  return {
    url: `http://127.0.0.1:${server.port}/webhook`,
    received,
    waitFor(count, deadlineMs) {
      const { promise, resolve, reject } = Promise.withResolvers<readonly ReceivedWebhook[]>();
      const look = () => {
        if (received.length >= count) resolve(received);
      };
      const timer = setTimeout(
        () => reject(new Error(`${received.length} of ${count} webhooks arrived within ${deadlineMs} ms`)),
        deadlineMs,
      );
      waiting.add(look);
      look();
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(look);
      });
    },
    stop: () => server.stop(true),
  };
}
