/**
 * New heads, as nodes tell them over WebSockets. Each node with a stream has one connection. A
 * connection that is silent, floods or talks nonsense ends, and one that ended opens again, after
 * pauses that grow. A family only says how heads are asked for, and which message tells one. No
 * message shows a URL or its credentials.
 */
import type { ChainHeads } from '../../../../ports/chains/chain-heads.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { fields } from './answers.ts';
import { type BudgetTime, systemTime } from './call-log.ts';
import { type NodeSettings, nodeEndpoint, nodeLabel } from './node-endpoint.ts';
import { NodeError } from './node-errors.ts';

export interface HeadWords {
  /** Sent first, as JSON. */
  readonly subscribe: object;
  /**
   * The head that a message tells; null when it tells none. `height` is null when the node counts
   * otherwise than the scanner.
   */
  headIn(message: Readonly<Record<string, unknown>>): { readonly height: number | null } | null;
}

export interface HeadStreamOptions {
  readonly chain: string;
  readonly nodes: readonly NodeSettings[];
  readonly words: HeadWords;
  /** A stream is dead after so many milliseconds without a head. */
  readonly quietMs: number;
  readonly logger: Logger;
  readonly time?: BudgetTime;
  /** At least 0, under 1. */
  readonly random?: () => number;
}

const CONNECT_MS = 10_000;
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 300_000;
/** A connection that told heads for so long was a good one. The pauses begin anew. */
const STEADY_MS = 60_000;
/** The fastest chain has four blocks a second. After a stall they come together. */
const MESSAGES_A_SECOND = 100;
const MESSAGE_LENGTH_MAX = 65_536;
const SECOND_MS = 1_000;

/** The web's WebSocket. Bun's sends headers, and ends at once. */
const BunWebSocket = WebSocket as unknown as new (
  url: string,
  options: Bun.WebSocketOptions,
) => Bun.WebSocket;

interface StreamSession {
  readonly socket: Bun.WebSocket;
  readonly begunAt: number;
  /** It ends then, unless a head comes before. */
  silentAt: number;
  isOpen: boolean;
  told: boolean;
  secondAt: number;
  inSecond: number;
}

type HeadListener = (height: number | null) => void;

/** The stream of one node. Times are monotonic milliseconds. */
interface HeadStream extends Required<Omit<HeadStreamOptions, 'nodes'>> {
  readonly label: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  current: StreamSession | null;
  /** Connections in turn that did not last. */
  failures: number;
  /** As it was logged last; null before the first time. */
  wasAlive: boolean | null;
  told: HeadListener;
  /** Null while nobody listens. */
  stopping: AbortSignal | null;
}

/** Null where no node has a stream. Opens nothing before `listen`. */
export function headStreams(options: HeadStreamOptions): ChainHeads | null {
  const streams = options.nodes.flatMap((node, position) =>
    node.stream == null ? [] : [headStream(options, { ...node, stream: node.stream }, position)],
  );
  if (streams.length === 0) return null;
  return {
    listen: (told, stopping) => {
      for (const stream of streams) listen(stream, told, stopping);
    },
    isAlive: () => streams.some((stream) => isAlive(stream) === true),
    isAliveAt: (node) => {
      const stream = streams.find(({ label }) => label === node);
      return stream === undefined ? null : isAlive(stream);
    },
  };
}

function headStream(
  { chain, words, quietMs, logger, time = systemTime, random = Math.random }: HeadStreamOptions,
  node: NodeSettings & { stream: string },
  position: number,
): HeadStream {
  const { url, headers } = nodeEndpoint({ ...node, url: node.stream }, position, { schemes: ['ws', 'wss'] });
  return {
    chain,
    words,
    quietMs,
    logger,
    time,
    random,
    label: nodeLabel(position, new URL(node.url)),
    url,
    headers,
    current: null,
    failures: 0,
    wasAlive: null,
    told: () => {},
    stopping: null,
  };
}

function listen(stream: HeadStream, told: HeadListener, stopping: AbortSignal): void {
  stream.told = told;
  stream.stopping = stopping;
  stopping.addEventListener('abort', () => {
    stream.current?.socket.terminate();
    stream.current = null;
  });
  open(stream);
}

/** Null while nobody listens. */
function isAlive({ stopping, current, time }: HeadStream): boolean | null {
  return stopping && current?.told === true && time.now() < current.silentAt;
}

function open(stream: HeadStream): void {
  const { stopping, time, quietMs, words } = stream;
  if (stopping?.aborted) return;
  const now = time.now();
  const socket = connect(stream);
  if (socket === null) {
    openLater(stream, 'its URL or its headers cannot be used', 0);
    return;
  }
  const session: StreamSession = {
    socket,
    begunAt: now,
    silentAt: now + CONNECT_MS,
    isOpen: false,
    told: false,
    secondAt: now,
    inSecond: 0,
  };
  stream.current = session;
  socket.addEventListener('open', () => {
    session.isOpen = true;
    session.silentAt = time.now() + quietMs;
    socket.send(JSON.stringify(words.subscribe));
  });
  socket.addEventListener('message', ({ data }) => hear(stream, session, data));
  socket.addEventListener('error', () => lose(stream, session, 'the connection failed'));
  socket.addEventListener('close', ({ code }) =>
    lose(stream, session, `the connection was closed (${code})`),
  );
  watch(stream, session);
}

/**
 * Null where the socket refuses the URL or a header. Its error is dropped: its message would show
 * them.
 */
function connect({ url, headers }: HeadStream): Bun.WebSocket | null {
  try {
    return new BunWebSocket(url, { headers, perMessageDeflate: false });
  } catch {
    return null;
  }
}

/** `lastedMs`: how long the last connection told heads. */
function openLater(stream: HeadStream, problem: string, lastedMs: number): void {
  const { chain, label, logger, time, random } = stream;
  if (stream.wasAlive !== false) logger.warn('node.stream_lost', { chain, node: label, problem });
  stream.wasAlive = false;
  stream.failures = lastedMs >= STEADY_MS ? 0 : stream.failures + 1;
  const longest = Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** stream.failures);
  time.after((longest * (1 + random())) / 2, () => open(stream));
}

/** Ends a session that stays silent. */
function watch(stream: HeadStream, session: StreamSession): void {
  const left = session.silentAt - stream.time.now();
  if (left <= 0) lose(stream, session, session.isOpen ? 'tells no head' : 'connecting timed out');
  if (session === stream.current) stream.time.after(left, () => watch(stream, session));
}

function hear(stream: HeadStream, session: StreamSession, data: unknown): void {
  const { chain, label, logger, time, quietMs, words } = stream;
  if (session !== stream.current) return;
  let head: ReturnType<HeadWords['headIn']>;
  try {
    count(session, time.now());
    head = words.headIn(messageIn(data));
  } catch (error) {
    lose(stream, session, error instanceof NodeError ? error.message : 'tells what is no head');
    return;
  }
  if (head === null) return;
  session.silentAt = time.now() + quietMs;
  session.told = true;
  if (stream.wasAlive === false) logger.info('node.stream_recovered', { chain, node: label });
  stream.wasAlive = true;
  stream.told(head.height);
}

function count(session: StreamSession, now: number): void {
  const isOfSecond = now - session.secondAt < SECOND_MS;
  session.inSecond = isOfSecond ? session.inSecond + 1 : 1;
  if (!isOfSecond) session.secondAt = now;
  if (session.inSecond > MESSAGES_A_SECOND) throw new NodeError('tells too much');
}

function lose(stream: HeadStream, session: StreamSession, problem: string): void {
  if (session !== stream.current) return;
  stream.current = null;
  session.socket.terminate();
  openLater(stream, problem, session.told ? stream.time.now() - session.begunAt : 0);
  if (session.told) stream.told(null);
}

function messageIn(data: unknown): Readonly<Record<string, unknown>> {
  if (typeof data !== 'string' || data.length > MESSAGE_LENGTH_MAX)
    throw new NodeError('tells what is no message');
  const message = fields(JSON.parse(data), 'message');
  if (message.error != null) throw new NodeError('refuses to tell heads');
  return message;
}
