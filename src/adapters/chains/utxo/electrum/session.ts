/**
 * One connection to an Electrum server: JSON-RPC requests and batches, their answers by id, what
 * the server sends unasked, time-outs, and the node's budget for each call.
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

export interface ElectrumServer {
  readonly endpoint: NodeEndpoint;
  readonly address: ServerAddress;
  /** Of a call, and of connecting; milliseconds. */
  readonly timeoutMs: number;
  /** Hears what the server sends unasked, on the connection of that number. */
  notified(method: string, params: readonly unknown[], connection: number): void;
}

export interface Session {
  readonly server: ElectrumServer;
  readonly number: number;
  /** Null while it is being opened. */
  lines: Lines | null;
  isOver: boolean;
  /** Calls without an answer, by id. */
  readonly waiting: Map<number, Waiting>;
  idsUsed: number;
  /** When the server last sent something; monotonic milliseconds. */
  heardAt: number;
  bytesHeard: number;
}

interface Waiting {
  readonly done: (outcome: ElectrumOutcome) => void;
  readonly failed: (fault: NodeError) => void;
}

/** ElectrumX: the client's questions cost too much; the server then closes the connection. */
const EXCESSIVE_USAGE = -101;

/** Connects to the server. Rejects with an Error that says in few words why that failed. */
export async function openSession(server: ElectrumServer, number: number): Promise<Session> {
  const { address, timeoutMs } = server;
  const session: Session = {
    ...{ server, number, lines: null, isOver: false, waiting: new Map(), idsUsed: 0 },
    ...{ heardAt: performance.now(), bytesHeard: 0 },
  };
  session.lines = await openLines(address, {
    timeoutMs,
    heard: (line) => hear(session, line),
    ended: (why) => end(session, why),
  });
  return session;
}

/** Sends calls as one line, a batch where they are several, and waits for all of their outcomes. */
export async function exchange(
  session: Session,
  calls: readonly ElectrumCall[],
): Promise<readonly ElectrumOutcome[]> {
  const { endpoint, timeoutMs } = session.server;
  const { budget } = endpoint;
  await budget.take(calls.length);
  if (session.isOver) throw faultOf(endpoint, 'the connection was closed');
  const numbered = calls.map(({ method, params }) => {
    session.idsUsed += 1;
    return { jsonrpc: '2.0', id: session.idsUsed, method, params };
  });
  const timer = setTimeout(() => hangUp(session, 'timed out'), timeoutMs);
  const bytesBefore = session.bytesHeard;
  const answers = Promise.all(
    numbered.map(
      ({ id }) => new Promise<ElectrumOutcome>((done, failed) => session.waiting.set(id, { done, failed })),
    ),
  );
  session.lines?.send(`${JSON.stringify(numbered.length === 1 ? numbered[0] : numbered)}\n`);
  try {
    const outcomes = await answers;
    refuseLimited(endpoint, outcomes);
    budget.served(calls.length, session.bytesHeard - bytesBefore);
    return outcomes;
  } finally {
    clearTimeout(timer);
  }
}

export function faultOf({ label }: Pick<NodeEndpoint, 'label'>, problem: string): NodeError {
  return new NodeError(`${label}: ${problem}`);
}

function refuseLimited({ budget }: NodeEndpoint, outcomes: readonly ElectrumOutcome[]): void {
  for (const outcome of outcomes) {
    if (!('error' in outcome)) continue;
    const { error } = outcome;
    const limit = error.code === EXCESSIVE_USAGE ? { afterMs: null } : limitInError(error);
    if (limit === null) continue;
    budget.refused(limit);
    throw new NodeLimited(error.message);
  }
}

function hear(session: Session, line: string): void {
  session.heardAt = performance.now();
  session.bytesHeard += line.length;
  try {
    const said = parseKeepingDecimals(line);
    for (const message of Array.isArray(said) ? said : [said]) take(session, fields(message, 'JSON-RPC'));
  } catch {
    hangUp(session, 'answered no JSON-RPC');
  }
}

function take({ server, number, waiting }: Session, message: Readonly<Record<string, unknown>>): void {
  const { id, method, params } = message;
  if (typeof method === 'string') {
    server.notified(method, Array.isArray(params) ? params : [], number);
    return;
  }
  const error = message.error == null ? null : refusalIn(server.endpoint, message.error);
  if (typeof id === 'number') {
    waiting.get(id)?.done(error === null ? { result: message.result } : { error });
    waiting.delete(id);
    return;
  }
  // An error without an id is about what the server could not read: a batch, where it takes none.
  const unread = { error: error ?? refusalIn(server.endpoint, null) };
  for (const { done } of waiting.values()) done(unread);
  waiting.clear();
}

function refusalIn({ label, redact }: NodeEndpoint, error: unknown): RpcError {
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Partial<RpcError>;
  // Some servers pass on the sentence alone.
  const said = typeof error === 'string' ? error : message;
  const text = typeof said === 'string' ? redact(said) : 'an error without a message';
  return new RpcError(typeof code === 'number' ? code : 0, `${label}: ${text}`);
}

function hangUp(session: Session, why: string): void {
  end(session, why);
  session.lines?.close();
}

function end(session: Session, why: string): void {
  session.isOver = true;
  for (const { failed } of session.waiting.values()) failed(faultOf(session.server.endpoint, why));
  session.waiting.clear();
}
