/**
 * The stream that tells an open page of the console that something changed. The page then fetches
 * its parts again.
 */

import { eventStream } from '../checkout/live/event-stream.ts';
import type { LiveHub, Viewer } from '../checkout/live/live-hub.ts';
import { roleAt } from './kit/access.ts';
import { CONSOLE_HEADERS } from './kit/answers.ts';
import { notFound } from './kit/gate.ts';
import type { AccountCall, ConsoleRoute } from './kit/route.ts';

/** What operators' pages follow. */
export const OPERATORS_KEY = 'operators';
const RETRY_MS = 3_000;
/** Tabs of one user. */
const STREAMS_MAX = 12;

/** What a merchant's pages follow: `<merchant id> live`. */
export function merchantKey(merchantId: string, environment: string): string {
  return `${merchantId} ${environment}`;
}

export function liveRoute(hub: LiveHub): ConsoleRoute {
  const open = new Map<string, number>();
  return {
    access: { of: 'account' },
    method: 'GET',
    path: '/live',
    answer(call) {
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
    },
  };
}

function keyOf({ query, signedIn }: AccountCall): string | null {
  const merchantId = query.get('merchant');
  if (signedIn.session.stage !== 'complete') return null;
  if (merchantId === null) return signedIn.user.operatorRole === null ? null : OPERATORS_KEY;
  const environment = query.get('environment') === 'sandbox' ? 'sandbox' : 'live';
  return roleAt(signedIn, merchantId) === null ? null : merchantKey(merchantId, environment);
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
