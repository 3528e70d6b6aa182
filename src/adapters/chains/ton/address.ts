/**
 * TON addresses (TEP-2): raw `0:<64 hex>`, and the user-friendly 48 characters with two flags and a
 * checksum. The raw form in lower case is the key under which addresses are stored and compared.
 * This file uses no TON library, so a process that only derives addresses does not load one.
 */
import { crc16 } from '../shared/keys/crc16.ts';
import type { TonNetwork } from './network.ts';

export interface TonAddress {
  readonly workchain: number;
  /** 32 bytes. */
  readonly hash: Uint8Array;
  /**
   * The bounce flag: whether a payment that fails comes back. Null for the raw form, which has no
   * flag.
   */
  readonly bounceable: boolean | null;
}

const BOUNCEABLE = 0x11;
const NON_BOUNCEABLE = 0x51;
const TEST_ONLY = 0x80;

const RAW = /^(-1|0):([0-9a-f]{64})$/i;
/** 36 bytes in base64, either alphabet but not both. */
const FRIENDLY = /^(?:[A-Za-z0-9+/]{48}|[A-Za-z0-9_-]{48})$/;

/**
 * Null for anything but an address of the network. An address marked for test networks is invalid
 * on the main network.
 */
export function parseTonAddress(network: TonNetwork, text: string): TonAddress | null {
  const raw = RAW.exec(text);
  if (raw) return { workchain: Number(raw[1]), hash: Buffer.from(raw[2]!, 'hex'), bounceable: null };
  if (!FRIENDLY.test(text)) return null;
  const bytes = Buffer.from(text.replaceAll('-', '+').replaceAll('_', '/'), 'base64');
  if (crc16(bytes) !== 0) return null;
  const tag = bytes[0]! & ~TEST_ONLY;
  const workchain = bytes.readInt8(1);
  if (tag !== BOUNCEABLE && tag !== NON_BOUNCEABLE) return null;
  if (workchain !== 0 && workchain !== -1) return null;
  if (bytes[0]! !== tag && network.name === 'main') return null;
  return { workchain, hash: bytes.subarray(2, 34), bounceable: tag === BOUNCEABLE };
}

export function rawAddress({ workchain, hash }: Pick<TonAddress, 'workchain' | 'hash'>): string {
  return `${workchain}:${Buffer.from(hash).toString('hex')}`;
}

/** AddressDeriver.normalize of the family: the raw form, or null. */
export function normalizeTonAddress(network: TonNetwork, text: string): string | null {
  const address = parseTonAddress(network, text);
  return address === null ? null : rawAddress(address);
}

/**
 * The user-friendly form: not bounceable, since what is sent to an address without a contract would
 * otherwise come back (safety.md N1).
 */
export function friendlyAddress(
  network: TonNetwork,
  address: Pick<TonAddress, 'workchain' | 'hash'>,
): string {
  const bytes = Buffer.alloc(36);
  bytes[0] = network.name === 'main' ? NON_BOUNCEABLE : NON_BOUNCEABLE | TEST_ONLY;
  bytes.writeInt8(address.workchain, 1);
  bytes.set(address.hash, 2);
  bytes.writeUInt16BE(crc16(bytes.subarray(0, 34)), 34);
  return bytes.toString('base64url');
}
