/**
 * Addresses of every network family that look right (alphabet, prefix, length, checksum) and belong to nobody: each
 * spells "fake" after its network prefix, because its bytes come from a published phrase and not from a key.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256, shake256 } from '@noble/hashes/sha3.js';
import { type BytesCoder, base58, base58xmr, base58xrp, base64url, bech32, bech32m } from '@scure/base';
import { crc16 } from '../shared/keys/crc16.ts';
import { checksumAddress, normalizeEvmAddress } from '../shared/keys/eip55.ts';
import { cashaddrChecksum, cashaddrValid } from './checksums.ts';

interface AddressShape {
  /** An address from 128 pseudo-random bytes. */
  readonly make: (entropy: Uint8Array) => string;
  /** As AddressDeriver.normalize: accepts real addresses of the family too. */
  readonly normalize: (address: string) => string | null;
}

const FAKE_SEED = 'quittance fake chain: nobody holds these keys';
const BECH32_ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const BASE58_ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const FAKE_WORDS = Array.from('fake', (letter) => BECH32_ALPHABET.indexOf(letter));

const sha256Twice = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes)).subarray(0, 4);
const keccakOnce = (bytes: Uint8Array): Uint8Array => keccak_256(bytes).subarray(0, 4);

/** The bytes of `text`, or null where the coder refuses it. */
function decoded<T>(decode: (text: string) => T, text: string): T | null {
  try {
    return decode(text);
  } catch {
    return null;
  }
}

function withChecksum(payload: Uint8Array, checksum: (bytes: Uint8Array) => Uint8Array): Uint8Array {
  return Uint8Array.from([...payload, ...checksum(payload)]);
}

/** The payload before a valid 4-byte checksum, or null. */
function checkedPayload(
  coder: BytesCoder,
  text: string,
  checksum: (bytes: Uint8Array) => Uint8Array,
): Uint8Array | null {
  const bytes = decoded(coder.decode, text);
  if (bytes === null || bytes.length < 5) return null;
  const payload = bytes.subarray(0, -4);
  return Buffer.compare(checksum(payload), bytes.subarray(-4)) === 0 ? payload : null;
}

/** Base58 text of `length` characters that begins with `prefix`; the coder's own alphabet only re-spells it. */
function base58Filler(prefix: string, length: number, entropy: Uint8Array): string {
  const filler = Array.from(
    entropy.subarray(0, length - prefix.length),
    (byte) => BASE58_ALPHABET[byte % 58],
  );
  return prefix + filler.join('');
}

/** A base58check address that begins with `prefix`: its last four bytes are replaced by the right checksum. */
function base58checkWith(coder: BytesCoder, text: string): string {
  return coder.encode(withChecksum(coder.decode(text).subarray(0, -4), sha256Twice));
}

const words5 = (bytes: Uint8Array): number[] => Array.from(bytes, (byte) => byte & 31);

/** Segwit families: lower-case bech32 or bech32m, and base58check with one of `versions`. */
function segwitShape(hrp: string, versions: readonly number[]): AddressShape {
  const segwit = (address: string): string | null => {
    const parts = decoded((text) => bech32.decode(text as `${string}1${string}`, 90), address);
    const taproot = decoded((text) => bech32m.decode(text as `${string}1${string}`, 90), address);
    const found = parts ?? taproot;
    if (found === null || found.prefix !== hrp) return null;
    const version = found.words[0];
    if (version === undefined || version > 16 || (version === 0) !== (parts !== null)) return null;
    const program = decoded(
      (words) => bech32.fromWords(words.split(',').map(Number)),
      found.words.slice(1).join(),
    );
    const lengths = version === 0 ? [20, 32] : version === 1 ? [32] : [];
    return program !== null && lengths.includes(program.length) ? address.toLowerCase() : null;
  };
  return {
    make: (entropy) => bech32.encode(hrp, [0, ...FAKE_WORDS, ...words5(entropy.subarray(0, 28))]),
    normalize: (address) => {
      const payload = checkedPayload(base58, address, sha256Twice);
      if (payload !== null) return payload.length === 21 && versions.includes(payload[0]!) ? address : null;
      return segwit(address);
    },
  };
}

const cashaddrShape: AddressShape = {
  make: (entropy) => {
    const payload = [
      0,
      entropy[0]! & 3,
      ...FAKE_WORDS,
      ...words5(entropy.subarray(1, 28)),
      entropy[28]! & 28,
    ];
    const words = [...payload, ...cashaddrChecksum('bitcoincash', payload)];
    return `bitcoincash:${words.map((word) => BECH32_ALPHABET[word]).join('')}`;
  },
  normalize: (address) => {
    if (address !== address.toLowerCase() && address !== address.toUpperCase()) return null;
    const body = address.toLowerCase().replace(/^bitcoincash:/, '');
    if (!/^[qp][ac-hj-np-z02-9]{41}$/.test(body)) return null;
    const words = Array.from(body, (letter) => BECH32_ALPHABET.indexOf(letter));
    return cashaddrValid('bitcoincash', words) ? `bitcoincash:${body}` : null;
  },
};

const tonShape: AddressShape = {
  // The non-bounceable form, the only one to give to customers (docs/chains/README.md, "TON").
  make: (entropy) => {
    const hash = Uint8Array.from([entropy[0]!, ...base64url.decode('Fake'), ...entropy.subarray(1, 29)]);
    const body = Uint8Array.from([0x51, 0, ...hash]);
    const crc = crc16(body);
    return base64url.encode(Uint8Array.from([...body, crc >> 8, crc & 255]));
  },
  // As TON's own deriver, whose addresses are paid on a fake chain, too: the raw form.
  normalize: (address) => {
    if (/^(0|-1):[0-9a-f]{64}$/i.test(address)) return address.toLowerCase();
    const bytes = decoded(base64url.decode, address.replaceAll('+', '-').replaceAll('/', '_'));
    if (bytes === null || bytes.length !== 36 || crc16(bytes) !== 0) return null;
    const workchain = bytes[1]!;
    if (![0x11, 0x51].includes(bytes[0]!) || ![0, 0xff].includes(workchain)) return null;
    return `${workchain === 0 ? 0 : -1}:${Buffer.from(bytes.subarray(2, 34)).toString('hex')}`;
  },
};

const exactly = (address: string, right: boolean): string | null => (right ? address : null);

/** The families of the specification ("Permanent deposit address") and Monero. */
const ADDRESS_SHAPES: Readonly<Record<string, AddressShape>> = {
  evm: {
    make: (entropy) => checksumAddress(`fa4e${Buffer.from(entropy.subarray(0, 18)).toString('hex')}`),
    normalize: normalizeEvmAddress,
  },
  bitcoin: segwitShape('bc', [0x00, 0x05]),
  litecoin: segwitShape('ltc', [0x30, 0x32]),
  bitcoincash: cashaddrShape,
  tron: {
    make: (entropy) => base58checkWith(base58, base58Filler('TFake', 34, entropy)),
    normalize: (address) => {
      const payload = checkedPayload(base58, address, sha256Twice);
      return exactly(address, payload?.length === 21 && payload[0] === 0x41);
    },
  },
  solana: {
    make: (entropy) => base58Filler('Fake', 44, entropy),
    normalize: (address) =>
      exactly(address, address.length <= 44 && decoded(base58.decode, address)?.length === 32),
  },
  xrp: {
    // Ripple's alphabet is base58 in another order: `rfake` and letters of either alphabet decode the same way.
    make: (entropy) => base58checkWith(base58xrp, base58Filler('rfake', 34, entropy)),
    normalize: (address) => {
      const payload = checkedPayload(base58xrp, address, sha256Twice);
      const isAccount = payload?.length === 21 && payload[0] === 0;
      // an X-address: on a fake chain an address like any other
      const isTagged = payload?.length === 31 && payload[0] === 0x05 && payload[1] === 0x44;
      return exactly(address, isAccount || isTagged);
    },
  },
  ton: tonShape,
  monero: {
    // 0x2a opens a main-net subaddress; Monero encodes 8 bytes to 11 letters, so the first block spells 87Fake.
    make: (entropy) => {
      const opening = base58xmr.decode('87Fake11111');
      const payload = Uint8Array.from([...opening, ...entropy.subarray(0, 57)]);
      return base58xmr.encode(withChecksum(payload, keccakOnce));
    },
    normalize: (address) => {
      const payload = address.length === 95 ? checkedPayload(base58xmr, address, keccakOnce) : null;
      return exactly(address, payload?.length === 65 && [0x12, 0x2a].includes(payload[0]!));
    },
  },
};

/** The shape of `family`; throws for a family nobody knows, which is a wiring bug. */
export function addressShape(family: string): AddressShape {
  const shape = Object.hasOwn(ADDRESS_SHAPES, family) ? ADDRESS_SHAPES[family] : undefined;
  if (shape === undefined) throw new Error(`no address shape for the network family ${family}`);
  return shape;
}

/** 128 bytes that depend on the published phrase, the family and the index only. */
export function fakeEntropy(family: string, index: number): Uint8Array {
  return shake256(Buffer.from(`${FAKE_SEED}/${family}/${index}`), { dkLen: 128 });
}
