/**
 * Addresses of Bitcoin, Litecoin and Bitcoin Cash on random hashes, held against bitcoinjs-lib and
 * libauth.
 */
import { expect, test } from 'bun:test';
import { encodeCashAddressFormat, lockingBytecodeToCashAddress } from '@bitauth/libauth';
import { address } from 'bitcoinjs-lib';
import fc from 'fast-check';
import {
  addressOf,
  normalizeUtxoAddress,
  scriptOf,
} from '../../../../../src/adapters/chains/utxo/codec/address.ts';
import { utxoNetwork } from '../../../../../src/adapters/chains/utxo/network.ts';
import { NETWORKS, UTXO_FAMILIES } from '../../../../../src/domain/catalog/family.ts';
import { addressOracle, isXOnlyPoint } from '../../../../support/utxo/utxo-oracles.ts';

const RUNS = { numRuns: 1_500 };
const hash20 = fc.uint8Array({ minLength: 20, maxLength: 20 });
const hash32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const joined = (prefix: number[], suffix: number[]) => (hash: Uint8Array) =>
  Uint8Array.of(...prefix, ...hash, ...suffix);

const p2pkh = hash20.map(joined([0x76, 0xa9, 20], [0x88, 0xac]));
const p2sh = hash20.map(joined([0xa9, 20], [0x87]));
const p2sh32 = hash32.map(joined([0xaa, 32], [0x87]));
const p2wpkh = hash20.map(joined([0x00, 20], []));
const p2wsh = hash32.map(joined([0x00, 32], []));
const p2tr = hash32.filter((x) => isXOnlyPoint(x)).map(joined([0x51, 32], []));

const cases = fc.constantFrom(...UTXO_FAMILIES).chain((family) =>
  fc.record({
    family: fc.constant(family),
    name: fc.constantFrom(...NETWORKS),
    script:
      family === 'bitcoincash' ? fc.oneof(p2pkh, p2sh, p2sh32) : fc.oneof(p2pkh, p2sh, p2wpkh, p2wsh, p2tr),
  }),
);

test('a script has the address that the other library writes, and is read back from it', () => {
  fc.assert(
    fc.property(cases, ({ family, name, script }) => {
      const network = utxoNetwork(family, name);
      const oracle = addressOracle(family, name);
      const text = oracle.addressOf(script);
      expect(addressOf(network, script)).toBe(text);
      expect(scriptOf(network, text)).toEqual(script);
      expect(Buffer.from(oracle.scriptOf(text)).equals(script)).toBe(true);
      expect(normalizeUtxoAddress(network, text)).toBe(text);
    }),
    RUNS,
  );
});

test('one changed letter is never another address', () => {
  const letters = Array.from('023456789acdefghjklmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ1:');
  fc.assert(
    fc.property(cases, fc.nat(), fc.constantFrom(...letters), ({ family, name, script }, at, letter) => {
      const network = utxoNetwork(family, name);
      const text = addressOf(network, script)!;
      const position = at % text.length;
      const changed = text.slice(0, position) + letter + text.slice(position + 1);
      if (changed !== text) expect(scriptOf(network, changed)).toBeNull();
    }),
    RUNS,
  );
});

test('an upper-case segwit address or cashaddr is the same address', () => {
  fc.assert(
    fc.property(cases, ({ family, name, script }) => {
      const network = utxoNetwork(family, name);
      const text = addressOf(network, script)!;
      if (text === text.toLowerCase()) expect(normalizeUtxoAddress(network, text.toUpperCase())).toBe(text);
    }),
    RUNS,
  );
});

test('every later witness version is bech32m of its program', () => {
  const version = fc.integer({ min: 1, max: 16 });
  const program = fc.uint8Array({ minLength: 2, maxLength: 40 });
  fc.assert(
    fc.property(version, program, fc.constantFrom(...NETWORKS), (number, data, name) => {
      const network = utxoNetwork('bitcoin', name);
      const script = Uint8Array.of(0x50 + number, data.length, ...data);
      const text = address.toBech32(data, number, network.bech32!);
      expect(addressOf(network, script)).toBe(text);
      expect(scriptOf(network, text)).toEqual(script);
    }),
    RUNS,
  );
});

test('legacy and token-aware addresses of Bitcoin Cash normalize to the plain cashaddr of their script', () => {
  fc.assert(
    fc.property(fc.oneof(p2pkh, p2sh, p2sh32), fc.constantFrom(...NETWORKS), (script, name) => {
      const network = utxoNetwork('bitcoincash', name);
      const plain = addressOf(network, script)!;
      const prefix = network.cashaddr as 'bitcoincash' | 'bchtest' | 'bchreg';
      const aware = lockingBytecodeToCashAddress({ bytecode: script, prefix, tokenSupport: true });
      if (typeof aware === 'string') throw new Error(aware);
      expect(normalizeUtxoAddress(network, aware.address)).toBe(plain);
      expect(normalizeUtxoAddress(network, plain.slice(prefix.length + 1))).toBe(plain);
      if (script.length === 35) return;
      const legacy = addressOracle('bitcoin', name).addressOf(script);
      expect(normalizeUtxoAddress(network, legacy)).toBe(plain);
    }),
    RUNS,
  );
});

test('a cashaddr with a right checksum is read only when type and length are those of a standard script', () => {
  const lengths = { 0: 20, 1: 24, 2: 28, 3: 32, 4: 40, 5: 48, 6: 56, 7: 64 } as const;
  const version = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(version, fc.uint8Array({ minLength: 64, maxLength: 64 }), (byte, entropy) => {
      const payload = entropy.subarray(0, lengths[(byte & 7) as keyof typeof lengths]);
      const { address: text } = encodeCashAddressFormat({ prefix: 'bitcoincash', version: byte, payload });
      const isStandard = [0, 8, 16, 24, 11, 27].includes(byte);
      expect(scriptOf(utxoNetwork('bitcoincash', 'main'), text) !== null).toBe(isStandard);
    }),
    RUNS,
  );
});

test('any other text is refused, whatever its length', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 120 }), cases, (text, { family, name }) => {
      expect(scriptOf(utxoNetwork(family, name), text)).toBeNull();
    }),
    RUNS,
  );
});
