/**
 * Checks a payload against its order, to the last byte: it spends the order's UTXOs, pays its
 * payments, and gives the rest to the change address of its nonce or, within reason, to the miners.
 * One that voids pays only change.
 */
import { outpointText } from '../../../../domain/chains/outpoint.ts';
import type { SigningTerms } from '../../../../ports/sending/family-signing.ts';
import { type SigningOrder, SigningRefused, type WalletKey } from '../../../../ports/sending/signer.ts';
import { scriptOf } from '../codec/address.ts';
import { MalformedBytes } from '../codec/byte-reader.ts';
import { virtualSize } from '../codec/sizes.ts';
import { decodeTransaction, type RawTransaction, type TransactionOutput } from '../codec/transaction.ts';
import { NOT_REPLACEABLE, REPLACEABLE, writeUnsigned } from '../codec/unsigned.ts';
import type { UtxoNetwork } from '../network.ts';
import { saneFeeMax } from './sane-fee.ts';

interface Checked {
  readonly network: UtxoNetwork;
  readonly order: SigningOrder;
  readonly terms: Pick<SigningTerms, 'contract'>;
  /** The address of one of our keys; throws RangeError for a key that cannot exist. */
  scriptOfKey(key: WalletKey): Promise<Uint8Array>;
}

/** Returns the exact fee. Throws SigningRefused. */
export async function checkOrder(checked: Checked): Promise<{ readonly maxFeeUnits: bigint }> {
  const { network, order, terms } = checked;
  if (terms.contract !== null)
    throw new SigningRefused("only payments of the chain's own coin are signed on a UTXO chain");
  if (order.payments.length === 0 || order.inputs.length === 0)
    throw new SigningRefused('the order has no payment or no UTXO');
  const transaction = read(network, order.payload);
  checkInputs(transaction, order);
  await checkOutputs(transaction.outputs, checked);
  await checkBytes(transaction, order);
  return { maxFeeUnits: checkedFee(transaction.outputs, checked) };
}

function read(network: UtxoNetwork, payload: string): RawTransaction {
  const refused = 'the payload is no unsigned transaction of a kind that is signed';
  if (!/^(?:[0-9a-f]{2})+$/.test(payload)) throw new SigningRefused(refused);
  try {
    return decodeTransaction(network, Buffer.from(payload, 'hex'));
  } catch (error) {
    if (error instanceof MalformedBytes) throw new SigningRefused(refused);
    throw error;
  }
}

function checkInputs(transaction: RawTransaction, { inputs }: SigningOrder): void {
  const spent = transaction.inputs().map(outpointText);
  const ordered = inputs.map(outpointText);
  if (new Set(ordered).size !== ordered.length) throw new SigningRefused('the order spends a UTXO twice');
  if (inputs.some(({ units }) => units <= 0n))
    throw new SigningRefused('the order spends a UTXO without value');
  if (spent.length !== ordered.length || spent.some((outpoint, index) => outpoint !== ordered[index]))
    throw new SigningRefused("the payload does not spend the order's UTXOs");
}

async function checkOutputs(
  outputs: readonly TransactionOutput[],
  { network, order, scriptOfKey }: Checked,
): Promise<void> {
  const payments = order.voids ? [] : order.payments;
  for (const [index, { to, units, transferId }] of payments.entries()) {
    const script = scriptOf(network, to);
    const output = outputs[index];
    const refused = (message: string): SigningRefused => new SigningRefused(message, { transferId });
    if (script === null || units <= 0n) throw refused('the order names an invalid address or amount');
    if (output === undefined || !sameBytes(output.script, script))
      throw refused("the payload does not pay the order's recipient");
    if (output.units !== units) throw refused('the payload moves another amount');
  }
  const change = outputs.slice(payments.length);
  if (order.voids && change.length === 0) throw new SigningRefused('no change returns to the wallet');
  if (change.length > 1) throw new SigningRefused('the payload pays an additional recipient');
  const [own] = change;
  if (own !== undefined && !sameBytes(own.script, await changeScript(order, scriptOfKey)))
    throw new SigningRefused('the change goes to another address than the one of its nonce');
}

async function changeScript(
  { nonce }: SigningOrder,
  scriptOfKey: Checked['scriptOfKey'],
): Promise<Uint8Array> {
  try {
    return await scriptOfKey({ role: 'change', index: Number(nonce) + 1 });
  } catch (error) {
    if (error instanceof RangeError) throw new SigningRefused('the nonce is out of range');
    throw error;
  }
}

/**
 * Version, lock time and sequences. No byte may have been skipped in reading: written anew the
 * payload is the same.
 */
async function checkBytes({ outputs }: RawTransaction, { inputs, payload }: SigningOrder): Promise<void> {
  for (const sequence of [REPLACEABLE, NOT_REPLACEABLE] as const)
    if ((await writeUnsigned({ inputs, outputs, sequence })) === payload) return;
  throw new SigningRefused('the payload has a version, lock time, sequence or script that is not signed');
}

function checkedFee(outputs: readonly TransactionOutput[], { network, order }: Checked): bigint {
  const spent = order.inputs.reduce((sum, { units }) => sum + units, 0n);
  const fee = outputs.reduce((left, { units }) => left - units, spent);
  const scripts = outputs.map(({ script }) => script);
  if (fee <= 0n) throw new SigningRefused('the payload pays more than it spends, or no fee');
  if (fee > saneFeeMax(virtualSize(network, order.inputs.length, scripts), spent))
    throw new SigningRefused('the fee is above the sanity limit', { lasting: false });
  return fee;
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;
