/**
 * Monero address text: the network's byte, the two public keys, a payment id where there is one, a
 * Keccak checksum, in Monero's base58.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58xmr } from '@scure/base';

export const MONERO_NETWORKS = ['main', 'test', 'stage', 'regtest'] as const;
/** A regtest node (monerod calls it fakechain) has main-net addresses. */
export type MoneroNetwork = (typeof MONERO_NETWORKS)[number];

type AddressKind = 'primary' | 'integrated' | 'subaddress';

interface MoneroAddress {
  readonly kind: AddressKind;
  readonly publicSpendKey: Uint8Array;
  readonly publicViewKey: Uint8Array;
}

/** cryptonote_config.h, CRYPTONOTE_PUBLIC_*_BASE58_PREFIX. */
const MAIN_BYTES = { primary: 18, integrated: 19, subaddress: 42 } as const;
const NETWORK_BYTES: Readonly<Record<MoneroNetwork, Readonly<Record<AddressKind, number>>>> = {
  main: MAIN_BYTES,
  regtest: MAIN_BYTES,
  test: { primary: 53, integrated: 54, subaddress: 63 },
  stage: { primary: 24, integrated: 25, subaddress: 36 },
};
const KINDS = ['primary', 'integrated', 'subaddress'] as const satisfies readonly AddressKind[];
const KEY_BYTES = 32;
const PAYMENT_ID_BYTES = 8;
const CHECKSUM_BYTES = 4;
/** Characters of an address without and with a payment id. */
const TEXT_LENGTHS: readonly number[] = [95, 106];

/**
 * The address, or null for a wrong checksum, another network, or what is no Monero address at all.
 */
export function readMoneroAddress(text: string, network: MoneroNetwork): MoneroAddress | null {
  const bytes = TEXT_LENGTHS.includes(text.length) ? decoded(text) : null;
  if (bytes === null) return null;
  const payload = bytes.subarray(0, -CHECKSUM_BYTES);
  if (Buffer.compare(checksum(payload), bytes.subarray(-CHECKSUM_BYTES)) !== 0) return null;
  const kind = KINDS.find((candidate) => NETWORK_BYTES[network][candidate] === payload[0]);
  const keysEnd = 1 + 2 * KEY_BYTES;
  if (kind === undefined) return null;
  if (payload.length !== (kind === 'integrated' ? keysEnd + PAYMENT_ID_BYTES : keysEnd)) return null;
  return {
    kind,
    publicSpendKey: payload.subarray(1, 1 + KEY_BYTES),
    publicViewKey: payload.subarray(1 + KEY_BYTES, keysEnd),
  };
}

export function subaddressText(
  keys: { publicSpendKey: Uint8Array; publicViewKey: Uint8Array },
  network: MoneroNetwork,
): string {
  const payload = Uint8Array.from([
    NETWORK_BYTES[network].subaddress,
    ...keys.publicSpendKey,
    ...keys.publicViewKey,
  ]);
  return base58xmr.encode(Uint8Array.from([...payload, ...checksum(payload)]));
}

const checksum = (payload: Uint8Array): Uint8Array => keccak_256(payload).subarray(0, CHECKSUM_BYTES);

/**
 * Null also for a text that other bytes would not spell like this: every address has one spelling.
 */
function decoded(text: string): Uint8Array | null {
  try {
    const bytes = base58xmr.decode(text);
    return base58xmr.encode(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}
