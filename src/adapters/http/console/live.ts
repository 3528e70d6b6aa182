/**
 * The stream that tells an open page of the console that something changed. The page then fetches
 * its parts again.
 */

import type { Application } from '../../../app/application.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import { eventStream } from '../checkout/live/event-stream.ts';
import { type LiveHub, liveHub, type Viewer } from '../checkout/live/live-hub.ts';
import { roleAt } from './kit/access.ts';
import { CONSOLE_HEADERS } from './kit/answers.ts';
import { notFound } from './kit/gate.ts';
import { liveKey, liveStates } from './kit/live-state.ts';
import { type AccountCall, type ConsoleRoute, ofAccount } from './kit/route.ts';

const RETRY_MS = 3_000;
/** Tabs of one user. */
const STREAMS_MAX = 12;

/**
 * One statement a second for all open consoles of this process.
 */
export function consoleHub({
  application,
  clock,
  logger,
}: {
  readonly application: Pick<Application, 'queries'>;
  readonly clock: Clock;
  readonly logger: Logger;
}): LiveHub {
  return liveHub({
    ...{ clock, logger },
    liveStates: (keys) => liveStates(application, keys, clock.now()),
  });
}

export function liveRoute(hub: LiveHub): ConsoleRoute {
  const open = new Map<string, number>();
  return ofAccount('GET', '/live', (call) => {
    const key = keyOf(call);
    if (key === null) return notFound(call.shell);
    const { id } = call.signedIn.user;
    const count = open.get(id) ?? 0;
    if (count >= STREAMS_MAX) return new Response(null, { status: 429, headers: CONSOLE_HEADERS });
    open.set(id, count + 1);
    return follow(hub, key, call, () => {
      const left = (open.get(id) ?? 1) - 1;
      if (left > 0) open.set(id, left);
      else open.delete(id);
    });
  });
}

function keyOf({ query, signedIn }: AccountCall): string | null {
  const merchantId = query.get('merchant');
  if (signedIn.session.stage !== 'complete') return null;
  if (merchantId === null) return signedIn.user.operatorRole === null ? null : liveKey({ area: 'operator' });
  const environment = query.get('environment') === 'sandbox' ? 'sandbox' : 'live';
  const isOwn = roleAt(signedIn, merchantId) !== null;
  return isOwn ? liveKey({ area: 'merchant', merchantId, environment }) : null;
}

function follow(hub: LiveHub, key: string, { request, now }: AccountCall, freed: () => void): Response {
  const stream = eventStream(() => {
    hub.leave(viewer);
    freed();
  });
  const viewer: Viewer = {
    ...{ externalId: key, since: now, told: '' },
    tell: (state) => stream.send(`event: state\ndata: ${state}`),
    beat: () => stream.beat(),
    end: () => stream.end(),
  };
  request.signal.addEventListener('abort', () => stream.end(), { once: true });
  stream.send(`retry: ${RETRY_MS}\n:`);
  if (!hub.join(viewer) || request.signal.aborted) stream.end();
  return new Response(stream.body, {
    headers: {
      ...CONSOLE_HEADERS,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}
