/**
 * A web service on loopback that gives one prepared answer to everything and records what it is
 * asked.
 */
export interface ReplayServer {
  readonly origin: string;
  /** Path and query of every request. */
  readonly asked: readonly string[];
  readonly stop: () => Promise<void>;
}

export function startReplayServer(answer: () => Response | Promise<Response>): ReplayServer {
  const asked: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const url = new URL(request.url);
      asked.push(url.pathname + url.search);
      return answer();
    },
  });
  return { origin: `http://127.0.0.1:${server.port}`, asked, stop: () => server.stop(true) };
}
