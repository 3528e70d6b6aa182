/** The socket of the HTTP server. */

/** A simulated webhook may take its whole 15 s before the answer begins. */
const IDLE_TIMEOUT_SECONDS = 60;

type Answerer = (request: Request) => Response | Promise<Response>;

/** Listens on `host`, or on all addresses of this machine where it is null. Port 0 takes a free one. Throws when it is taken. */
export function listenOn(
  { host, port }: { readonly host: string | null; readonly port: number },
  answer: Answerer,
): Bun.Server<undefined> {
  const serve = (hostname: string) =>
    Bun.serve({
      port,
      hostname,
      fetch: answer,
      // Bodies are bounded per route while they are read, with an answer in the envelope.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
    });
  if (host !== null) return serve(host);
  try {
    return serve('::'); // IPv4 as well
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EADDRINUSE') throw error;
    return serve('0.0.0.0'); // a machine without IPv6
  }
}
