/** The socket of the HTTP server. */

/** A simulated webhook may take all of its 15 s before the response begins. */
const IDLE_TIMEOUT_SECONDS = 60;

type Answerer = (request: Request) => Response | Promise<Response>;

/**
 * Listens on `host`, or on all addresses of this machine if it is null. Port 0 selects a free port.
 * Throws if the port is taken.
 */
export function listenOn(
  { host, port }: { readonly host: string | null; readonly port: number },
  answer: Answerer,
): Bun.Server<undefined> {
  const serve = (hostname: string) =>
    Bun.serve({
      port,
      hostname,
      fetch: answer,
      // Each route limits its body while it reads it, and refuses with the API's envelope.
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
