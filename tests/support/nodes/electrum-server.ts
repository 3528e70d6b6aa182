/**
 * An Electrum server for tests, in front of a real regtest node: protocol 1.4 line by line over TCP
 * or TLS, with batches. It looks at its node before each answer, and says what changed since before
 * it answers; `push` has it do so by itself. Its faults are those of public servers: it hangs up,
 * stays silent, finds that too much was asked, knows no batches, and lies.
 */
import type { Socket } from 'node:net';
import { statusOf } from '../../../src/adapters/chains/utxo/electrum/client.ts';
import { startTcpServer, startTlsServer, type TcpServer } from '../webhooks/tcp-server.ts';
import { type ChainIndex, chainIndex, type Entry } from './electrum-index.ts';
import type { RegtestNode } from './regtest.ts';

export interface ElectrumFaults {
  /** Hangs up on every connection, old and new. */
  readonly drop?: boolean;
  /** Answers nothing. */
  readonly silent?: boolean;
  /** Answers every call but the handshake that it costs too much, and hangs up. */
  readonly excessive?: boolean;
  /** Refuses a batch as a whole, or hangs up on it. */
  readonly batches?: 'refused' | 'hung up on';
  /** Transactions that it leaves out of every history. */
  readonly hidden?: ReadonlySet<string>;
  /** What it says instead of an answer; undefined: the answer. */
  readonly lie?: (method: string, params: readonly unknown[], answer: unknown) => unknown;
}

export interface ElectrumServer {
  readonly url: string;
  /** Methods asked since the last `behave`. */
  readonly asked: readonly string[];
  /** Lines that came since then: a batch is one. */
  readonly lines: number;
  connections(): number;
  behave(faults: ElectrumFaults): void;
  /** Looks at its node now, and tells who subscribed. */
  push(): Promise<void>;
  stop(): Promise<void>;
}

interface Client {
  readonly socket: Socket;
  tip: string | null;
  readonly statuses: Map<string, string | null>;
}

class Refused extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export async function startElectrumServer(
  node: RegtestNode,
  certificate?: 'merchant' | 'self-signed' | 'expired',
): Promise<ElectrumServer> {
  const index = chainIndex(node);
  const clients = new Set<Client>();
  let faults: ElectrumFaults = {};
  let asked: string[] = [];
  let lines = 0;
  /** One line at a time, whoever sent it. */
  let turn: Promise<unknown> = Promise.resolve();

  const history = (state: ChainIndex, scriptHash: string): readonly Entry[] =>
    state.historyOf(scriptHash).filter(({ txid }) => faults.hidden?.has(txid) !== true);

  function answer(state: ChainIndex, client: Client, method: string, params: readonly unknown[]): unknown {
    const [first, second] = params;
    switch (method) {
      case 'server.version':
        return ['test 1.0', '1.4'];
      case 'server.ping':
        return null;
      case 'blockchain.headers.subscribe':
        client.tip = state.tip.hex;
        return state.tip;
      case 'blockchain.block.header':
        return headerAt(state, Number(first));
      case 'blockchain.block.headers': {
        const wanted = Array.from({ length: Number(second) }, (_, at) => Number(first) + at);
        const hexes = wanted.flatMap((height) => state.header(height) ?? []);
        return { count: hexes.length, hex: hexes.join(''), max: 2016 };
      }
      case 'blockchain.scripthash.subscribe': {
        const status = statusOf(history(state, String(first)));
        client.statuses.set(String(first), status);
        return status;
      }
      case 'blockchain.scripthash.get_history':
        return history(state, String(first)).map(({ txid, height }) => ({ tx_hash: txid, height }));
      case 'blockchain.transaction.get':
        return node.rpc<string>('getrawtransaction', first, false).catch(() => {
          throw new Refused(
            2,
            "daemon error: DaemonError({'code': -5, 'message': 'No such mempool or blockchain transaction.'})",
          );
        });
      case 'blockchain.transaction.get_merkle': {
        const branch = state.branch(String(first), Number(second));
        if (branch === null)
          throw new Refused(1, `tx ${String(first)} not in block at height ${String(second)}`);
        return { block_height: second, merkle: branch.hashes, pos: branch.position };
      }
      case 'blockchain.transaction.broadcast':
        return node.send(String(first)).catch((error: unknown) => {
          throw new Refused(1, `the transaction was rejected by network rules.\n\n${String(error)}`);
        });
      case 'blockchain.estimatefee':
        return 0.00087882;
      case 'blockchain.relayfee':
        return 0.00001;
      default:
        throw new Refused(-32_601, `unknown method "${method}"`);
    }
  }

  async function outcome(state: ChainIndex, client: Client, request: Record<string, unknown>) {
    const { id } = request;
    const [method, params] = [String(request.method), (request.params ?? []) as readonly unknown[]];
    asked.push(method);
    if (faults.excessive === true && method !== 'server.version')
      return { jsonrpc: '2.0', id, error: { code: -101, message: 'excessive resource usage' } };
    try {
      const honest = await answer(state, client, method, params);
      const lie = faults.lie?.(method, params, honest);
      return { jsonrpc: '2.0', id, result: lie === undefined ? honest : lie };
    } catch (error) {
      const { code, message } = error instanceof Refused ? error : { code: 1, message: String(error) };
      return { jsonrpc: '2.0', id, error: { code, message } };
    }
  }

  function tell(state: ChainIndex): void {
    for (const client of clients) {
      const say = (method: string, params: readonly unknown[]) =>
        client.socket.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`);
      if (client.tip !== null && client.tip !== state.tip.hex) {
        client.tip = state.tip.hex;
        say('blockchain.headers.subscribe', [state.tip]);
      }
      for (const [scriptHash, known] of client.statuses) {
        const status = statusOf(history(state, scriptHash));
        if (status === known) continue;
        client.statuses.set(scriptHash, status);
        say('blockchain.scripthash.subscribe', [scriptHash, status]);
      }
    }
  }

  async function handle(client: Client, line: string): Promise<void> {
    if (faults.silent === true) return;
    lines += 1;
    const said = JSON.parse(line) as Record<string, unknown> | Record<string, unknown>[];
    if (Array.isArray(said) && faults.batches === 'hung up on') return void client.socket.destroy();
    if (Array.isArray(said) && faults.batches === 'refused') {
      const error = { code: -32_600, message: 'Invalid request' };
      return void client.socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error })}\n`);
    }
    const state = await index.now();
    tell(state);
    const answers = [];
    for (const request of [said].flat()) answers.push(await outcome(state, client, request));
    client.socket.write(`${JSON.stringify(Array.isArray(said) ? answers : answers[0])}\n`);
    if (faults.excessive === true && !answers.some((each) => 'result' in each)) client.socket.end();
  }

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  };

  function welcome(socket: Socket): void {
    if (faults.drop === true) return void socket.destroy();
    const client: Client = { socket, tip: null, statuses: new Map() };
    clients.add(client);
    socket.on('close', () => clients.delete(client));
    let begun = '';
    socket.on('data', (chunk: Buffer) => {
      const parts = (begun + chunk.toString()).split('\n');
      begun = parts.pop() ?? '';
      for (const line of parts) inTurn(() => handle(client, line)).catch(() => socket.destroy());
    });
  }

  const server: TcpServer =
    certificate === undefined ? await startTcpServer(welcome) : await startTlsServer(certificate, welcome);
  return {
    url: `${certificate === undefined ? 'tcp' : 'ssl'}://127.0.0.1:${server.port}`,
    get asked() {
      return asked;
    },
    get lines() {
      return lines;
    },
    connections: server.connections,
    behave(next) {
      faults = next;
      asked = [];
      lines = 0;
      if (next.drop === true) for (const { socket } of clients) socket.destroy();
    },
    push: () => inTurn(async () => tell(await index.now())),
    stop: () => server.stop(),
  };
}

function headerAt(state: ChainIndex, height: number): string {
  const hex = state.header(height);
  if (hex === undefined) throw new Refused(1, `height ${height} out of range`);
  return hex;
}
