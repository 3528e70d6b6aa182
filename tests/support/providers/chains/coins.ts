/**
 * A UTXO chain that makes its blocks by the clock, as full as the real one, and its node over
 * JSON-RPC with a mempool.
 */
import { backendPool } from '../../../../src/adapters/chains/utxo/backends.ts';
import { doubleSha256, hashText } from '../../../../src/adapters/chains/utxo/codec/hashes.ts';
import { decodeBlock } from '../../../../src/adapters/chains/utxo/codec/raw-block.ts';
import { utxoNetwork } from '../../../../src/adapters/chains/utxo/network.ts';
import { utxoScanner } from '../../../../src/adapters/chains/utxo/read/scanner.ts';
import { chainNamed } from '../../../../src/domain/catalog/chain.ts';
import { coinBlock, ownAddress, ownScript, strangersTransaction } from '../../chains/utxo-blocks.ts';
import type { MakeChain } from '../followed.ts';
import { answerCall, RefusedCall } from './json-rpc.ts';

export interface CoinShape {
  readonly chain: 'bitcoin' | 'litecoin';
  readonly blockMs: number;
  /** Of a block. */
  readonly transactions: number;
  /** Transactions that wait, and how many of them come in a second. */
  readonly waiting: number;
  readonly newASecond: number;
  /** Watched addresses, and in each how many blocks one of them is paid; 0: never. */
  readonly watched: number;
  readonly payEvery: number;
}

const FIRST_HEIGHT = 900_000;
/** By which a node of Bitcoin shows that it is none of Bitcoin Cash. */
const SPLIT = { height: 478_559, hash: '00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148' };
const ASSETS = { bitcoin: 'btc_bitcoin', litecoin: 'ltc_litecoin' };

export const coinChain =
  ({ chain, blockMs, watched, payEvery, ...shape }: CoinShape): MakeChain =>
  ({ nowMs, unixMs, blocksBefore }) => {
    const network = utxoNetwork(chain, 'main');
    const addresses = Array.from({ length: watched }, (_, n) => ownAddress(n, network));
    const firstAt = unixMs() - nowMs() - blocksBefore * blockMs;
    const tip = (): number => FIRST_HEIGHT + Math.floor((unixMs() - firstAt) / blockMs);
    /** From the first one on; each commits to the one before. */
    const blocks: { readonly hash: string; readonly bytes: Uint8Array }[] = [];
    const heights = new Map<string, number>();
    const paidIn = (height: number): number | null =>
      payEvery === 0 || height % payEvery !== 0 ? null : (height / payEvery) % watched;

    function blockAt(height: number): (typeof blocks)[number] {
      while (FIRST_HEIGHT + blocks.length <= height) {
        const next = FIRST_HEIGHT + blocks.length;
        const paid = paidIn(next);
        const before = blocks.at(-1);
        const bytes = coinBlock(next, paid === null ? [] : [ownScript(paid)], {
          count: shape.transactions,
          parentHash: before === undefined ? Buffer.alloc(32, 7) : doubleSha256(before.bytes.subarray(0, 80)),
          time: Math.floor((firstAt + (next - FIRST_HEIGHT) * blockMs) / 1_000),
        });
        const hash = hashText(doubleSha256(bytes.subarray(0, 80)));
        blocks.push({ hash, bytes });
        heights.set(hash, next);
      }
      return blocks[height - FIRST_HEIGHT]!;
    }

    function hashAt(height: number): string {
      if (height === 0) return network.genesis[0]!;
      if (height === SPLIT.height) return SPLIT.hash;
      if (height > tip() || height < FIRST_HEIGHT) throw new RefusedCall(-8, 'Block height out of range');
      return blockAt(height).hash;
    }

    function blockOf(hash: unknown) {
      blockAt(tip());
      const height = heights.get(String(hash));
      if (height === undefined || height > tip()) throw new RefusedCall(-5, 'Block not found');
      return { height, ...blockAt(height) };
    }

    /** One stands for all that strangers send. */
    const stranger = Buffer.from(strangersTransaction()).toString('hex');
    function mempool(): readonly string[] {
      const last = Math.floor((nowMs() / 1_000) * shape.newASecond) + shape.waiting;
      return Array.from({ length: shape.waiting }, (_, nth) =>
        (last - nth).toString(16).padStart(13, '0').padEnd(64, 'c'),
      );
    }

    function answerTo(method: string, [first, verbose]: readonly unknown[]): unknown {
      switch (method) {
        case 'getblockcount':
          return tip();
        case 'getbestblockhash':
          return hashAt(tip());
        case 'getblockhash':
          return hashAt(Number(first));
        case 'getblockheader': {
          const { height, bytes } = blockOf(first);
          return verbose === true ? { height } : Buffer.from(bytes.subarray(0, 80)).toString('hex');
        }
        case 'getblock':
          return Buffer.from(blockOf(first).bytes).toString('hex');
        case 'getrawmempool':
          return mempool();
        case 'getrawtransaction':
          return stranger;
        default:
          throw new Error(`the generated chain does not know ${method}`);
      }
    }

    return {
      ...{ chain, blockMs, tip, addresses },
      answer: (_, init) => answerCall(init, answerTo),
      open({ rpc, fetch, time, logger }) {
        const options = {
          ...{ chain, network, source: { rpc }, fetch, time, logger },
          ...{ asset: ASSETS[chain], confirmations: chainNamed(chain).confirmations },
        };
        const pool = backendPool(options);
        return { scanner: utxoScanner(options, pool), nodes: pool };
      },
      paid(from, to) {
        const heights = Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
        return heights.flatMap((height) => {
          if (paidIn(height) === null) return [];
          const [first] = decodeBlock(network, blockAt(height).bytes).transactions;
          return [`${first!.txid()} vout:0`];
        });
      },
    };
  };
