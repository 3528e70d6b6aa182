/**
 * A screening service on loopback that denies the addresses it is given, and can be told to answer
 * anything else.
 */
export interface RiskService {
  readonly url: string;
  readonly requests: { readonly authorization: string | null; readonly body: Record<string, unknown> }[];
  /** Answers every following request instead of judging it; null judges again. */
  answerWith(respond: (() => Response | Promise<Response>) | null): void;
  readonly stop: () => Promise<void>;
}

export function startRiskService(denied: readonly string[]): RiskService {
  const known = new Set(denied.map((address) => address.toLowerCase()));
  const requests: RiskService['requests'] = [];
  let respondInstead: (() => Response | Promise<Response>) | null = null;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as Record<string, unknown>;
      requests.push({ authorization: request.headers.get('authorization'), body });
      if (respondInstead !== null) return respondInstead();
      return Response.json({ decision: known.has(String(body.from).toLowerCase()) ? 'hit' : 'pass' });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/screen`,
    requests,
    answerWith: (respond) => {
      respondInstead = respond;
    },
    stop: () => server.stop(true),
  };
}
