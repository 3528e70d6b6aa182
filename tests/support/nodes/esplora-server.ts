/**
 * An Esplora server for tests, in front of a real regtest node with a transaction index. It models
 * the paths that the gateway asks (blocks, headers, transactions, what waits at an address, spends,
 * fee estimates, POST tx) as Blockstream's electrs answers them, with what is awkward about it: any
 * id has a status, an unknown one is `confirmed: false`; the bytes of a transaction stay when a
 * reorganisation removes it; at most 50 waiting transactions of a script are listed. Histories list
 * what pays a script, not what spends from it; fee estimates are invented.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scriptOf } from '../../../src/adapters/chains/utxo/codec/address.ts';
import { decodeBlock } from '../../../src/adapters/chains/utxo/codec/raw-block.ts';
import type { Outpoint } from '../../../src/domain/chains/outpoint.ts';
import type { RegtestNode } from './regtest.ts';

const LISTED_MAX = 50;

export interface EsploraServer {
  readonly url: string;
  /** Paths asked since the last `behave`. */
  readonly asked: readonly string[];
  /** Cuts every connection, or answers with a status, until told otherwise. */
  behave(behaviour: { drop?: boolean; status?: number }): void;
  stop(): Promise<void>;
}

type Answer = { status: number; body: string | Uint8Array };
const ok = (body: string | Uint8Array): Answer => ({ status: 200, body });
const json = (value: unknown): Answer => ok(JSON.stringify(value));
const notFound: Answer = { status: 404, body: 'not found' };

interface Vout {
  readonly scriptPubKey: { readonly hex: string };
}

export async function startEsploraServer(node: RegtestNode): Promise<EsploraServer> {
  let behaviour: { drop?: boolean; status?: number } = {};
  let asked: string[] = [];
  /** Bytes of every transaction that was ever asked for: the index never forgets. */
  const kept = new Map<string, string>();

  const attempt = <T>(method: string, ...params: unknown[]): Promise<T | null> =>
    node.rpc<T>(method, ...params).catch(() => null);
  const hashAt = (height: number) => attempt<string>('getblockhash', height);

  async function isCanonical(hash: string): Promise<number | null> {
    const header = await attempt<{ height: number }>('getblockheader', hash, true);
    return header !== null && (await hashAt(header.height)) === hash ? header.height : null;
  }

  async function raw(txid: string): Promise<string | null> {
    const found = (await attempt<string>('getrawtransaction', txid, false)) ?? kept.get(txid) ?? null;
    if (found !== null) kept.set(txid, found);
    return found;
  }

  async function status(txid: string) {
    const found = await attempt<{ blockhash?: string | null }>('getrawtransaction', txid, true);
    const height = found?.blockhash ? await isCanonical(found.blockhash) : null;
    if (height === null) return { confirmed: false };
    return { confirmed: true, block_height: height, block_hash: found?.blockhash };
  }

  async function waitingAt(scriptHash: string): Promise<Answer> {
    const found: { txid: string }[] = [];
    for (const txid of await node.rpc<string[]>('getrawmempool')) {
      const transaction = await attempt<{ vout: readonly Vout[] }>('getrawtransaction', txid, true);
      const pays = transaction?.vout.some(({ scriptPubKey }) => hashOf(scriptPubKey.hex) === scriptHash);
      if (pays) found.push({ txid });
    }
    return json(found.slice(0, LISTED_MAX));
  }

  async function outspend(txid: string, vout: number): Promise<Answer> {
    if ((await raw(txid)) === null || (await attempt('gettxout', txid, vout, true)) !== null)
      return json({ spent: false });
    const waiting = await waitingSpenderOf(txid, vout);
    if (waiting !== null) return json({ spent: true, txid: waiting, status: { confirmed: false } });
    return json({ spent: true, txid: await spenderOf(txid, vout), status: { confirmed: true } });
  }

  async function waitingSpenderOf(txid: string, vout: number): Promise<string | null> {
    for (const waiting of await node.rpc<string[]>('getrawmempool')) {
      const transaction = await attempt<{ vin: readonly Partial<Outpoint>[] }>(
        'getrawtransaction',
        waiting,
        true,
      );
      if (transaction?.vin.some((input) => input.txid === txid && input.vout === vout)) return waiting;
    }
    return null;
  }

  /** In a block, the newest first. */
  async function spenderOf(txid: string, vout: number): Promise<string | null> {
    for (let height = await node.height(); height > 0; height--) {
      const hex = await node.rpc<string>('getblock', await hashAt(height), false);
      const spender = decodeBlock(node.network, Buffer.from(hex, 'hex')).transactions.find((each) =>
        each.inputs().some((input) => input.txid === txid && input.vout === vout),
      );
      if (spender !== undefined) return spender.txid();
    }
    return null;
  }

  async function block(hash: string, what: string | undefined): Promise<Answer> {
    if (what === 'status') {
      const height = await isCanonical(hash);
      return json(height === null ? { in_best_chain: false } : { in_best_chain: true, height });
    }
    const hex =
      what === 'header'
        ? await attempt<string>('getblockheader', hash, false)
        : await attempt<string>('getblock', hash, false);
    if (hex === null) return notFound;
    return ok(what === 'header' ? hex : Buffer.from(hex, 'hex'));
  }

  async function transaction(txid: string, what: string | undefined, vout: number): Promise<Answer> {
    if (what === 'status') return json(await status(txid));
    if (what === 'outspend') return outspend(txid, vout);
    const hex = await raw(txid);
    return hex === null ? notFound : ok(hex);
  }

  async function sent(hex: string): Promise<Answer> {
    try {
      return ok(await node.send(hex));
    } catch (error) {
      return { status: 400, body: `sendrawtransaction RPC error: ${String(error)}` };
    }
  }

  async function answer(method: string, path: string, body: string): Promise<Answer> {
    const [kind, id = '', what, last] = path.split('/');
    if (method === 'POST') return sent(body);
    switch (kind) {
      case 'blocks':
        return ok(await node.rpc<string>('getbestblockhash'));
      case 'block-height': {
        const hash = await hashAt(Number(id));
        return hash === null ? notFound : ok(hash);
      }
      case 'block':
        return block(id, what);
      case 'tx':
        return transaction(id, what, Number(last));
      case 'address': {
        const script = scriptOf(node.network, decodeURIComponent(id));
        return script === null ? { status: 400, body: 'Invalid address' } : waitingAt(hashOf(script));
      }
      case 'fee-estimates':
        return ok('{"1":87.882,"3":20.5,"144":1.027}');
      default:
        return notFound;
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace(/^\/api\//, '');
    asked.push(path);
    if (behaviour.drop === true) return void request.socket.destroy();
    if (behaviour.status !== undefined) return void response.writeHead(behaviour.status).end('no');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { status: code, body } = await answer(request.method ?? '', path, Buffer.concat(chunks).toString());
    response.writeHead(code).end(body);
  }

  const server = createServer((request, response) => {
    void handle(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api`,
    get asked() {
      return asked;
    },
    behave: (next) => {
      behaviour = next;
      asked = [];
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function hashOf(script: string | Uint8Array): string {
  const bytes = typeof script === 'string' ? Buffer.from(script, 'hex') : script;
  return createHash('sha256').update(bytes).digest('hex');
}
