/**
 * Which UTXOs to spend, and how to speed up a waiting transaction (ports/sending/utxo-spending.ts).
 * Nodes are asked only for the fee rate, and for what is unspent or waits.
 */

import { type Outpoint, outpointText } from '../../../../domain/chains/outpoint.ts';
import { mulDiv } from '../../../../domain/money/decimal.ts';
import { larger, smaller } from '../../../../domain/money/larger.ts';
import { selectUtxos } from '../../../../domain/sending/utxo-selection.ts';
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { OwedPayment } from '../../../../ports/chains/watch-list.ts';
import type { Utxo, UtxoSpending } from '../../../../ports/sending/utxo-spending.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { SpendingBackend } from '../backend.ts';
import { scriptOf } from '../codec/address.ts';
import { coinSize, dustLimit, feeAt, leastChange, utxosMax, virtualSize } from '../codec/sizes.ts';
import { storedTransaction } from '../codec/stored.ts';
import type { UtxoNetwork } from '../network.ts';
import { StillReading } from '../read/owed.ts';
import { RELAY_RATE, readMarket } from './fee-market.ts';
import { saneFeeMax } from './sane-fee.ts';
import { changeOfNonce, ownAddressScript, type UtxoSending } from './sending.ts';

/** Most payments in one transaction: some 7,000 virtual bytes, well below what nodes relay. */
export const PAYMENTS_AT_ONCE = 200;
/** A consolidation may cost a twentieth of what it joins. */
const CONSOLIDATION_SHARE = 20n;

interface Context {
  readonly sending: UtxoSending;
  /** The script of any of our own addresses: all are of one size. */
  readonly ownScript: Uint8Array;
}

export function utxoSpending(sending: UtxoSending): UtxoSpending {
  const { network, pool, fees, replaceable } = sending;
  const context: Context = { sending, ownScript: ownAddressScript(sending, sending.changeAddress(1)) };
  return {
    replaceable,
    feeRate: async () => (await pool.use((node) => readMarket(node, fees))).rate,
    isDust: ({ to, units }) => {
      const script = scriptOf(network, to);
      return script === null || units < dustLimit(network, script);
    },
    choose: (order) => choose(context, order),
    consolidate: (order) => consolidate(context, order),
    bump: (order) => bump(context, order),
    spends: (raw) => storedTransaction(network, raw).inputs,
    changeOf: (signed) => changeOf(sending, signed),
    unspent: (utxos, height) => unspent(sending, utxos, height),
    unspentAtAll: (utxos, height) => unspentAtAll(sending, utxos, height),
    spentByWaiting: (outpoints) => spentByWaiting(sending, outpoints),
    waitingPaying: (owed) => waitingPaying(sending, owed),
  };
}

function choose(
  { sending, ownScript }: Context,
  { utxos, payments, feeRate }: Parameters<UtxoSpending['choose']>[0],
): readonly Utxo[] | null {
  const { network, replaceable } = sending;
  const scripts = payments.map(({ to }) => scriptOf(network, to));
  if (!scripts.every((script) => script !== null)) return null;
  const sizeOf = (spent: number, withChange: boolean): bigint =>
    virtualSize(network, spent, withChange ? [...scripts, ownScript] : scripts);
  const paid = payments.reduce((sum, { units }) => sum + units, 0n);
  return selectUtxos(utxos, paid, {
    fee: rememberedFee((spent, withChange) => feeAt(feeRate, sizeOf(spent, withChange))),
    coinFee: feeAt(feeRate, coinSize(network)),
    leastChange: leastChange(network, ownScript, feeRate),
    headroom: (spent) => {
      const size = sizeOf(spent, true);
      return replaceable ? twoReplacements(feeRate, size) : childAtTwice(network, ownScript, feeRate, size);
    },
    utxosMax: utxosMax(network, [...scripts, ownScript]),
  });
}

/** Called for thousands of sets of UTXOs, most of them of the same few sizes. */
function rememberedFee(
  feeOf: (spent: number, withChange: boolean) => bigint,
): (spent: number, withChange: boolean) => bigint {
  const reckoned = { with: new Map<number, bigint>(), without: new Map<number, bigint>() };
  return (spent, withChange) => {
    const known = withChange ? reckoned.with : reckoned.without;
    const fee = known.get(spent) ?? feeOf(spent, withChange);
    known.set(spent, fee);
    return fee;
  };
}

/**
 * What the fee at `feeRate` grows by in two replacements. Each raises it by the least that nodes
 * relay, and together they at least double it.
 */
function twoReplacements(feeRate: bigint, size: bigint): bigint {
  const fee = feeAt(feeRate, size);
  return larger(replacementFee(replacementFee(fee, size), size) - fee, fee);
}

function replacementFee(fee: bigint, size: bigint): bigint {
  return larger(fee + feeAt(RELAY_RATE, size), mulDiv(fee, 11n, 10n, 'ceil'));
}

/** What a child adds so that both together pay twice the rate. */
function childAtTwice(network: UtxoNetwork, ownScript: Uint8Array, feeRate: bigint, size: bigint): bigint {
  return feeAt(2n * feeRate, size + virtualSize(network, 1, [ownScript])) - feeAt(feeRate, size);
}

function consolidate(
  { sending: { network }, ownScript }: Context,
  { utxos, feeRate }: Parameters<UtxoSpending['consolidate']>[0],
): { readonly units: bigint } | null {
  if (utxos.length < 2 || utxos.length > utxosMax(network, [ownScript])) return null;
  const sum = utxos.reduce((total, { units }) => total + units, 0n);
  const fee = feeAt(feeRate, virtualSize(network, utxos.length, [ownScript]));
  const units = sum - fee;
  const worthIt = fee * CONSOLIDATION_SHARE <= sum && units >= dustLimit(network, ownScript);
  return worthIt ? { units } : null;
}

/**
 * The child pays what both lack at `feeRate`, or as much of it as the change has. It does not help
 * where the rate of both would be less than a tenth above the parent's.
 */
function bump(
  { sending: { network }, ownScript }: Context,
  { raw, paidFeeUnits, feeRate, change }: Parameters<UtxoSpending['bump']>[0],
): { readonly units: bigint } | null {
  const parent = storedTransaction(network, raw);
  const output = change.txid === parent.txid ? parent.outputs[change.vout] : undefined;
  if (output === undefined || output.units !== change.units)
    throw new Error(`${outpointText(change)} is no output of ${parent.txid}`);
  const childSize = virtualSize(network, 1, [ownScript]);
  const together = parent.virtualSize + childSize;
  // Another reason than its rate holds up a parent that offers three times the present rate.
  if (paidFeeUnits >= 3n * feeAt(feeRate, parent.virtualSize)) return null;
  const raised = mulDiv(paidFeeUnits * together, 5n, 4n * parent.virtualSize, 'ceil');
  const wanted = larger(feeAt(feeRate, together), raised) - paidFeeUnits;
  const most = smaller(change.units - dustLimit(network, ownScript), saneFeeMax(childSize, change.units));
  const fee = smaller(wanted, most);
  const helps =
    (paidFeeUnits + fee) * parent.virtualSize * 10n >= paidFeeUnits * together * 11n &&
    fee >= feeAt(RELAY_RATE, childSize);
  return helps ? { units: change.units - fee } : null;
}

function changeOf(
  sending: UtxoSending,
  { raw, nonce }: Parameters<UtxoSpending['changeOf']>[0],
): ReturnType<UtxoSpending['changeOf']> {
  const { key, address } = changeOfNonce(sending, nonce);
  const script = ownAddressScript(sending, address);
  const { outputs } = storedTransaction(sending.network, raw);
  const vout = outputs.length - 1;
  const last = outputs[vout];
  if (last === undefined || Buffer.compare(last.script, script) !== 0) return null;
  return { vout, address, key, units: last.units };
}

async function unspent(
  { pool }: UtxoSending,
  utxos: readonly Utxo[],
  height = 0,
): Promise<readonly boolean[]> {
  return pool.use((node) => unspentAt(node, utxos, height));
}

async function unspentAtAll(
  { chain, pool }: UtxoSending,
  utxos: readonly Utxo[],
  height: number,
): Promise<readonly (boolean | null)[]> {
  const answers = await pool.every((node) => unspentAt(node, utxos, height));
  if (answers.length === 0) throw new ChainUnavailable(`${chain}: no node has block ${height}`);
  return utxos.map((_, place) => {
    const found = new Set(answers.map((answer) => answer[place] ?? false));
    return found.size === 1 ? found.has(true) : null;
  });
}

async function unspentAt(
  node: SpendingBackend,
  utxos: readonly Utxo[],
  height: number,
): Promise<readonly boolean[]> {
  if (height > 0 && (await node.tip()).height < height) throw new NodeLagging(`has no block ${height}`);
  const found: boolean[] = [];
  for (const utxo of utxos) {
    const held = await node.unspent(utxo);
    found.push(held?.units === utxo.units);
  }
  return found;
}

async function spentByWaiting(
  sending: UtxoSending,
  outpoints: readonly Outpoint[],
): Promise<readonly boolean[]> {
  const answers = await everyMempool(sending, async (node) => {
    const found: boolean[] = [];
    for (const outpoint of outpoints) found.push(await node.spentByWaiting(outpoint));
    return found;
  });
  return outpoints.map((_, place) => answers.some((found) => found[place]));
}

async function waitingPaying(
  sending: UtxoSending,
  owed: readonly OwedPayment[],
): Promise<readonly (readonly string[])[]> {
  const { chain } = sending;
  const reading: string[] = [];
  const answers = await everyMempool(sending, async (node) => {
    try {
      return await node.waitingPaying(owed);
    } catch (error) {
      if (error instanceof StillReading) reading.push(error.message);
      throw error;
    }
  });
  // A payment may wait only at a node that is still reading.
  if (reading.length > 0) throw new ChainUnavailable(`${chain}: a node ${reading.join(', another ')}`);
  return owed.map((_, place) => answers.flatMap((found) => found[place] ?? []));
}

/** Asks every node, since their mempools differ. */
async function everyMempool<T>(
  { chain, pool }: UtxoSending,
  ask: (node: SpendingBackend) => Promise<T>,
): Promise<readonly T[]> {
  const answers = await pool.every(ask);
  if (answers.length === 0) throw new ChainUnavailable(`${chain}: no node could read its mempool`);
  return answers;
}
