/**
 * Addresses of Bitcoin, Litecoin and Bitcoin Cash from account xpubs: the contract, published
 * vectors and other libraries.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { utxoDeriver } from '../../../../src/adapters/chains/utxo/deriver.ts';
import { utxoNetwork } from '../../../../src/adapters/chains/utxo/network.ts';
import { publicKeysOf } from '../../../../src/adapters/signer/keystore.ts';
import { NETWORKS, UTXO_FAMILIES, type UtxoFamily } from '../../../../src/domain/catalog/family.ts';
import { describeAddressDeriver } from '../../../contracts/chains/address-deriver.ts';
import { addressOracle, bip32 } from '../../../support/utxo/utxo-oracles.ts';

const keys = await publicKeysOf(`${'abandon '.repeat(11)}about`);
const xpubOf = (family: UtxoFamily): string => keys[family].xpub;
const open = (family: UtxoFamily, name: (typeof NETWORKS)[number] = 'main') =>
  utxoDeriver({ network: utxoNetwork(family, name), accountXpub: xpubOf(family) });

const NOT_ADDRESSES: Readonly<Record<UtxoFamily, readonly string[]>> = {
  bitcoin: [
    'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyv',
    'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
    'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
    'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
  ],
  litecoin: ['bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu'],
  bitcoincash: [
    'bchtest:pr6m7j9njldwwzlg9v7v53unlr4jkmx6eyvwc0uz5t',
    'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
  ],
};

for (const family of UTXO_FAMILIES)
  describeAddressDeriver(family, () => ({
    deriver: open(family),
    twin: open(family),
    notAddresses: NOT_ADDRESSES[family],
  }));

describe('published addresses of the well-known phrase', () => {
  test('BIP-84: the first two receiving addresses and the first of our own', () => {
    const deriver = open('bitcoin');
    expect(deriver.derive({ from: 0, count: 2 })).toEqual([
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
      'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g',
    ]);
    expect(deriver.hotWallet()).toBe('bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el');
  });

  test('what litecoind derives from the same account', () => {
    expect(open('litecoin').derive({ from: 0, count: 1 })).toEqual([
      'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
    ]);
  });

  test('BIP-44 with coin type 145', () => {
    expect(open('bitcoincash').derive({ from: 0, count: 1 })).toEqual([
      'bitcoincash:qqyx49mu0kkn9ftfj6hje6g2wfer34yfnq5tahq3q6',
    ]);
  });
});

describe.each([...UTXO_FAMILIES])('addresses of %s', (family) => {
  test.each([...NETWORKS])(
    'on %s are those of other libraries: many in one batch, and the last index',
    (name) => {
      // the keys are the same on all networks
      const count = name === 'main' ? 1_000 : 20;
      const external = bip32.fromBase58(xpubOf(family)).derive(0);
      const oracle = addressOracle(family, name);
      const deriver = open(family, name);
      const expected = Array.from({ length: count }, (_, index) =>
        oracle.depositAddress(external.derive(index)),
      );
      expect(deriver.derive({ from: 0, count })).toEqual(expected);
      for (const index of [2 ** 24, 2 ** 31 - 1])
        expect(deriver.derive({ from: index, count: 1 })).toEqual([
          oracle.depositAddress(external.derive(index)),
        ]);
    },
  );

  test('of any account are those of other libraries, as are change and the hot wallet', () => {
    const oracle = addressOracle(family, 'main');
    const network = utxoNetwork(family, 'main');
    const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const indexes = fc.integer({ min: 1, max: 2 ** 31 - 1 });
    fc.assert(
      fc.property(seeds, indexes, (seed, index) => {
        const account = bip32.fromSeed(seed).derivePath(network.accountPath).neutered();
        const deriver = utxoDeriver({ network, accountXpub: account.toBase58() });
        const [external, change] = [account.derive(0), account.derive(1)];
        expect(deriver.derive({ from: index, count: 1 })).toEqual([
          oracle.depositAddress(external.derive(index)),
        ]);
        expect(deriver.changeAddress(index)).toBe(oracle.depositAddress(change.derive(index)));
        expect(deriver.hotWallet()).toBe(oracle.depositAddress(change.derive(0)));
      }),
      { numRuns: 100 },
    );
  });

  test('change never goes to the hot wallet’s index, nor to one that no public key derives', () => {
    const deriver = open(family);
    for (const index of [0, -1, 1.5, Number.NaN, 2 ** 31])
      expect(() => deriver.changeAddress(index)).toThrow(RangeError);
    const own = [deriver.hotWallet()!, ...[1, 2, 2 ** 31 - 1].map((index) => deriver.changeAddress(index))];
    expect(new Set([...own, ...deriver.derive({ from: 0, count: 10 })]).size).toBe(14);
    expect(own.map((address) => deriver.normalize(address))).toEqual(own);
  });

  test('a key of another depth, a private key and nonsense are refused without repeating them', () => {
    const network = utxoNetwork(family, 'main');
    const root = bip32.fromSeed(new Uint8Array(32).fill(7));
    const account = root.derivePath(network.accountPath);
    for (const accountXpub of [
      account.toBase58(),
      account.derive(0).neutered().toBase58(),
      root.neutered().toBase58(),
      'xpub-nonsense',
    ]) {
      const attempt = () => utxoDeriver({ network, accountXpub });
      expect(attempt).toThrow(new RegExp(`${family} account xpub`));
      expect(attempt).not.toThrow(accountXpub);
    }
  });
});
