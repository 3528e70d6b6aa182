/**
 * Prices and unsigned transactions of UTXOs. The fee is the rate times the size; the change takes
 * the rest. A replacement takes its higher fee out of the change, since payments and UTXOs stay the
 * same.
 */
import { mulDiv } from '../../../../domain/money/decimal.ts';
import { larger, smaller } from '../../../../domain/money/larger.ts';
import {
  type SendingOrder,
  type SendingPrice,
  SendingRefused,
  type UnsignedTransaction,
} from '../../../../ports/sending/chain-sender.ts';
import { normalizeUtxoAddress, scriptOf } from '../codec/address.ts';
import { feeAt, leastChange, virtualSize } from '../codec/sizes.ts';
import { type StoredTransaction, storedTransaction } from '../codec/stored.ts';
import { NOT_REPLACEABLE, REPLACEABLE, type UnsignedOutput, writeUnsigned } from '../codec/unsigned.ts';
import { type FeeMarket, readMarket } from './fee-market.ts';
import { saneFeeMax } from './sane-fee.ts';
import { changeOfNonce, ownAddressScript, type UtxoSending } from './sending.ts';

/**
 * `expectedUnits` is for a payment that leaves alone, with one UTXO and change: the merchant whose
 * payment is not batched bears that cost. `maxUnits` is for two UTXOs at twice the present rate:
 * prices may rise until it is mined.
 */
export async function priceOf(sending: UtxoSending, { to }: { to: string | null }): Promise<SendingPrice> {
  const { network, pool, fees } = sending;
  const own = ownAddressScript(sending, sending.changeAddress(1));
  const recipient = (to === null ? null : scriptOf(network, to)) ?? own;
  const { rate } = await pool.use((node) => readMarket(node, fees));
  const raised = fees.ceiling === null ? 2n * rate : smaller(2n * rate, fees.ceiling);
  return {
    expectedUnits: feeAt(rate, virtualSize(network, 1, [recipient, own])),
    maxUnits: feeAt(raised, virtualSize(network, 2, [recipient, own])),
  };
}

export async function prepare(
  sending: UtxoSending,
  order: SendingOrder,
  replaces: { raw: string } | null,
): Promise<UnsignedTransaction> {
  const { network, pool, fees, replaceable } = sending;
  if (order.payments.length === 0 || order.inputs.length === 0)
    throw new Error('a UTXO transaction needs inputs and payments');
  if (replaces !== null && !replaceable && !order.voids)
    throw new SendingRefused('money', `waiting transactions of ${sending.chain} are not replaced`);
  // One that voids has no payments: all is change.
  const payments = (order.voids ? [] : order.payments).map(({ to, units }) => {
    return { script: recipientOf(sending, to), units };
  });
  const replaced = replaces === null ? null : replacedBy(sending, order, replaces.raw);
  const market = await pool.use((node) => readMarket(node, fees));
  const plan: Plan = { sending, order, payments, market, replaced };
  const { outputs, fee } = keepsAll(plan) ? withAllFee(plan) : withChange(plan);
  const size = virtualSize(network, order.inputs.length, scriptsOf(outputs));
  if (fee > saneFeeMax(size, spentUnits(order))) throw overTheCeiling(sending);
  const sequence = replaceable ? REPLACEABLE : NOT_REPLACEABLE;
  return {
    payload: await writeUnsigned({ inputs: order.inputs, outputs, sequence }),
    maxFeeUnits: fee,
    validUntil: null,
  };
}

interface Plan {
  readonly sending: UtxoSending;
  readonly order: SendingOrder;
  readonly payments: readonly UnsignedOutput[];
  readonly market: FeeMarket;
  readonly replaced: Replaced | null;
}

interface Planned {
  readonly outputs: readonly UnsignedOutput[];
  readonly fee: bigint;
}

interface Replaced {
  readonly fee: bigint;
  readonly size: bigint;
  /**
   * Whether it makes as many payments. Otherwise it is replaced to change its payments, and not
   * because it waits long.
   */
  readonly alike: boolean;
}

/**
 * Pays the wallet itself (a consolidation, a child that pays for its parent): the amount already
 * accounts for its fee.
 */
function keepsAll({ sending: { network }, order }: Plan): boolean {
  if (order.voids) return false;
  return order.payments.some(({ to }) => normalizeUtxoAddress(network, to) === order.wallet);
}

function withAllFee(plan: Plan): Planned {
  const { sending, order, payments, market, replaced } = plan;
  const fee = leftOf(plan);
  const size = virtualSize(sending.network, order.inputs.length, scriptsOf(payments));
  const least = replaced === null ? feeAt(market.minimum, size) : leastFee(plan, size);
  if (fee < least) throw new SendingRefused('money', 'the UTXOs leave too small a fee');
  return { outputs: payments, fee };
}

/** Adds change where it is worth its bytes; else the fee takes the rest. */
function withChange(plan: Plan): Planned {
  const { sending, order, payments, market } = plan;
  const { network, fees } = sending;
  const { address } = changeOfNonce(sending, order.nonce);
  const script = ownAddressScript(sending, address);
  const left = leftOf(plan);
  const sizes = {
    with: virtualSize(network, order.inputs.length, [...scriptsOf(payments), script]),
    without: virtualSize(network, order.inputs.length, scriptsOf(payments)),
  };
  const affordable = (size: bigint): bigint => {
    const fee = leastFee(plan, size);
    if (fees.ceiling !== null && fee > feeAt(fees.ceiling, size)) throw overTheCeiling(sending);
    return fee;
  };
  const fee = affordable(sizes.with);
  const change = left - fee;
  if (change >= leastChange(network, script, market.rate))
    return { outputs: [...payments, { script, units: change }], fee };
  if (order.voids || left < leastWithoutChange(plan, { size: sizes.without, fee: affordable(sizes.without) }))
    throw new SendingRefused('money', 'the UTXOs do not cover the payments and the fee');
  return { outputs: payments, fee: left };
}

/**
 * The UTXOs were chosen a moment ago, and prices move. Where nothing is replaced, a fee up to a
 * quarter below the present one is good enough, as long as nodes take it.
 */
function leastWithoutChange(
  { market, replaced }: Plan,
  { size, fee }: { size: bigint; fee: bigint },
): bigint {
  return replaced === null ? larger(mulDiv(fee, 3n, 4n, 'ceil'), feeAt(market.minimum, size)) : fee;
}

/**
 * Least fee at this size: the present rate; over a replaced transaction also the relay's step
 * (BIP-125, rules 3 and 4) and a tenth more per byte.
 */
function leastFee({ market, replaced }: Plan, size: bigint): bigint {
  const present = feeAt(larger(market.rate, market.minimum), size);
  if (replaced === null) return present;
  if (replaced.alike && replaced.fee >= 3n * feeAt(larger(market.rate, market.minimum), replaced.size))
    throw new SendingRefused(
      'enough',
      'the waiting transaction already offers three times the present price',
    );
  const step = replaced.fee + feeAt(market.minimum, size);
  const tenth = mulDiv(replaced.fee * size, 11n, 10n * replaced.size, 'ceil');
  return larger(present, larger(step, tenth));
}

/**
 * Null when there is nothing to outbid: a transaction that spends missing UTXOs waits at no node.
 */
function replacedBy(sending: UtxoSending, order: SendingOrder, raw: string): Replaced | null {
  const replaced = storedTransaction(sending.network, raw);
  if (order.voids && (!spends(replaced, order) || !sending.replaceable)) return null;
  if (!spends(replaced, order)) throw new Error(`${replaced.txid} spends other UTXOs than its replacement`);
  const payments = order.voids ? 0 : order.payments.length;
  const others = replaced.outputs.length - payments;
  return {
    fee: spentUnits(order) - replaced.paidUnits,
    size: replaced.virtualSize,
    // With one change output, or none.
    alike: others === 0 || (others === 1 && isChange(sending, order, replaced)),
  };
}

function isChange(sending: UtxoSending, { nonce }: SendingOrder, { outputs }: StoredTransaction): boolean {
  const { address } = changeOfNonce(sending, nonce);
  const last = outputs.at(-1);
  return last !== undefined && Buffer.compare(last.script, ownAddressScript(sending, address)) === 0;
}

function spends({ inputs }: StoredTransaction, order: SendingOrder): boolean {
  return (
    inputs.length === order.inputs.length &&
    inputs.every(({ txid, vout }, index) => {
      const utxo = order.inputs[index]!;
      return utxo.txid === txid && utxo.vout === vout;
    })
  );
}

function recipientOf({ network }: UtxoSending, to: string): Uint8Array {
  const script = scriptOf(network, to);
  if (script === null)
    throw new SendingRefused('undone', `${to} is no address of ${network.family} ${network.name}`);
  return script;
}

/** Fee and change together. */
function leftOf({ order, payments }: Plan): bigint {
  return payments.reduce((left, { units }) => left - units, spentUnits(order));
}

const spentUnits = ({ inputs }: SendingOrder): bigint => inputs.reduce((sum, { units }) => sum + units, 0n);
const scriptsOf = (outputs: readonly UnsignedOutput[]): readonly Uint8Array[] =>
  outputs.map(({ script }) => script);

function overTheCeiling({ chain }: UtxoSending): SendingRefused {
  return new SendingRefused('fees', `${chain}: the fee would be above the ceiling`);
}
