/**
 * An EVM chain that makes its blocks by the clock, as full of strangers' transactions as the real
 * one, and pays the watched addresses now and then. Its node traces nothing, as on free plans;
 * where it does, contracts pay what comes in the coin. Hashes are numbers written out: nothing is
 * signed or hashed.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { connectEvm } from '../../../../src/adapters/chains/evm/connection.ts';
import { evmScanner } from '../../../../src/adapters/chains/evm/read/scanner.ts';
import { TRANSFER_TOPIC } from '../../../../src/adapters/chains/evm/read/transfers.ts';
import { BUILT_IN_ASSETS } from '../../../../src/domain/catalog/asset.ts';
import { chainNamed } from '../../../../src/domain/catalog/chain.ts';
import type { MakeChain } from '../followed.ts';
import { answerCall, RefusedCall } from './json-rpc.ts';

export interface EvmShape {
  readonly chain: string;
  readonly blockMs: number;
  /** Of a usual block: all transactions, and those of them that move a listed token. */
  readonly transactions: number;
  readonly tokenTransfers: number;
  /** How far the `finalized` tag is behind. */
  readonly finalBehind: number;
  /**
   * Whether its node traces blocks, which those of free plans do not. Then contracts pay what is
   * paid in the coin.
   */
  readonly traces?: boolean;
  /** Watched addresses, and in each how many blocks one of them is paid; 0: never. */
  readonly watched: number;
  readonly payEvery: number;
}

const FIRST_HEIGHT = 20_000_000;
const STRANGERS = 64;
const BLOOM_BYTES = 256;
const KEPT_BLOCKS = 128;
const PAYING_CONTRACT = `0x${'c'.repeat(40)}`;
const DECIMALS_CALL = '0x313ce567';

const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
const word = (text: string): string => `0x${text.slice(2).padStart(64, '0')}`;
const made = (kind: string, height: number, index = 0): string =>
  `0x${kind}${height.toString(16).padStart(12, '0')}${index.toString(16).padStart(8, '0')}`.padEnd(66, 'd');
const addressOf = (kind: string, index: number): string =>
  `0x${kind}${index.toString(16).padStart(8, '0')}`.padEnd(42, 'e');

interface Payment {
  readonly height: number;
  readonly to: string;
  /** Null: in the coin. */
  readonly token: string | null;
  readonly units: bigint;
}

interface Made {
  readonly header: Readonly<Record<string, unknown>>;
  readonly transactions: readonly { readonly hash: string; readonly to: string }[];
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[] }[];
}

export const evmChain =
  (shape: EvmShape): MakeChain =>
  ({ nowMs, unixMs }) => {
    const { chain, blockMs, finalBehind, payEvery } = shape;
    const assets = BUILT_IN_ASSETS.filter((asset) => asset.chain === chain);
    const native = assets.find(({ type }) => type === 'native')!.key;
    const tokens = assets.flatMap(({ key: asset, contract, decimals }) =>
      contract === null ? [] : [{ asset, contract: contract.toLowerCase(), decimals }],
    );
    const addresses = Array.from({ length: shape.watched }, (_, index) => addressOf('aa', index));
    const beganAt = Math.floor(unixMs() / 1_000) - nowMs() / 1_000;
    const tip = (): number => FIRST_HEIGHT + Math.floor(nowMs() / blockMs);
    const blocks = new Map<number, Made>();
    const bits = new Map<string, readonly number[]>();

    function paymentIn(height: number): Payment | null {
      if (payEvery === 0 || height % payEvery !== 0) return null;
      const nth = height / payEvery;
      const kinds = [null, ...tokens.map(({ contract }) => contract)];
      const [to, token] = [addresses[nth % addresses.length]!, kinds[nth % kinds.length]!];
      return { height, to, token, units: BigInt(nth) };
    }

    /**
     * Native wei of the address after the block: since the payments began, which is long ago
     * enough.
     */
    const credits = new Map<string, { height: number; units: bigint }[]>();
    let creditedTo = FIRST_HEIGHT - 200_000;
    function balanceAt(address: string, height: number): bigint {
      for (; creditedTo < height; ) {
        creditedTo += 1;
        const paid = paymentIn(creditedTo);
        if (paid === null || paid.token !== null) continue;
        const before = credits.get(paid.to) ?? [];
        const units = (before.at(-1)?.units ?? 0n) + paid.units;
        credits.set(paid.to, [...before, { height: creditedTo, units }]);
      }
      return credits.get(address)?.findLast((each) => each.height <= height)?.units ?? 0n;
    }

    /** The bits of a log's filter (Yellow Paper, 4.3.1), as places in a number of 2,048 bits. */
    function bitsOf(item: string): readonly number[] {
      const known = bits.get(item);
      if (known !== undefined) return known;
      const digest = keccak_256(Buffer.from(item.slice(2), 'hex'));
      const found = [0, 2, 4].map((at) => ((digest[at]! << 8) | digest[at + 1]!) % (8 * BLOOM_BYTES));
      if (bits.size < 10_000) bits.set(item, found);
      return found;
    }

    function bloomOf(logs: Made['logs']): string {
      const bytes = Buffer.alloc(BLOOM_BYTES);
      for (const item of new Set(logs.flatMap(({ address, topics }) => [address, ...topics])))
        for (const bit of bitsOf(item)) bytes[BLOOM_BYTES - 1 - (bit >> 3)]! |= 1 << (bit & 7);
      return `0x${bytes.toString('hex')}`;
    }

    function blockAt(height: number): Made {
      const known = blocks.get(height);
      if (known !== undefined) return known;
      const hash = made('b1', height);
      const paid = paymentIn(height);
      const stranger = (index: number) => addressOf('57', (height * 7 + index) % STRANGERS);
      const moved = Array.from({ length: shape.transactions }, (_, index) => {
        const isToken = index < shape.tokenTransfers && tokens.length > 0;
        const token = isToken ? tokens[index % tokens.length]!.contract : null;
        return { to: stranger(index + 1), token, units: 1_000n + BigInt(index) };
      });
      const outer = shape.traces && paid?.token === null ? { ...paid, to: PAYING_CONTRACT } : paid;
      const all = outer === null ? moved : [...moved, outer];
      const transactions = all.map(({ to, token, units }, index) => ({
        ...{
          type: '0x2',
          chainId: hex(chainNamed(chain).chainId!),
          nonce: hex(height % 1_000),
          gas: '0x186a0',
        },
        ...{ maxFeePerGas: '0x4a817c800', maxPriorityFeePerGas: '0x3b9aca00', gasPrice: '0x2540be400' },
        ...{ to: token ?? to, value: token === null ? hex(units) : '0x0', accessList: [] },
        input: token === null ? '0x' : `0xa9059cbb${word(to).slice(2)}${word(hex(units)).slice(2)}`,
        ...{ r: made('01', height, index), s: made('02', height, index), yParity: '0x1', v: '0x1' },
        ...{ hash: made('7a', height, index), blockHash: hash, blockNumber: hex(height) },
        ...{ transactionIndex: hex(index), from: stranger(index) },
      }));
      const logs = all.flatMap(({ to, token, units }, index) =>
        token === null
          ? []
          : [
              {
                ...{ address: token, topics: [TRANSFER_TOPIC, word(stranger(index)), word(to)] },
                ...{ data: word(hex(units)), blockNumber: hex(height), blockHash: hash, removed: false },
                ...{ transactionHash: made('7a', height, index), transactionIndex: hex(index) },
                logIndex: hex(index),
              },
            ],
      );
      const header = {
        ...{ number: hex(height), hash, parentHash: made('b1', height - 1), logsBloom: bloomOf(logs) },
        timestamp: hex(Math.floor(beganAt + ((height - FIRST_HEIGHT) * blockMs) / 1_000)),
        ...{ baseFeePerGas: '0x3b9aca00', gasLimit: '0x2255100', gasUsed: '0x112a880', size: '0x1f000' },
        ...{ miner: addressOf('99', 1), nonce: '0x0000000000000000', difficulty: '0x0', extraData: '0x' },
        ...{ stateRoot: made('03', height), receiptsRoot: made('04', height) },
        ...{ transactionsRoot: made('05', height), sha3Uncles: made('06', height), uncles: [] },
      };
      const block = { header, transactions, logs };
      blocks.set(height, block);
      if (blocks.size > KEPT_BLOCKS) blocks.delete(blocks.keys().next().value!);
      return block;
    }

    function heightOf(tag: unknown): number | null {
      if (typeof tag === 'object' && tag !== null && 'blockHash' in tag) return heightOfHash(tag.blockHash);
      if (tag === 'latest') return tip();
      if (tag === 'finalized') return tip() - finalBehind;
      if (tag === 'pending') return null;
      return Number(tag) > tip() ? null : Number(tag);
    }
    const heightOfHash = (hash: unknown): number => Number.parseInt(String(hash).slice(4, 16), 16);

    const receiptsOf = (height: number) => {
      const { transactions, logs } = blockAt(height);
      return transactions.map(({ hash }, index) => ({
        ...{ transactionHash: hash, blockHash: made('b1', height), blockNumber: hex(height), status: '0x1' },
        ...{
          gasUsed: '0x5208',
          cumulativeGasUsed: hex(21_000 * (index + 1)),
          effectiveGasPrice: '0x2540be400',
        },
        logs: logs.filter((log) => (log as { transactionHash?: string }).transactionHash === hash),
      }));
    };

    interface LogFilter {
      readonly blockHash?: string;
      readonly fromBlock?: string;
      readonly toBlock?: string;
      readonly address?: string | readonly string[];
      readonly topics?: readonly (string | readonly string[] | null)[];
    }
    function logsOf({ blockHash, fromBlock, toBlock, address, topics = [] }: LogFilter): unknown {
      const [from, to] =
        blockHash === undefined
          ? [Number(fromBlock), Math.min(tip(), Number(toBlock))]
          : [heightOfHash(blockHash), heightOfHash(blockHash)];
      const contracts = address === undefined ? null : [address].flat().map((each) => each.toLowerCase());
      const wanted = topics.map((topic) => (topic === null ? null : new Set([topic].flat())));
      return Array.from({ length: to - from + 1 }, (_, offset) => blockAt(from + offset).logs)
        .flat()
        .filter(
          (log) =>
            contracts?.includes(log.address) !== false &&
            wanted.every((topic, position) => topic?.has(log.topics[position]!) !== false),
        );
    }

    /**
     * decimals(), or the scanner's program that tells the balances of the addresses in its data, in
     * 16 bytes each.
     */
    function called([call, tag, override]: readonly unknown[]): unknown {
      const { to, data } = call as { to: string; data: string };
      if (override === undefined) {
        const token = tokens.find(({ contract }) => contract === to.toLowerCase());
        if (data !== DECIMALS_CALL || token === undefined) throw new Error(`no such call: ${data}`);
        return word(hex(token.decimals));
      }
      const height = heightOf(tag)!;
      const asked = data.slice(2).match(/.{40}/g) ?? [];
      return `0x${asked.map((each) => balanceAt(`0x${each}`, height).toString(16).padStart(32, '0')).join('')}`;
    }

    function tracesOf(height: number): unknown {
      const paid = paymentIn(height);
      return blockAt(height).transactions.map((one) => {
        const call = { ...one, type: 'CALL', input: '0x' };
        const inner = { ...call, from: PAYING_CONTRACT, to: paid?.to };
        return {
          ...{ txHash: one.hash },
          result: { ...call, calls: one.to === PAYING_CONTRACT ? [inner] : [] },
        };
      });
    }

    function answerTo(method: string, given: readonly unknown[]): unknown {
      switch (method) {
        case 'eth_chainId':
          return hex(chainNamed(chain).chainId!);
        case 'eth_blockNumber':
          return hex(tip());
        case 'eth_getBlockByNumber': {
          const height = heightOf(given[0]);
          if (height === null) return null;
          const { header, transactions } = blockAt(height);
          const shown = given[1] === true ? transactions : transactions.map(({ hash }) => hash);
          return { ...header, transactions: shown };
        }
        case 'eth_getLogs':
          return logsOf(given[0] as LogFilter);
        case 'eth_getBlockReceipts':
          return receiptsOf(heightOf(given[0])!);
        case 'eth_getTransactionReceipt':
          return (
            receiptsOf(heightOfHash(given[0]))[Number.parseInt(String(given[0]).slice(16, 24), 16)] ?? null
          );
        case 'eth_getBalance':
          return hex(balanceAt(String(given[0]), heightOf(given[1])!));
        case 'eth_call':
          return called(given);
        case 'debug_traceBlockByHash':
          if (shape.traces === true) return tracesOf(heightOfHash(given[0]));
          throw new RefusedCall(
            -32_600,
            `${method} is not available on the Free tier - upgrade to Pay As You Go, or Enterprise for access.`,
          );
        default:
          throw new Error(`the generated chain does not know ${method}`);
      }
    }

    return {
      ...{ chain, blockMs, tip, addresses },
      answer: (_, init) => answerCall(init, answerTo),
      open({ rpc, fetch, time, logger }) {
        const options = {
          ...{ chain, chainId: chainNamed(chain).chainId!, rpc, fetch, time, nativeAsset: native, tokens },
          ...{ finality: { confirmations: null }, logger },
        };
        const connection = connectEvm(options);
        return { scanner: evmScanner(options, connection), nodes: connection.pool };
      },
      paid(from, to) {
        const heights = Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
        return heights.flatMap((height) => {
          const paid = paymentIn(height);
          if (paid === null) return [];
          const txid = made('7a', height, shape.transactions);
          const coin = shape.traces ? 'call:0' : 'native';
          return [`${txid} ${paid.token === null ? coin : `log:${paid.token}:${paid.to}:0`}`];
        });
      },
    };
  };
