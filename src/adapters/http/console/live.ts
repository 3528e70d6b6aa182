/**
 * The stream that tells an open page of the console that something changed. The page then fetches
 * its parts again. It ends soon after the session or the role of whoever opened it.
 */

import type { Accounts, SignedIn } from '../../../app/accounts/accounts.ts';
import type { Application } from '../../../app/application.ts';
import { StorageUnavailable } from '../../../ports/repositories.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import { eventStream } from '../checkout/live/event-stream.ts';
import { STREAM_HEADERS } from '../checkout/live/live.ts';
import { type LiveHub, liveHub, type Viewer } from '../checkout/live/live-hub.ts';
import { roleAt } from './kit/access.ts';
import { CONSOLE_HEADERS } from './kit/answers.ts';
import { notFound } from './kit/gate.ts';
import { liveKey, liveStates } from './kit/live-state.ts';
import { type AccountCall, type ConsoleRoute, ofAccount } from './kit/route.ts';
import { tokenOf } from './kit/session-cookie.ts';

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

export function liveRoute(
  hub: LiveHub,
  { accounts, isSecure }: { readonly accounts: Pick<Accounts, 'sessionOf'>; readonly isSecure: boolean },
): ConsoleRoute {
  const open = new Map<string, number>();
  return ofAccount('GET', '/live', (call) => {
    const key = keyOf(call, call.signedIn);
    if (key === null) return notFound(call.shell);
    const { id } = call.signedIn.user;
    const count = open.get(id) ?? 0;
    if (count >= STREAMS_MAX) return new Response(null, { status: 429, headers: CONSOLE_HEADERS });
    open.set(id, count + 1);
    const token = tokenOf(call.request, isSecure);
    async function isTheirs(): Promise<boolean> {
      const now = token === null ? null : await accounts.sessionOf(token, 'stream');
      return now !== null && keyOf(call, now) === key;
    }
    return follow(hub, key, { ...call, isTheirs }, () => {
      const left = (open.get(id) ?? 1) - 1;
      if (left > 0) open.set(id, left);
      else open.delete(id);
    });
  });
}

function keyOf({ query }: Pick<AccountCall, 'query'>, signedIn: SignedIn): string | null {
  const merchantId = query.get('merchant');
  if (signedIn.session.stage !== 'complete') return null;
  if (merchantId === null)
    return signedIn.user.operatorRole === null ? null : liveKey({ area: 'operator' }, 'changes');
  const environment = query.get('environment') === 'sandbox' ? 'sandbox' : 'live';
  const isOwn = roleAt(signedIn, merchantId) !== null;
  const followed = query.get('follow') === 'invoices' ? 'invoices' : 'changes';
  return isOwn ? liveKey({ area: 'merchant', merchantId, environment }, followed) : null;
}

interface Follower extends Pick<AccountCall, 'request' | 'now'> {
  /** Whether the user may still follow it. */
  isTheirs(): Promise<boolean>;
}

function follow(
  hub: LiveHub,
  key: string,
  { request, now, isTheirs }: Follower,
  freed: () => void,
): Response {
  async function endIfOver(): Promise<void> {
    try {
      if (!(await isTheirs())) stream.end();
    } catch (thrown) {
      // The next beat asks again.
      if (!(thrown instanceof StorageUnavailable)) stream.end();
    }
  }
  const stream = eventStream(() => {
    hub.leave(viewer);
    freed();
  });
  const viewer: Viewer = {
    ...{ externalId: key, since: now, told: '' },
    tell: (state) => stream.send(`event: state\ndata: ${state}`),
    beat() {
      stream.beat();
      void endIfOver();
    },
    end: () => stream.end(),
  };
  request.signal.addEventListener('abort', () => stream.end(), { once: true });
  stream.send(`retry: ${RETRY_MS}\n:`);
  if (!hub.join(viewer) || request.signal.aborted) stream.end();
  return new Response(stream.body, { headers: { ...CONSOLE_HEADERS, ...STREAM_HEADERS } });
}
