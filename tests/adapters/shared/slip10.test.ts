/** SLIP-10's published test vectors for ed25519. */
import { describe, expect, test } from 'bun:test';
import { ed25519PublicKey, slip10Ed25519 } from '../../../src/adapters/shared/slip10.ts';

const SEED = '000102030405060708090a0b0c0d0e0f';
const LONG_SEED =
  'fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542';

const VECTORS = [
  [SEED, 'm', '2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e7'],
  [SEED, "m/0'", '68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3'],
  [SEED, "m/0'/1'/2'/2'/1000000000'", '8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793'],
  [LONG_SEED, 'm', '171cb88b1b3c1db25add599712e36245d75bc65a1a5c9e18d76f9f2b1eab4012'],
  [
    LONG_SEED,
    "m/0'/2147483647'/1'/2147483646'/2'",
    '551d333177df541ad876a60ea71f00447931c0a9da16f227c11ea080d7391b8d',
  ],
] as const;

describe('SLIP-10 on ed25519', () => {
  test('derives the published private keys', () => {
    for (const [seed, path, key] of VECTORS)
      expect(Buffer.from(slip10Ed25519(Buffer.from(seed, 'hex'), path)).toString('hex')).toBe(key);
  });

  test('gives the published public key', () => {
    const key = slip10Ed25519(Buffer.from(SEED, 'hex'), "m/0'");
    expect(Buffer.from(ed25519PublicKey(key)).toString('hex')).toBe(
      '8c8a13df77a28f3445213a0f432fde644acaa215fc72dcdf300d5efaa85d350c',
    );
  });

  test('has no steps that are not hardened', () => {
    for (const path of ['', "m/0'/1", "m/2147483648'", "0'", "m/-1'", "m//0'"])
      expect(() => slip10Ed25519(Buffer.from(SEED, 'hex'), path)).toThrow(RangeError);
  });
});
