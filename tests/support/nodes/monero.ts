/**
 * monerod in regtest and monero-wallet-rpc as tests start them: loopback, a free port each, blocks
 * only on demand.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../src/adapters/embedded-postgres/free-port.ts';
import { nodeProgram } from './installed.ts';
import { type NodeProcess, startNode } from './process.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, of which tests read a field or two
type Answer = any;

export interface MoneroProgram {
  readonly url: string;
  readonly port: number;
  /** A JSON-RPC method; an error answer throws. */
  call(method: string, params?: object): Promise<Answer>;
  /** A path of its own. */
  post(path: string, body: object): Promise<Answer>;
  /** Having copied its chain or its wallets into `keepIn`, which another can begin with. */
  stop(keepIn?: string): Promise<void>;
}

const CALL_DEADLINE_MS = 60_000;
/** Folders within a program's own. */
const CHAIN = 'fake';
const WALLETS = 'wallets';

/** For `needs('monerod', moneroAvailable())`. */
export function moneroAvailable(): boolean {
  return nodeProgram('monerod') !== null && nodeProgram('monero-wallet-rpc') !== null;
}

/** `chain`: what another one has kept. */
export async function startMonerod({ chain }: { chain?: string } = {}): Promise<MoneroProgram> {
  const port = freePort();
  const client = programAt(port);
  const node = await startNode({
    name: 'monerod',
    command: (folder) => {
      if (chain !== undefined) copy(chain, join(folder, CHAIN));
      return [
        installed('monerod'),
        ...['--regtest', '--keep-fakechain', '--offline', '--fixed-difficulty', '1', '--data-dir', folder],
        ...['--rpc-bind-ip', '127.0.0.1', '--rpc-bind-port', `${port}`, '--rpc-ssl', 'disabled'],
        ...['--disable-rpc-ban', '--p2p-bind-ip', '127.0.0.1', '--no-igd', '--no-zmq', '--non-interactive'],
        ...[
          '--log-file',
          join(folder, 'monerod.log'),
          '--log-level',
          '0',
          '--db-sync-mode',
          'fastest:async:1000',
        ],
      ];
    },
    ready: () => client.call('get_info'),
  });
  return { ...client, stop: stopping(node, CHAIN) };
}

/**
 * Appends blocks whose rewards go to the address, and answers the height of the last. Each is
 * hashed once, to be checked: any nonce is right at difficulty 1, and the daemon's own
 * `generateblocks` hashes to find one, which costs as much again.
 */
export async function mineBlocks(daemon: MoneroProgram, address: string, count: number): Promise<number> {
  let top = 0;
  for (let mined = 0; mined < count; mined += 1) {
    const order = { wallet_address: address, reserve_size: 1 };
    const { blocktemplate_blob, height } = await daemon.call('get_block_template', order);
    await daemon.call('submit_block', [blocktemplate_blob]);
    top = height;
  }
  return top;
}

/**
 * Without an open wallet. `login` is `user:password`, which `call` then cannot give. `wallets`:
 * what another one has kept.
 */
export async function startWalletRpc(options: {
  daemonPort: number;
  login?: string;
  wallets?: string;
}): Promise<MoneroProgram> {
  const { daemonPort, login } = options;
  const program = installed('monero-wallet-rpc');
  const port = freePort();
  const client = programAt(port);
  const node = await startNode({
    name: 'monero-wallet-rpc',
    command: (folder) => {
      const wallets = join(folder, WALLETS);
      if (options.wallets === undefined) mkdirSync(wallets);
      else copy(options.wallets, wallets);
      return [
        program,
        ...['--wallet-dir', wallets, '--shared-ringdb-dir', join(folder, 'ring')],
        ...['--rpc-bind-ip', '127.0.0.1', '--rpc-bind-port', `${port}`, '--rpc-ssl', 'disabled'],
        ...['--daemon-address', `127.0.0.1:${daemonPort}`, '--daemon-ssl', 'disabled', '--trusted-daemon'],
        ...['--log-file', join(folder, 'wallet.log'), '--log-level', '0', '--non-interactive'],
        ...(login === undefined ? ['--disable-rpc-login'] : ['--rpc-login', login]),
        // A regtest daemon has forks that newer wallets do not expect; older ones do not know the
        // option.
        ...(knowsOption(program, '--allow-mismatched-daemon-version')
          ? ['--allow-mismatched-daemon-version']
          : []),
      ];
    },
    ready: () => fetch(`${client.url}/json_rpc`, { method: 'POST', body: '{}' }),
  });
  return { ...client, stop: stopping(node, WALLETS) };
}

function stopping(node: NodeProcess, what: string): MoneroProgram['stop'] {
  return (keepIn) =>
    node.stop((folder) => {
      if (keepIn !== undefined) copy(join(folder, what), keepIn);
    });
}

/** A daemon's file of blocks is a gigabyte, of which it uses little. */
function copy(from: string, to: string): void {
  const { success, stderr } = Bun.spawnSync(['cp', '-r', '--sparse=always', from, to]);
  if (!success) throw new Error(stderr.toString());
}

function installed(name: 'monerod' | 'monero-wallet-rpc'): string {
  const program = nodeProgram(name);
  if (program === null) throw new Error(`${name} is not installed`);
  return program;
}

function knowsOption(program: string, option: string): boolean {
  return Bun.spawnSync([program, '--help']).stdout.toString().includes(option);
}

function programAt(port: number): Omit<MoneroProgram, 'stop'> {
  const url = `http://127.0.0.1:${port}`;
  async function post(path: string, body: object): Promise<Answer> {
    const response = await fetch(url + path, {
      method: 'POST',
      keepalive: false,
      headers: { connection: 'close' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_DEADLINE_MS),
    });
    return response.json();
  }
  return {
    url,
    port,
    post,
    async call(method, params = {}) {
      const { error, result } = await post('/json_rpc', { jsonrpc: '2.0', id: '0', method, params });
      if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`);
      return result;
    },
  };
}
