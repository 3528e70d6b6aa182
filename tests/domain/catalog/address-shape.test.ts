import { expect, test } from 'bun:test';
import { hasAddressShape, isNobodys, whyOutOfReach } from '../../../src/domain/catalog/address-shape.ts';

test.each([
  ['evm', '0x1111111111111111111111111111111111111111', true],
  ['evm', '0x111111111111111111111111111111111111111', false],
  ['bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', true],
  ['bitcoin', 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9', false],
  ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', true],
  ['xrp', 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH:12', true],
  ['ton', 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs', true],
  ['solana', '0x1111111111111111111111111111111111111111', false],
] as const)('as an address of %s, %s is %p', (family, address, valid) => {
  expect(hasAddressShape(family, address)).toBe(valid);
});

test('nobody has the key of the zero address', () => {
  expect(isNobodys('evm', '0x0000000000000000000000000000000000000000')).toBe(true);
  expect(isNobodys('evm', '0x0000000000000000000000000000000000000001')).toBe(false);
  expect(isNobodys('ton', `0:${'0'.repeat(64)}`)).toBe(true);
  expect(isNobodys('ton', `0:${'0'.repeat(63)}1`)).toBe(false);
  expect(isNobodys('tron', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb')).toBe(true);
  expect(isNobodys('tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).toBe(false);
  expect(isNobodys('bitcoin', '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu')).toBe(false);
});

test("payouts do not go to TON's masterchain, in whatever form the address is given", () => {
  const hash = 'ab'.repeat(32);
  const masterchain = [
    `-1:${hash}`,
    'Ef8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM0vF',
    `Uf${'z'.repeat(46)}`,
  ];
  expect(masterchain.map((address) => whyOutOfReach('ton', address) !== null)).toEqual([true, true, true]);
  const basechain = [`0:${hash}`, 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'];
  expect(basechain.map((address) => whyOutOfReach('ton', address) !== null)).toEqual([false, false]);
  expect(whyOutOfReach('bitcoin', `Uf${'z'.repeat(46)}`)).toBeNull();
});
