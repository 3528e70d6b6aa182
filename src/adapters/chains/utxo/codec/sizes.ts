/**
 * Sizes of our transactions, their fees at a rate, and the dust limit of nodes. Sizes are in
 * virtual bytes (BIP-141). Every signature counts at its longest, so a fee is never below its rate.
 */
import { mulDiv } from '../../../../domain/money/decimal.ts';
import { larger } from '../../../../domain/money/larger.ts';
import type { UtxoNetwork } from '../network.ts';

/**
 * A signature of 71 bytes at most (low S) with its hash type, and a public key, each after its
 * length.
 */
const SIGNATURE_AND_KEY = 1 + 72 + 1 + 33;
/** Outpoint, length of the script, sequence. */
const BARE_INPUT = 36 + 1 + 4;
const WITNESS_SCALE = 4;
/** Weight of a segwit transaction's marker and flag, and of an input's count of witness items. */
const SEGWIT_MARKER = 2;
const WITNESS_COUNT = 1;

/**
 * Largest transaction that nodes relay: 400,000 weight units, or 100,000 bytes; a tenth is kept in
 * reserve.
 */
const STANDARD_VSIZE_MAX = 90_000;

/** Virtual bytes of a transaction that spends `inputs` of our UTXOs and pays to `scripts`. */
export function virtualSize(network: UtxoNetwork, inputs: number, scripts: readonly Uint8Array[]): bigint {
  const unlocking = inputs * SIGNATURE_AND_KEY;
  const bytes =
    bareSize(inputs, scripts) +
    unlocking +
    (network.bech32 === null ? 0 : SEGWIT_MARKER + inputs * WITNESS_COUNT);
  return signedSize(network, { bytes, inputs, scripts });
}

/** Virtual bytes of our signed transaction of so many bytes. */
export function signedSize(
  network: UtxoNetwork,
  { bytes, inputs, scripts }: { bytes: number; inputs: number; scripts: readonly Uint8Array[] },
): bigint {
  if (network.bech32 === null) return BigInt(bytes);
  const weight = (WITNESS_SCALE - 1) * bareSize(inputs, scripts) + bytes;
  return BigInt(Math.ceil(weight / WITNESS_SCALE));
}

/** Bytes without witness, the inputs' scripts being empty. */
function bareSize(inputs: number, scripts: readonly Uint8Array[]): number {
  const outputs = scripts.reduce((sum, script) => sum + outputSize(script), 0);
  return 8 + compactSize(inputs) + inputs * BARE_INPUT + compactSize(scripts.length) + outputs;
}

/** Virtual bytes that one of our UTXOs adds. */
export function coinSize(network: UtxoNetwork): bigint {
  const unlocking = SIGNATURE_AND_KEY + (network.bech32 === null ? 0 : WITNESS_COUNT);
  return BigInt(BARE_INPUT + (network.bech32 === null ? unlocking : unlocking / WITNESS_SCALE));
}

/** Most of our UTXOs that fit beside outputs to `scripts`. */
export function utxosMax(network: UtxoNetwork, scripts: readonly Uint8Array[]): number {
  const left = BigInt(STANDARD_VSIZE_MAX) - virtualSize(network, 0, scripts);
  return left < 0n ? 0 : Number(left / coinSize(network));
}

/** Base units for so many virtual bytes at `rate` per 1,000 of them, rounded up as the nodes do. */
export function feeAt(rate: bigint, virtualBytes: bigint): bigint {
  return mulDiv(rate, virtualBytes, 1_000n, 'ceil');
}

/**
 * Least units of an output that nodes relay: the cost of spending it at the network's dust rate
 * (GetDustThreshold of the nodes). At 3 satoshi a byte: 294 for P2WPKH, 330 for P2TR, 540 for P2SH,
 * 546 for P2PKH.
 */
export function dustLimit(network: UtxoNetwork, script: Uint8Array): bigint {
  const spending = isWitnessProgram(network, script)
    ? BARE_INPUT + Math.floor(SIGNATURE_AND_KEY / WITNESS_SCALE)
    : BARE_INPUT + SIGNATURE_AND_KEY;
  return feeAt(network.dustRelayFee, BigInt(outputSize(script) + spending));
}

/**
 * Change below this is left out: it would be dust, or cost more to spend at this rate than it is
 * worth.
 */
export function leastChange(network: UtxoNetwork, script: Uint8Array, rate: bigint): bigint {
  return larger(dustLimit(network, script), feeAt(rate, coinSize(network)));
}

function isWitnessProgram(network: UtxoNetwork, script: Uint8Array): boolean {
  const [opcode, length] = script;
  const version = opcode === 0 || (opcode !== undefined && opcode >= 0x51 && opcode <= 0x60);
  return network.bech32 !== null && version && script.length >= 4 && length === script.length - 2;
}

const outputSize = (script: Uint8Array): number => 8 + compactSize(script.length) + script.length;

function compactSize(count: number): number {
  if (count < 0xfd) return 1;
  return count <= 0xffff ? 3 : 5;
}
