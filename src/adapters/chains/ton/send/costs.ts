/**
 * The costs of sending on TON: read from the network's configuration, with upper limits for what is
 * signed. Gas and sizes of V5R1 and of TEP-74's messages are measured.
 */
import type { Cell } from '@ton/core';
import { fields, unusable } from '../../shared/nodes/answers.ts';
import { text } from '../answers.ts';
import type { CellId } from '../codec/cell-hash.ts';
import { cellOf } from '../read/jettons.ts';
import type { TonNode } from '../toncenter.ts';

/**
 * Nanotons that a transfer of jettons carries. What its contracts do not use comes back to the hot
 * wallet.
 */
export const JETTON_COINS = 40_000_000n;
/**
 * What contracts use of it for a recipient who is new to the jetton, by the hash of its wallets'
 * code: USDT's use about half.
 */
const JETTON_SPENT: ReadonlyMap<string, bigint> = new Map([
  ['89468f02c78e570802e39979c8516fc38df07ea76a48357e0536f2ba7b3ee37b', 20_000_000n],
]);

/** What is usually used up of it: all, where the jetton's code is unknown (null). */
export function jettonSpent(code: CellId | null): bigint {
  const hash = code === null ? '' : Buffer.from(code.hash).toString('hex');
  return JETTON_SPENT.get(hash) ?? JETTON_COINS;
}

/**
 * Most that a wallet pays for its own transaction: twice today's price including deployment, and a
 * year's rent.
 */
const BASE_MOST = 8_000_000n;
const MESSAGE_MOST = { coins: 2_000_000n, jettons: 3_000_000n };

export type TonPaymentKind = 'coins' | 'jettons';

/** Most nanotons that a request of that many payments can cost, with any outcome. */
export function mostCost(kind: TonPaymentKind, payments: number): bigint {
  const each = MESSAGE_MOST[kind] + (kind === 'jettons' ? JETTON_COINS : 0n);
  return BASE_MOST + BigInt(payments) * each;
}

/**
 * Prices of the basechain in nanotons: for 65,536 units of gas, bits and cells; `lump` for a
 * message.
 */
export interface BasechainPrices {
  readonly gas: bigint;
  readonly lump: bigint;
  readonly bit: bigint;
  readonly cell: bigint;
}

const GAS_PRICES = 21;
const FORWARD_PRICES = 25;

const GAS = { request: 5_000n, message: 720n };
/** Of one payment within the request, and of the message that leaves. */
const SIZES = { coins: { bits: 500n, cells: 3n }, jettons: { bits: 1_300n, cells: 4n } };
const REQUEST = { bits: 700n, cells: 1n };

/**
 * The usual cost of a single payment from a deployed wallet; for jettons without what the transfer
 * carries.
 */
export function usualCost(kind: TonPaymentKind, prices: BasechainPrices): bigint {
  const { bits, cells } = SIZES[kind];
  const sizeCost = (bitCount: bigint, cellCount: bigint): bigint =>
    prices.lump + shifted(bitCount * prices.bit + cellCount * prices.cell);
  const handedIn = sizeCost(REQUEST.bits + bits, REQUEST.cells + cells);
  const run = shifted((GAS.request + GAS.message) * prices.gas);
  return handedIn + run + sizeCost(bits, cells);
}

const shifted = (amount: bigint): bigint => (amount + 65_535n) >> 16n;

/**
 * Configuration parameters 21 and 25 (TON's block.tlb: gas_flat_pfx, gas_prices_ext,
 * msg_forward_prices).
 */
export async function readPrices(node: TonNode): Promise<BasechainPrices> {
  const [gas, forward] = await Promise.all([
    configParam(node, GAS_PRICES),
    configParam(node, FORWARD_PRICES),
  ]);
  try {
    const gasSlice = gas.beginParse();
    if (gasSlice.loadUint(8) !== FLAT_GAS) throw unusable('gas prices');
    gasSlice.skip(64 + 64);
    if (gasSlice.loadUint(8) !== GAS_PRICES_EXT) throw unusable('gas prices');
    const slice = forward.beginParse();
    if (slice.loadUint(8) !== FORWARD) throw unusable('forward prices');
    const [lump, bit, cell] = [slice.loadUintBig(64), slice.loadUintBig(64), slice.loadUintBig(64)];
    return { gas: gasSlice.loadUintBig(64), lump, bit, cell };
  } catch {
    throw unusable('prices of the network');
  }
}

const FLAT_GAS = 0xd1;
const GAS_PRICES_EXT = 0xde;
const FORWARD = 0xea;

async function configParam(node: TonNode, param: number): Promise<Cell> {
  const { config } = fields(await node.call('getConfigParam', { config_id: param }), 'config');
  return cellOf(text(fields(config, 'config cell').bytes, 'config cell'));
}
