/**
 * Tron making its blocks by the clock, as full of strangers' transactions as the real one, which
 * pays the watched addresses now and then: in the coin, in a token, in a token by a contract, and
 * in the coin by a contract.
 */
import { addressHex, addressText } from '../../../../src/adapters/chains/tron/address.ts';
import { connectTron } from '../../../../src/adapters/chains/tron/connection.ts';
import { tronScanner } from '../../../../src/adapters/chains/tron/read/scanner.ts';
import { BUILT_IN_ASSETS } from '../../../../src/domain/catalog/asset.ts';
import { relisted } from '../../tron/relisted.ts';
import type { MakeChain } from '../followed.ts';

export interface TronShape {
  /** Of a usual block: transactions in the coin, and in tokens. */
  readonly coins: number;
  readonly tokens: number;
  /** Watched addresses, and in each how many blocks one of them is paid; 0: never. */
  readonly watched: number;
  readonly payEvery: number;
}

export const TRON_BLOCK_MS = 3_000;
const SOLID_BEHIND = 19;
const FIRST_HEIGHT = 80_000_000;
const FIRST_BLOCK = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const CALL = Buffer.from('call').toString('hex');
const KEPT_BLOCKS = 64;

const USDT = BUILT_IN_ASSETS.find(({ key }) => key === 'usdt_tron')!;
const USDT_HEX = addressHex(USDT.contract!)!;
const ROUTER = `41${'4d'.repeat(20)}`;
const idOf = (height: number): string =>
  height === 0 ? FIRST_BLOCK : height.toString(16).padStart(16, '0').padEnd(64, 'b');
const txidOf = (height: number, index: number): string =>
  `${height.toString(16)}${index.toString(16).padStart(4, '0')}`.padStart(64, '7');
const hexOf = (kind: string, index: number): string => `41${kind}${index.toString(16).padStart(38, '0')}`;
const word = (hex: string): string => hex.slice(-40).padStart(64, '0');

const KINDS = ['coin', 'token', 'token by a contract', 'coin by a contract'] as const;

interface Payment {
  readonly kind: (typeof KINDS)[number];
  /** In hex. */
  readonly to: string;
  readonly units: number;
}

export const tronChain =
  ({ coins, tokens, watched, payEvery }: TronShape): MakeChain =>
  ({ nowMs, unixMs, blocksBefore }) => {
    const beganAt = unixMs() - nowMs() - blocksBefore * TRON_BLOCK_MS;
    const tip = (): number => FIRST_HEIGHT + Math.floor((unixMs() - beganAt) / TRON_BLOCK_MS);
    const timeOf = (height: number): number => beganAt + (height - FIRST_HEIGHT) * TRON_BLOCK_MS;
    const addresses = Array.from({ length: watched }, (_, index) => addressText(hexOf('aa', index)));

    function paymentIn(height: number): Payment | null {
      if (payEvery === 0 || height % payEvery !== 0) return null;
      const nth = height / payEvery;
      return {
        kind: KINDS[nth % KINDS.length]!,
        to: hexOf('aa', nth % watched),
        units: 1 + (nth % 1_000_000),
      };
    }

    function paymentsIn(height: number): readonly Payment[] {
      const strangers = Array.from({ length: coins + tokens }, (_, index): Payment => {
        const to = hexOf('57', (height * 31 + index) % 50_000);
        return { kind: index < coins ? 'coin' : 'token', to, units: 1_000 + index };
      });
      return [...strangers, ...[paymentIn(height)].flatMap((paid) => paid ?? [])];
    }

    const header = (height: number) => ({
      blockID: idOf(height),
      block_header: {
        raw_data: {
          ...{ number: height, txTrieRoot: 'c'.repeat(64), witness_address: `41${'22'.repeat(20)}` },
          ...{ parentHash: idOf(Math.max(0, height - 1)), version: 31, timestamp: timeOf(height) },
        },
        witness_signature: '00'.repeat(65),
      },
    });

    function transactionOf(height: number, index: number, { kind, to, units }: Payment): object {
      const owner_address = hexOf('0e', index);
      const contract_address = kind === 'token' ? USDT_HEX : ROUTER;
      const data = `a9059cbb${word(to)}${units.toString(16).padStart(64, '0')}`;
      const isCoin = kind === 'coin';
      const value = isCoin
        ? { amount: units, owner_address, to_address: to }
        : { data, owner_address, contract_address };
      const type = isCoin ? 'TransferContract' : 'TriggerSmartContract';
      return {
        ret: [{ contractRet: 'SUCCESS' }],
        signature: ['5f'.repeat(65)],
        txID: txidOf(height, index),
        raw_data: {
          contract: [{ parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }],
          ...{ ref_block_bytes: '2f40', ref_block_hash: '0011223344556677' },
          ...{ expiration: timeOf(height) + 57_000, timestamp: timeOf(height) - 3_000 },
          ...(isCoin ? {} : { fee_limit: 30_000_000 }),
        },
        raw_data_hex: '0a'.repeat(isCoin ? 130 : 210),
      };
    }

    function infoOf(height: number, index: number, { kind, to, units }: Payment): object {
      const from = word(hexOf('0e', index));
      const log = [
        { address: USDT_HEX.slice(2), topics: [TRANSFER, from, word(to)], data: word(units.toString(16)) },
      ];
      const paid = { caller_address: ROUTER, transferTo_address: to, callValueInfo: [{ callValue: units }] };
      const energy = { energy_usage_total: 64_285, net_usage: 345, energy_penalty_total: 49_635 };
      return {
        ...{ id: txidOf(height, index), blockNumber: height, blockTimeStamp: timeOf(height) },
        ...(kind === 'coin'
          ? { contractResult: [''], receipt: { net_usage: 268 } }
          : { contractResult: ['0'.repeat(64)], receipt: { ...energy, result: 'SUCCESS' } }),
        ...(kind.startsWith('token') ? { log } : {}),
        ...(kind === 'coin by a contract' ? { internal_transactions: [{ ...paid, note: CALL }] } : {}),
      };
    }

    /** Written out once: what is asked for is asked for again soon, or not at all. */
    const written = new Map<string, string>();
    function once(name: string, write: () => unknown): string {
      const known = written.get(name) ?? JSON.stringify(write());
      written.set(name, known);
      if (written.size > KEPT_BLOCKS) written.delete(written.keys().next().value!);
      return known;
    }
    const blockText = (height: number): string =>
      once(`block ${height}`, () =>
        relisted(
          header(height),
          paymentsIn(height).map((paid, index) => transactionOf(height, index, paid)),
        ),
      );
    const infosText = (height: number): string =>
      once(`infos ${height}`, () => paymentsIn(height).map((paid, index) => infoOf(height, index, paid)));

    function answerTo(path: string, asked: Readonly<Record<string, unknown>>): string {
      const best = path.startsWith('/walletsolidity/') ? tip() - SOLID_BEHIND : tip();
      switch (path.split('/').at(-1)) {
        case 'getblock': {
          const height = asked.id_or_num === undefined ? best : Number(asked.id_or_num);
          return height > best ? '{}' : JSON.stringify(header(height));
        }
        case 'getblockbylimitnext': {
          const [from, to] = [Number(asked.startNum), Math.min(Number(asked.endNum), best + 1)];
          if (from >= to) return '{}';
          const heights = Array.from({ length: to - from }, (_, offset) => from + offset);
          return `{"block":[${heights.map(blockText).join()}]}`;
        }
        case 'gettransactioninfobyblocknum':
          return Number(asked.num) > best ? '[]' : infosText(Number(asked.num));
        case 'triggerconstantcontract':
          return JSON.stringify({
            ...{ result: { result: true }, energy_used: 463 },
            constant_result: [word(USDT.decimals.toString(16))],
          });
        default:
          throw new Error(`the generated chain does not know ${path}`);
      }
    }

    return {
      ...{ chain: 'tron', blockMs: TRON_BLOCK_MS, tip, addresses },
      async answer(url, { body }) {
        const text = answerTo(new URL(url).pathname, JSON.parse(String(body || '{}')));
        return new Response(text, { headers: { 'content-type': 'application/json' } });
      },
      open({ rpc, fetch, time, logger }) {
        const options = {
          ...({ chain: 'tron', network: 'main', rpc, fetch, time, logger } as const),
          ...{ asset: 'trx_tron', confirmations: null },
          tokens: [{ asset: USDT.key, contract: USDT.contract!, decimals: USDT.decimals }],
        };
        const connection = connectTron(options);
        return { scanner: tronScanner(options, connection), nodes: connection.pool };
      },
      paid(from, to) {
        const heights = Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
        return heights.flatMap((height) => {
          const paid = paymentIn(height);
          if (paid === null) return [];
          const receiver = addressText(paid.to);
          const output = {
            coin: 'native',
            token: `log:${USDT.contract}:${receiver}:0`,
            'token by a contract': `log:${USDT.contract}:${receiver}:0`,
            'coin by a contract': `call:${receiver}:0`,
          }[paid.kind];
          return [`${txidOf(height, coins + tokens)} ${output}`];
        });
      },
    };
  };
