/**
 * The live state of an open checkout: a stream of server-sent events, and the same state to poll.
 * The number of streams is limited, per network and in total. A page without a stream polls.
 *
 * A stream stays open after the invoice has ended: a refund or a released payment still changes it.
 */
import type { Clock } from '../../../../ports/runtime/clock.ts';
import { networkOf } from '../../kit/caller-ip.ts';
import type { PublicRoute } from '../../kit/route.ts';
import { json } from '../../system/system.ts';
import type { CheckoutSources } from '../data.ts';
import { externalIdOf } from '../external-id.ts';
import { type EventStream, eventStream } from './event-stream.ts';
import type { LiveHub, Viewer } from './live-hub.ts';

export interface LiveLimits {
  /**
   * Streams of one network (an IPv4 address or an IPv6 /64): tabs of a household or a small office.
   */
  readonly perNetwork: number;
  /** Streams of this process. Each takes about 6 kB and a file descriptor. */
  readonly perInstance: number;
}

const LIVE_LIMITS: LiveLimits = { perNetwork: 20, perInstance: 5_000 };

export interface LiveDependencies {
  readonly liveState: CheckoutSources['liveState'];
  readonly hub: LiveHub;
  readonly clock: Clock;
  readonly limits?: Partial<LiveLimits>;
  /** Security headers of every response of the checkout. */
  readonly headers: Readonly<Record<string, string>>;
  callerIp(request: Request): string | null;
}

/** A browser reconnects this long after a stream ended. */
const RETRY_MS = 3_000;
const FULL_RETRY_SECONDS = 60;

export function liveRoutes(dependencies: LiveDependencies): readonly PublicRoute[] {
  const { liveState, hub, clock, headers } = dependencies;
  const places = streamPlaces({ ...LIVE_LIMITS, ...dependencies.limits });

  function follow(externalId: string, state: string, request: Request, free: () => void): Response {
    const stream: EventStream = eventStream(() => {
      hub.leave(viewer);
      free();
    });
    const viewer: Viewer = {
      externalId,
      since: clock.now(),
      told: state,
      tell: (changed) => stream.send(stateEvent(changed)),
      beat: () => stream.beat(),
      end: () => stream.end(),
    };
    request.signal.addEventListener('abort', () => stream.end(), { once: true });
    stream.send(`retry: ${RETRY_MS}\n${stateEvent(state)}`);
    if (!hub.join(viewer) || request.signal.aborted) stream.end();
    return new Response(stream.body, { headers: { ...headers, ...STREAM_HEADERS } });
  }

  return [
    {
      method: 'GET',
      path: '/checkout/:external_id/events',
      async respond(request, params) {
        const reads = request.method === 'GET';
        const place = reads ? places.take(networkOf(dependencies.callerIp(request))) : NO_PLACE;
        if (typeof place === 'number') {
          return new Response(null, {
            status: place,
            headers: { ...headers, 'retry-after': String(FULL_RETRY_SECONDS) },
          });
        }
        let taken = false;
        try {
          const id = externalIdOf(params);
          const state = id === null ? null : await liveState(id);
          if (id === null || state === null) return json(404, {}, headers);
          if (!reads) return new Response(null, { headers: { ...headers, ...STREAM_HEADERS } });
          taken = true;
          return follow(id, state, request, place);
        } finally {
          if (!taken) place();
        }
      },
    },
    {
      method: 'GET',
      path: '/checkout/:external_id/status',
      async respond(_, params) {
        const id = externalIdOf(params);
        const state = id === null ? null : await liveState(id);
        return state === null ? json(404, {}, headers) : json(200, { state }, headers);
      },
    },
  ];
}

/**
 * Keeps proxies from buffering events. `no-transform` forbids compression, which buffers as well.
 */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

const NO_PLACE = (): void => undefined;

function stateEvent(state: string): string {
  return `event: state\ndata: ${state}`;
}

/**
 * Counts open streams. `take` returns a function that gives the place back, or the status of a
 * refusal.
 */
function streamPlaces(limits: LiveLimits) {
  const byNetwork = new Map<string, number>();
  let all = 0;
  return {
    take(network: string): (() => void) | 429 | 503 {
      const open = byNetwork.get(network) ?? 0;
      if (open >= limits.perNetwork) return 429;
      if (all >= limits.perInstance) return 503;
      all += 1;
      byNetwork.set(network, open + 1);
      return () => {
        all -= 1;
        const left = (byNetwork.get(network) ?? 0) - 1;
        if (left > 0) byNetwork.set(network, left);
        else byNetwork.delete(network);
      };
    },
  };
}
