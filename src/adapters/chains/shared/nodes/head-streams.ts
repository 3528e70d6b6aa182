/**
 * The heads that nodes tell over WebSockets, by one connection to each node that has a stream. It is opened again where it breaks,
 * after pauses that grow, and given up where it is silent, floods or talks nonsense. A family only says how heads are asked for and
 * which message tells one. No message shows a URL or its credentials.
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
  /** The head that a message tells, null where it tells none. `height` is null where the node does not count as the scanner does. */
  headIn(message: Readonly<Record<string, unknown>>): { readonly height: number | null } | null;
}

export interface HeadStreamOptions {
  readonly chain: string;
  readonly nodes: readonly NodeSettings[];
  readonly words: HeadWords;
  /** A stream that told no head for so many milliseconds is dead. */
  readonly quietMs: number;
  readonly logger: Logger;
  readonly time?: BudgetTime;
  /** At least 0, under 1. */
  readonly random?: () => number;
}

const CONNECT_MS = 10_000;
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 300_000;
/** After so long a connection was a good one: the pauses begin anew. */
const STEADY_MS = 60_000;
/** The fastest chain has four blocks a second; those of a connection that stood still come together. */
const MESSAGES_A_SECOND = 100;
const MESSAGE_LENGTH_MAX = 65_536;
const SECOND_MS = 1_000;

/** The web's WebSocket, which Bun lets send headers and end at once. */
const BunWebSocket = WebSocket as unknown as new (
  url: string,
  options: Bun.WebSocketOptions,
) => Bun.WebSocket;

interface Session {
  readonly socket: Bun.WebSocket;
  /** By the monotonic clock, as all times here. */
  readonly begunAt: number;
  /** Given up then, unless a head is told before. */
  silentAt: number;
  isOpen: boolean;
  told: boolean;
  secondAt: number;
  inSecond: number;
}

interface HeadStream extends Pick<ChainHeads, 'listen'> {
  /** Of its node. */
  readonly label: string;
  /** Null while nobody listens. */
  alive(): boolean | null;
}

/** Null where no node has a stream. Opens nothing before `listen`. */
export function headStreams(options: HeadStreamOptions): ChainHeads | null {
  const streams = options.nodes.flatMap((node, position) =>
    node.stream == null ? [] : [headStream(options, { ...node, stream: node.stream }, position)],
  );
  if (streams.length === 0) return null;
  return {
    listen: (told, stopping) => {
      for (const stream of streams) stream.listen(told, stopping);
    },
    isAlive: () => streams.some((stream) => stream.alive() === true),
    isAliveAt: (node) => streams.find(({ label }) => label === node)?.alive() ?? null,
  };
}

function headStream(
  options: HeadStreamOptions,
  node: NodeSettings & { stream: string },
  position: number,
): HeadStream {
  const { chain, words, quietMs, logger, time = systemTime, random = Math.random } = options;
  const { url, headers } = nodeEndpoint({ ...node, url: node.stream }, position, { schemes: ['ws', 'wss'] });
  const label = nodeLabel(position, new URL(node.url));
  let current: Session | null = null;
  /** Connections in turn that did not last. */
  let failures = 0;
  /** What was logged last; null: nothing yet. */
  let wasAlive: boolean | null = null;
  let told: (height: number | null) => void = () => {};
  let stopping: AbortSignal | null = null;

  function open(): void {
    if (stopping?.aborted) return;
    const now = time.now();
    const socket = connect();
    if (socket === null) {
      openLater('its URL or its headers cannot be used', 0);
      return;
    }
    const session: Session = {
      ...{ socket, begunAt: now, silentAt: now + CONNECT_MS, isOpen: false, told: false },
      ...{ secondAt: now, inSecond: 0 },
    };
    current = session;
    socket.addEventListener('open', () => {
      session.isOpen = true;
      session.silentAt = time.now() + quietMs;
      socket.send(JSON.stringify(words.subscribe));
    });
    socket.addEventListener('message', ({ data }) => hear(session, data));
    socket.addEventListener('error', () => lose(session, 'the connection failed'));
    socket.addEventListener('close', ({ code }) => lose(session, `the connection was closed (${code})`));
    watch(session);
  }

  /** Null where the socket refuses such a URL or header, in words that show them. */
  function connect(): Bun.WebSocket | null {
    try {
      return new BunWebSocket(url, { headers, perMessageDeflate: false });
    } catch {
      return null;
    }
  }

  /** `lastedMs`: how long the last connection told heads. */
  function openLater(problem: string, lastedMs: number): void {
    if (wasAlive !== false) logger.warn('node.stream_lost', { chain, node: label, problem });
    wasAlive = false;
    failures = lastedMs >= STEADY_MS ? 0 : failures + 1;
    const longest = Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** failures);
    time.after((longest * (1 + random())) / 2, open);
  }

  /** Ends a session that stays silent. */
  function watch(session: Session): void {
    const left = session.silentAt - time.now();
    if (left <= 0) lose(session, session.isOpen ? 'tells no head' : 'connecting timed out');
    if (session === current) time.after(left, () => watch(session));
  }

  function hear(session: Session, data: unknown): void {
    if (session !== current) return;
    let head: ReturnType<HeadWords['headIn']>;
    try {
      count(session);
      head = words.headIn(messageIn(data));
    } catch (error) {
      lose(session, error instanceof NodeError ? error.message : 'tells what is no head');
      return;
    }
    if (head === null) return;
    session.silentAt = time.now() + quietMs;
    session.told = true;
    if (wasAlive === false) logger.info('node.stream_recovered', { chain, node: label });
    wasAlive = true;
    told(head.height);
  }

  function count(session: Session): void {
    const now = time.now();
    const isOfSecond = now - session.secondAt < SECOND_MS;
    session.inSecond = isOfSecond ? session.inSecond + 1 : 1;
    if (!isOfSecond) session.secondAt = now;
    if (session.inSecond > MESSAGES_A_SECOND) throw new NodeError('tells too much');
  }

  function lose(session: Session, problem: string): void {
    if (session !== current) return;
    current = null;
    session.socket.terminate();
    openLater(problem, session.told ? time.now() - session.begunAt : 0);
    if (session.told) told(null);
  }

  return {
    label,
    alive: () => stopping && current?.told === true && time.now() < current.silentAt,
    listen(hears, signal) {
      told = hears;
      stopping = signal;
      signal.addEventListener('abort', () => {
        current?.socket.terminate();
        current = null;
      });
      open();
    },
  };
}

function messageIn(data: unknown): Readonly<Record<string, unknown>> {
  if (typeof data !== 'string' || data.length > MESSAGE_LENGTH_MAX)
    throw new NodeError('tells what is no message');
  const message = fields(JSON.parse(data), 'message');
  if (message.error != null) throw new NodeError('refuses to tell heads');
  return message;
}
