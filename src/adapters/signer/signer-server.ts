/**
 * The signer's side of its Unix socket, which has mode 0600: only the signer's own user can ask.
 * Lines are bounded, and silent and slow callers are cut off. An order that takes too long is
 * answered `unavailable`.
 */
import { lstat, unlink } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Logger } from '../../ports/runtime/logger.ts';
import { type Signer, SignerUnavailable, SigningRefused } from '../../ports/sending/signer.ts';
import { fileLock } from '../shared/files/file-lock.ts';
import {
  answerLine,
  LINE_BYTES_MAX,
  readCold,
  readDerive,
  readOrder,
  type SignerAnswer,
} from './signer-wire.ts';
import { type LineReader, lineReader } from './socket-lines.ts';

export interface SignerServer {
  /**
   * Replaces a socket file on which no signer answers; rejects with SignerSocketUnusable where one
   * does.
   */
  listen(): Promise<void>;
  /**
   * Ends each connection after the order in hand, and removes the socket file. Does not close the
   * signer.
   */
  close(): Promise<void>;
}

/**
 * Another signer serves the socket, something else has its name, or the folder does not allow one.
 */
export class SignerSocketUnusable extends Error {
  override readonly name = 'SignerSocketUnusable';
}

interface SignerServerOptions {
  readonly path: string;
  readonly signer: Signer;
  readonly logger: Logger;
  /** A caller must have sent an order within this time. */
  readonly idleMs?: number;
  readonly orderMs?: number;
}

const CONNECTIONS_MAX = 64;
const OWNER_ONLY = 0o177;
const LOCK_MS = 5_000;

interface SignerServerContext extends Required<SignerServerOptions> {
  /** What is served on each connection, until it ends. */
  readonly connections: Map<LineReader, Promise<void>>;
  closing: boolean;
}

export function signerServer(options: SignerServerOptions): SignerServer {
  const { path } = options;
  const connections: SignerServerContext['connections'] = new Map();
  const context = { idleMs: 30_000, orderMs: 10_000, ...options, connections, closing: false };
  const server = createServer((socket) => accept(context, socket));
  return {
    async listen() {
      // Without the lock, of two that start at once each could remove the other's fresh socket.
      const lock = fileLock(`${path}.lock`);
      try {
        await lock.holding(LOCK_MS, async () => {
          await removeStale(path);
          await listenPrivately(server, path);
        });
      } finally {
        lock.close();
      }
    },
    async close() {
      context.closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const reader of connections.keys()) reader.stop();
      await Promise.all(connections.values());
      await closed;
    },
  };
}

function accept(context: SignerServerContext, socket: Socket): void {
  const { connections, closing, logger } = context;
  socket.on('error', () => socket.destroy());
  if (closing || connections.size >= CONNECTIONS_MAX) {
    socket.destroy();
    return;
  }
  const reader = lineReader(socket, LINE_BYTES_MAX);
  const served = serve(context, socket, reader)
    .catch((error: unknown) => {
      logger.error('signer.connection_failed', { error });
      socket.destroy();
    })
    .finally(() => connections.delete(reader));
  connections.set(reader, served);
}

async function serve(context: SignerServerContext, socket: Socket, reader: LineReader): Promise<void> {
  const { idleMs } = context;
  while (!context.closing) {
    const timer = setTimeout(() => reader.stop(), idleMs);
    const line = await reader.next();
    clearTimeout(timer);
    if (line === null) break;
    socket.write(answerLine(await answer(context, line)));
  }
  // A caller who reads nothing, or goes on sending, does not keep the connection.
  const timer = setTimeout(() => socket.destroy(), idleMs);
  socket.end(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}

async function answer(context: SignerServerContext, line: string): Promise<SignerAnswer> {
  const { signer } = context;
  // Orders first: they are the common lines, and the long ones.
  const order = readOrder(line);
  if (order !== null)
    return inTime(context, { chain: order.chain, sequence: order.nonce.toString() }, async () => ({
      kind: 'signed',
      ...(await signer.sign(order)),
    }));
  const wanted = readDerive(line);
  if (wanted !== null)
    return inTime(context, { ...wanted }, async () => ({
      kind: 'derived',
      addresses: await signer.addresses(wanted),
    }));
  const cold = readCold(line);
  if (cold === null) return failure(new SigningRefused('that is no order'));
  return inTime(context, { ...cold }, async () => ({
    kind: 'cold',
    address: await signer.coldAddress(cold),
  }));
}

/** `about`: what the log says of it. */
async function inTime(
  { logger, orderMs }: SignerServerContext,
  about: Readonly<Record<string, unknown>>,
  work: () => Promise<Extract<SignerAnswer, { kind: 'signed' | 'derived' | 'cold' }>>,
): Promise<SignerAnswer> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new SignerUnavailable('the order took too long to check')),
    orderMs,
  );
  try {
    const done = await Promise.race([work(), late.promise]);
    if (done.kind !== 'cold')
      logger.info(`signer.${done.kind}`, { ...about, ...('txid' in done ? { txid: done.txid } : {}) });
    return done;
  } catch (error) {
    const answered = failure(error);
    logger.warn('signer.not_signed', { ...about, kind: answered.kind, reason: answered.reason });
    if (!(error instanceof SigningRefused || error instanceof SignerUnavailable))
      logger.error('signer.order_failed', { ...about, error });
    return answered;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What the caller is told. A fault of the signer itself is told as `unavailable`, without its text.
 */
function failure(error: unknown): Extract<SignerAnswer, { reason: string }> {
  if (error instanceof SigningRefused) {
    const { message: reason, lasting, transferId, unusedFrom, because } = error;
    return { kind: 'refused', reason, lasting, transferId, unusedFrom, because };
  }
  if (error instanceof SignerUnavailable) return { kind: 'unavailable', reason: error.message };
  return { kind: 'unavailable', reason: 'the signer failed: its own log says why' };
}

async function removeStale(path: string): Promise<void> {
  const file = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return;
  if (!file.isSocket()) throw new SignerSocketUnusable(`${path} is there and no socket: nothing was removed`);
  const probe = await probed(path);
  if (probe === 'answers') throw new SignerSocketUnusable(`another signer answers on ${path}`);
  if (probe !== 'ECONNREFUSED') throw new SignerSocketUnusable(`${path} cannot be taken over (${probe})`);
  await unlink(path);
}

function probed(path: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve('answers');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

/** The file never has a wider mode, not even for a moment. */
async function listenPrivately(server: Server, path: string): Promise<void> {
  const before = process.umask(OWNER_ONLY);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) =>
        reject(new SignerSocketUnusable(`${path} cannot be listened on (${error.code ?? error.message})`)),
      );
      server.listen(path, resolve);
    });
  } finally {
    process.umask(before);
  }
}
