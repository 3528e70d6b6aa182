/**
 * Tron transactions as this gateway writes them: the native coin, TRC-20 `transfer`, and energy
 * delegated to our own address and taken back; nothing else. They are written without a signature,
 * and read again byte for byte. Protobuf messages of java-tron (core/Tron.proto); a transaction's
 * id is the SHA-256 of its `raw_data`.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Delegation } from '../../../../ports/sending/energy-delegation.ts';
import { ADDRESS_PREFIX, addressHex, addressText } from '../address.ts';
import { readTransferCall, transferCall } from '../contract.ts';
import { bytesField, type Message, numberField, readMessage } from './protobuf.ts';

/** What a transaction does. Addresses are texts, amounts base units (of the native coin: sun). */
export type TronAction =
  | { readonly kind: 'coin'; readonly to: string; readonly units: bigint }
  | { readonly kind: 'token'; readonly contract: string; readonly to: string; readonly units: bigint }
  /** Stake of the owner whose energy `to` may use from now on, or no longer. */
  | { readonly kind: 'lend_energy' | 'take_energy_back'; readonly to: string; readonly units: bigint };

/** What an order does: it pays, or it lends energy. */
export function actionOf(delegates: Delegation | undefined, pays: 'coin' | 'token'): TronAction['kind'] {
  if (delegates === undefined) return pays;
  return delegates === 'energy' ? 'lend_energy' : 'take_energy_back';
}

export interface TronTransaction {
  /** Its key signs, and it pays. */
  readonly owner: string;
  readonly action: TronAction;
  /**
   * A block that must be on the chain (TAPOS): the low 16 bits of its height, and bytes 8 to 15 of
   * its id, in hex.
   */
  readonly reference: { readonly height: string; readonly hash: string };
  /** Milliseconds since 1970: no later block takes it. */
  readonly expiration: bigint;
  /** Milliseconds since 1970; nodes ignore it. */
  readonly timestamp: bigint;
  /** Most sun that its energy may cost; zero where no contract runs. */
  readonly feeLimit: bigint;
}

export interface SignedTronTransaction extends TronTransaction {
  readonly txid: string;
}

const CONTRACTS = {
  coin: { type: 1n, name: 'TransferContract' },
  token: { type: 31n, name: 'TriggerSmartContract' },
  lend_energy: { type: 57n, name: 'DelegateResourceContract' },
  take_energy_back: { type: 58n, name: 'UnDelegateResourceContract' },
} as const satisfies Record<TronAction['kind'], { type: bigint; name: string }>;
const TYPE_URL = 'type.googleapis.com/protocol.';
/** ResourceCode.ENERGY */
const ENERGY = 1n;
const SIGNATURE_BYTES = 65;
/** What java-tron adds to the recovery id. */
const RECOVERY_OFFSET = 27;

/** The part of a block's id that names it as a reference. */
export function referenceTo({
  height,
  hash,
}: {
  height: number;
  hash: string;
}): TronTransaction['reference'] {
  return { height: (height & 0xffff).toString(16).padStart(4, '0'), hash: hash.slice(16, 32) };
}

/**
 * The `raw_data` of a transaction, in hex. Throws for invalid addresses and for amounts that do not
 * fit.
 */
export function writeTransaction(transaction: TronTransaction): string {
  const { action, reference, expiration, timestamp, feeLimit } = transaction;
  const { type, name } = CONTRACTS[action.kind];
  const parameter = Buffer.concat([
    bytesField(1, Buffer.from(`${TYPE_URL}${name}`)),
    bytesField(2, writeAction(transaction.owner, action)),
  ]);
  return Buffer.concat([
    bytesField(1, Buffer.from(reference.height, 'hex')),
    bytesField(4, Buffer.from(reference.hash, 'hex')),
    numberField(8, expiration),
    bytesField(11, Buffer.concat([numberField(1, type), bytesField(2, parameter)])),
    numberField(14, timestamp),
    numberField(18, feeLimit),
  ]).toString('hex');
}

function writeAction(owner: string, action: TronAction): Buffer {
  switch (action.kind) {
    case 'coin':
      return Buffer.concat([
        bytesField(1, addressBytes(owner)),
        bytesField(2, addressBytes(action.to)),
        numberField(3, action.units),
      ]);
    case 'token': {
      const call = transferCall({ to: addressBytes(action.to).toString('hex'), units: action.units });
      return Buffer.concat([
        bytesField(1, addressBytes(owner)),
        bytesField(2, addressBytes(action.contract)),
        bytesField(4, Buffer.from(call, 'hex')),
      ]);
    }
    case 'lend_energy':
    case 'take_energy_back':
      return Buffer.concat([
        bytesField(1, addressBytes(owner)),
        numberField(2, ENERGY),
        numberField(3, action.units),
        bytesField(4, addressBytes(action.to)),
      ]);
  }
}

function addressBytes(address: string): Buffer {
  const hex = addressHex(address);
  if (hex === null) throw new Error(`${address} is not a Tron address`);
  return Buffer.from(hex, 'hex');
}

/**
 * Reads a `raw_data`; null for anything that `writeTransaction` does not write, to the byte:
 * another contract, a memo, a permission, a field of value or length zero, fields in another order.
 */
export function readTransaction(payload: string): TronTransaction | null {
  if (!/^(?:[0-9a-f]{2})+$/.test(payload)) return null;
  const raw = readMessage(Buffer.from(payload, 'hex'));
  const contract = raw && readMessage(raw.bytes(11));
  const parameter = contract && readMessage(contract.bytes(2));
  const value = parameter && readMessage(parameter.bytes(2));
  if (!raw || !contract || !value) return null;
  const owner = textOf(value.bytes(1));
  const action = readAction(contract.number(1), value);
  if (owner === null || action === null) return null;
  const transaction: TronTransaction = {
    owner,
    action,
    reference: { height: hexOf(raw.bytes(1)), hash: hexOf(raw.bytes(4)) },
    expiration: raw.number(8),
    timestamp: raw.number(14),
    feeLimit: raw.number(18),
  };
  try {
    return writeTransaction(transaction) === payload ? transaction : null;
  } catch {
    return null;
  }
}

function readAction(type: bigint, value: Message): TronAction | null {
  const kind = ACTION_KINDS.find((each) => CONTRACTS[each].type === type);
  if (kind === undefined) return null;
  if (kind === 'token') {
    const contract = textOf(value.bytes(2));
    const call = readTransferCall(hexOf(value.bytes(4)));
    return contract === null || call === null
      ? null
      : { kind, contract, to: addressText(call.to), units: call.units };
  }
  const to = textOf(value.bytes(kind === 'coin' ? 2 : 4));
  return to === null ? null : { kind, to, units: value.number(3) };
}

const ACTION_KINDS = ['coin', 'token', 'lend_energy', 'take_energy_back'] as const;
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function textOf(bytes: Uint8Array): string | null {
  return bytes.length === 21 && bytes[0] === 0x41 ? addressText(hexOf(bytes)) : null;
}

function transactionId(payload: string): string {
  return hexOf(sha256(Buffer.from(payload, 'hex')));
}

/**
 * The signed transaction in hex, and its id. `sign` returns r, s and the recovery id for a digest,
 * in hex.
 */
export function signTransaction(
  payload: string,
  sign: (digest: string) => { r: string; s: string; recovery: number },
): { raw: string; txid: string } {
  if (readTransaction(payload) === null) throw new Error('a payload to be signed cannot be read');
  const txid = transactionId(payload);
  const { r, s, recovery } = sign(txid);
  const signature = Buffer.from(`${r}${s}${(RECOVERY_OFFSET + recovery).toString(16)}`, 'hex');
  const raw = Buffer.concat([bytesField(1, Buffer.from(payload, 'hex')), bytesField(2, signature)]);
  return { raw: raw.toString('hex'), txid };
}

/**
 * Bytes of a signed transaction as the chain counts them, without the 64 that it adds for the
 * result.
 */
export function signedBytes(payload: string): number {
  const unsigned = bytesField(1, Buffer.from(payload, 'hex'));
  return unsigned.length + bytesField(2, Buffer.alloc(SIGNATURE_BYTES)).length;
}

/**
 * Signed bytes of our own storage. Throws when they are no transaction of ours signed by its owner,
 * which means that the storage is damaged.
 */
export function storedTransaction(raw: string): SignedTronTransaction {
  const message = readMessage(Buffer.from(raw, 'hex'));
  const payload = message && hexOf(message.bytes(1));
  const transaction = payload && readTransaction(payload);
  if (!message || !payload || !transaction || signerOf(payload, message.bytes(2)) !== transaction.owner)
    throw new Error('the stored bytes are no transaction that this gateway signs');
  return { ...transaction, txid: transactionId(payload) };
}

/** Null when no such signature can exist. */
function signerOf(payload: string, signature: Uint8Array): string | null {
  if (signature.length !== SIGNATURE_BYTES) return null;
  const recovery = signature[64]! - RECOVERY_OFFSET;
  if (recovery !== 0 && recovery !== 1) return null;
  try {
    const recovered = Uint8Array.from([recovery, ...signature.subarray(0, 64)]);
    const digest = Buffer.from(transactionId(payload), 'hex');
    const compressed = secp256k1.recoverPublicKey(recovered, digest, { prehash: false });
    const point = secp256k1.Point.fromBytes(compressed).toBytes(false);
    return addressText(ADDRESS_PREFIX + hexOf(keccak_256(point.subarray(1)).subarray(12)));
  } catch {
    return null;
  }
}
