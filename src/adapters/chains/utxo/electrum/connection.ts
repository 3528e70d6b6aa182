/**
 * JSON-RPC with one Electrum server over one connection that stays: calls alone and in batches, what the server says by itself,
 * time-outs, and the node's budget for each call. A lost connection is opened again by the next call, at first at once and then
 * after longer and longer rests. Every failure is a NodeError, a NodeLimited or an RpcError, and no message shows a secret.
 */
import { fields } from '../../shared/nodes/answers.ts';
import { limitInError } from '../../shared/nodes/limit-signs.ts';
import type { NodeEndpoint } from '../../shared/nodes/node-endpoint.ts';
import { NodeError, NodeLimited, RpcError } from '../../shared/nodes/node-errors.ts';
import { parseKeepingDecimals } from '../rpc/json.ts';
import { type Lines, openLines, type ServerAddress } from './socket.ts';

export interface ElectrumCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export type ElectrumOutcome = { readonly result: unknown } | { readonly error: RpcError };

export interface ElectrumConnection {
  readonly label: string;
  /**
   * Connects where there is no connection, and asks for a sign of life where none came for a while: all that the server said before
   * it was heard then. Answers the number of the connection: what was subscribed on another one is so no more.
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
  /** After so many milliseconds without a word from the server `alive` asks for one. Servers cut who is silent for ten minutes. */
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
/** ElectrumX: what the client asked costs too much; it then closes the connection. */
const EXCESSIVE_USAGE = -101;

interface Waiting {
  readonly done: (outcome: ElectrumOutcome) => void;
  readonly failed: (fault: NodeError) => void;
}

interface Session {
  readonly number: number;
  /** Null while it is being opened. */
  lines: Lines | null;
  readonly waiting: Map<number, Waiting>;
  heardAt: number;
  bytes: number;
}

export function electrumConnection(options: {
  endpoint: NodeEndpoint;
  address: ServerAddress;
  /** Aborts whatever is under way. */
  closed: AbortSignal;
  /** Hears what the server says unasked, on the connection of that number. */
  notified(method: string, params: readonly unknown[], connection: number): void;
  timing?: ElectrumTiming;
}): ElectrumConnection {
  const { endpoint, address, closed, notified } = options;
  const { timeoutMs = TIMEOUT_MS, quietMs = QUIET_MS, restMs = REST_MS } = options.timing ?? {};
  const { label, budget } = endpoint;
  let current: Session | null = null;
  let opening: Promise<Session> | null = null;
  let sessions = 0;
  let idsUsed = 0;
  let failures = 0;
  let restsUntil = 0;
  /** Null until a server showed that it takes batches, or does not. */
  let takesBatches: boolean | null = null;

  const fault = (problem: string): NodeError => new NodeError(`${label}: ${problem}`);
  closed.addEventListener('abort', () => current?.lines?.close());

  async function open(): Promise<Session> {
    if (closed.aborted) throw fault('this client was closed');
    if (performance.now() < restsUntil) throw fault('rests after failed connections');
    sessions += 1;
    const heardAt = performance.now();
    const session: Session = { number: sessions, lines: null, waiting: new Map(), heardAt, bytes: 0 };
    session.lines = await openLines(address, {
      timeoutMs,
      heard: (line) => hear(session, line),
      ended: (why) => end(session, why),
    });
    current = session;
    const [hello] = await exchange(session, [{ method: 'server.version', params: [CLIENT, PROTOCOL] }]);
    if (hello === undefined || 'error' in hello) {
      session.lines.close();
      throw hello?.error ?? fault('answered no version');
    }
    return session;
  }

  async function session(): Promise<Session> {
    if (opening !== null) return opening;
    if (current !== null) return current;
    opening = open();
    try {
      const opened = await opening;
      failures = 0;
      return opened;
    } catch (error) {
      if (performance.now() >= restsUntil) {
        const rest = failures === 0 ? 0 : Math.min(REST_MAX_MS, restMs * 2 ** (failures - 1));
        restsUntil = performance.now() + rest;
        failures += 1;
      }
      if (error instanceof NodeError || error instanceof RpcError || error instanceof NodeLimited)
        throw error;
      throw fault((error as Error).message);
    } finally {
      opening = null;
    }
  }

  function end(session: Session, why: string): void {
    if (current === session) current = null;
    for (const { failed } of session.waiting.values()) failed(fault(why));
    session.waiting.clear();
  }

  function hear(session: Session, line: string): void {
    session.heardAt = performance.now();
    session.bytes += line.length;
    try {
      const said = parseKeepingDecimals(line);
      for (const message of Array.isArray(said) ? said : [said]) take(session, fields(message, 'JSON-RPC'));
    } catch {
      end(session, 'answered no JSON-RPC');
      session.lines?.close();
    }
  }

  function take(session: Session, message: Readonly<Record<string, unknown>>): void {
    const { id, method, params } = message;
    if (typeof method === 'string') {
      notified(method, Array.isArray(params) ? params : [], session.number);
      return;
    }
    const outcome = message.error == null ? { result: message.result } : { error: refusal(message.error) };
    if (typeof id === 'number') {
      session.waiting.get(id)?.done(outcome);
      session.waiting.delete(id);
      return;
    }
    // An error of nothing in particular is one of what could not be read: a batch, where servers do not know them.
    for (const { done } of session.waiting.values())
      done('error' in outcome ? outcome : { error: refusal(null) });
    session.waiting.clear();
  }

  function refusal(error: unknown): RpcError {
    const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Partial<RpcError>;
    // Some servers hand on the sentence alone.
    const said = typeof error === 'string' ? error : message;
    const text = typeof said === 'string' ? endpoint.redact(said) : 'an error without a message';
    return new RpcError(typeof code === 'number' ? code : 0, `${label}: ${text}`);
  }

  /** Sends calls as one line, a batch where they are several, and waits for all of their outcomes. */
  async function exchange(
    session: Session,
    calls: readonly ElectrumCall[],
  ): Promise<readonly ElectrumOutcome[]> {
    await budget.take(calls.length);
    if (current !== session) throw fault('the connection was closed');
    const numbered = calls.map(({ method, params }) => ({ jsonrpc: '2.0', id: ++idsUsed, method, params }));
    const asked = numbered.length === 1 ? numbered[0] : numbered;
    const timer = setTimeout(() => {
      end(session, 'timed out');
      session.lines?.close();
    }, timeoutMs);
    const bytes = session.bytes;
    const answers = Promise.all(
      numbered.map(
        ({ id }) => new Promise<ElectrumOutcome>((done, failed) => session.waiting.set(id, { done, failed })),
      ),
    );
    session.lines?.send(`${JSON.stringify(asked)}\n`);
    try {
      const outcomes = await answers;
      refuseLimited(outcomes);
      budget.served(calls.length, session.bytes - bytes);
      return outcomes;
    } finally {
      clearTimeout(timer);
    }
  }

  function refuseLimited(outcomes: readonly ElectrumOutcome[]): void {
    for (const outcome of outcomes) {
      if (!('error' in outcome)) continue;
      const { error } = outcome;
      const limit = error.code === EXCESSIVE_USAGE ? { afterMs: null } : limitInError(error);
      if (limit === null) continue;
      budget.refused(limit);
      throw new NodeLimited(error.message);
    }
  }

  /** A server that refuses batches, or hangs up on the first one, gets its calls one by one from then on. */
  async function together(calls: readonly ElectrumCall[]): Promise<readonly ElectrumOutcome[]> {
    const on = await session();
    if (calls.length === 1 || takesBatches === false) return oneByOne(on, calls);
    try {
      const outcomes = await exchange(on, calls);
      if (takesBatches === null && outcomes.every((outcome) => 'error' in outcome)) {
        const again = await oneByOne(on, calls);
        // Calls that fail by themselves as well tell nothing against batches.
        if (again.some((outcome) => 'result' in outcome)) takesBatches = false;
        return again;
      }
      takesBatches = true;
      return outcomes;
    } catch (error) {
      if (takesBatches === null && error instanceof NodeError) takesBatches = false;
      throw error;
    }
  }

  async function oneByOne(on: Session, calls: readonly ElectrumCall[]): Promise<readonly ElectrumOutcome[]> {
    const outcomes = await Promise.all(calls.map((call) => exchange(on, [call])));
    return outcomes.flat();
  }

  async function outcomes(calls: readonly ElectrumCall[]): Promise<readonly ElectrumOutcome[]> {
    const all: ElectrumOutcome[] = [];
    while (all.length < calls.length)
      all.push(...(await together(calls.slice(all.length, all.length + budget.callsAtOnce))));
    return all;
  }

  async function call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const [outcome] = await outcomes([{ method, params }]);
    if (outcome === undefined || 'error' in outcome) throw outcome?.error ?? fault('answered nothing');
    return outcome.result;
  }

  return {
    label,
    outcomes,
    call,
    async alive() {
      const on = await session();
      if (performance.now() - on.heardAt >= quietMs)
        await exchange(on, [{ method: 'server.ping', params: [] }]);
      return on.number;
    },
    close: () => current?.lines?.close(),
  };
}
