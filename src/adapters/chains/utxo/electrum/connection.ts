/**
 * JSON-RPC with one Electrum server over one lasting connection. The next call opens a lost
 * connection again: at once after the first failure, and later only after rests that double. Every
 * failure is a NodeError, a NodeLimited or an RpcError, and no message shows a secret.
 */
import type { NodeEndpoint } from '../../shared/nodes/node-endpoint.ts';
import { NodeError, NodeLimited, RpcError } from '../../shared/nodes/node-errors.ts';
import {
  type ElectrumCall,
  type ElectrumOutcome,
  type ElectrumServer,
  exchange,
  faultOf,
  openSession,
  type Session,
} from './session.ts';
import type { ServerAddress } from './socket.ts';

export interface ElectrumConnection {
  readonly label: string;
  /**
   * Connects where there is no connection, and pings a server that was silent for a while: what the
   * server sent before is heard by then. Resolves to the number of the connection. Subscriptions
   * hold only on the connection on which they were made.
   */
  alive(): Promise<number>;
  /** The result, unchecked. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** An outcome for each call, in their order. */
  outcomes(calls: readonly ElectrumCall[]): Promise<readonly ElectrumOutcome[]>;
  close(): void;
}

export interface ElectrumTiming {
  /** Of a call, and of connecting; milliseconds. */
  readonly timeoutMs?: number;
  /**
   * After so many milliseconds without a word from the server `alive` pings it. Servers cut off a
   * client that is silent for ten minutes.
   */
  readonly quietMs?: number;
  /** Rest after the second failed connection in a row, which doubles from then on; milliseconds. */
  readonly restMs?: number;
}

const CLIENT = 'quittance';
const PROTOCOL = '1.4';
const TIMEOUT_MS = 20_000;
const QUIET_MS = 300_000;
const REST_MS = 1_000;
const REST_MAX_MS = 60_000;

/** What lasts from one session to the next. */
interface Context {
  readonly server: ElectrumServer;
  readonly closed: AbortSignal;
  readonly restMs: number;
  current: Session | null;
  opening: Promise<Session> | null;
  /** Sessions that were begun. */
  count: number;
  /** Failures to connect in a row. */
  failures: number;
  /** Monotonic milliseconds. */
  restsUntil: number;
  /** Null until the server showed whether it takes batches. */
  takesBatches: boolean | null;
}

export function electrumConnection(options: {
  endpoint: NodeEndpoint;
  address: ServerAddress;
  /** Aborts whatever is under way. */
  closed: AbortSignal;
  /** Hears what the server sends unasked, on the connection of that number. */
  notified(method: string, params: readonly unknown[], connection: number): void;
  timing?: ElectrumTiming;
}): ElectrumConnection {
  const { endpoint, address, closed, notified } = options;
  const { timeoutMs = TIMEOUT_MS, quietMs = QUIET_MS, restMs = REST_MS } = options.timing ?? {};
  const context: Context = {
    ...{ server: { endpoint, address, timeoutMs, notified }, closed, restMs },
    ...{ current: null, opening: null, count: 0, failures: 0, restsUntil: 0, takesBatches: null },
  };
  const close = (): void => context.current?.lines?.close();
  closed.addEventListener('abort', close);
  return {
    label: endpoint.label,
    outcomes: (calls) => outcomesOf(context, calls),
    async call(method, ...params) {
      const [outcome] = await outcomesOf(context, [{ method, params }]);
      if (outcome === undefined || 'error' in outcome)
        throw outcome?.error ?? faultOf(endpoint, 'answered nothing');
      return outcome.result;
    },
    async alive() {
      const session = await openedSession(context);
      if (performance.now() - session.heardAt >= quietMs)
        await exchange(session, [{ method: 'server.ping', params: [] }]);
      return session.number;
    },
    close,
  };
}

/**
 * The session that is open, or a new one; several callers at once share the one that is being
 * opened.
 */
async function openedSession(context: Context): Promise<Session> {
  if (context.opening !== null) return context.opening;
  if (context.current?.isOver === false) return context.current;
  context.opening = greetedSession(context);
  try {
    const session = await context.opening;
    context.failures = 0;
    return session;
  } catch (error) {
    restAfterFailure(context);
    if (error instanceof NodeError || error instanceof RpcError || error instanceof NodeLimited) throw error;
    throw faultOf(context.server.endpoint, (error as Error).message);
  } finally {
    context.opening = null;
  }
}

/** A new session whose server has answered the protocol's greeting. */
async function greetedSession(context: Context): Promise<Session> {
  const { server, closed, restsUntil } = context;
  if (closed.aborted) throw faultOf(server.endpoint, 'this client was closed');
  if (performance.now() < restsUntil) throw faultOf(server.endpoint, 'rests after failed connections');
  context.count += 1;
  const session = await openSession(server, context.count);
  context.current = session;
  const [hello] = await exchange(session, [{ method: 'server.version', params: [CLIENT, PROTOCOL] }]);
  if (hello === undefined || 'error' in hello) {
    session.lines?.close();
    throw hello?.error ?? faultOf(server.endpoint, 'answered no version');
  }
  return session;
}

/** A call that came during the rest did not try to connect, and makes the rest no longer. */
function restAfterFailure(context: Context): void {
  if (performance.now() < context.restsUntil) return;
  const { failures, restMs } = context;
  const rest = failures === 0 ? 0 : Math.min(REST_MAX_MS, restMs * 2 ** (failures - 1));
  context.restsUntil = performance.now() + rest;
  context.failures += 1;
}

async function outcomesOf(
  context: Context,
  calls: readonly ElectrumCall[],
): Promise<readonly ElectrumOutcome[]> {
  const { budget } = context.server.endpoint;
  const all: ElectrumOutcome[] = [];
  while (all.length < calls.length)
    all.push(...(await together(context, calls.slice(all.length, all.length + budget.callsAtOnce))));
  return all;
}

/**
 * A server that refuses batches, or closes the connection on the first one, gets its calls one by
 * one from then on.
 */
async function together(
  context: Context,
  calls: readonly ElectrumCall[],
): Promise<readonly ElectrumOutcome[]> {
  const session = await openedSession(context);
  if (calls.length === 1 || context.takesBatches === false) return oneByOne(session, calls);
  try {
    const outcomes = await exchange(session, calls);
    if (context.takesBatches === null && outcomes.every((outcome) => 'error' in outcome)) {
      const again = await oneByOne(session, calls);
      // Calls that also fail alone tell nothing against batches.
      if (again.some((outcome) => 'result' in outcome)) context.takesBatches = false;
      return again;
    }
    context.takesBatches = true;
    return outcomes;
  } catch (error) {
    if (context.takesBatches === null && error instanceof NodeError) context.takesBatches = false;
    throw error;
  }
}

async function oneByOne(
  session: Session,
  calls: readonly ElectrumCall[],
): Promise<readonly ElectrumOutcome[]> {
  const outcomes = await Promise.all(calls.map((call) => exchange(session, [call])));
  return outcomes.flat();
}
