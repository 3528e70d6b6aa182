/**
 * Tron addresses: the deriver's contract, and tronweb as the second opinion on every one of them.
 */
import { describe, expect, test } from 'bun:test';
import { HDNodeWallet } from 'ethers';
import {
  addressHex,
  addressText,
  normalizeTronAddress,
} from '../../../../src/adapters/chains/tron/address.ts';
import { tronDeriver } from '../../../../src/adapters/chains/tron/deriver.ts';
import { describeAddressDeriver } from '../../../contracts/chains/address-deriver.ts';
import { seeded } from '../../../support/runtime/seeded.ts';
import { TronWeb } from '../../../support/tron/tronweb.ts';

const PHRASE = 'test test test test test test test test test test test junk';
const PATH = "m/44'/195'/0'";
const account = HDNodeWallet.fromPhrase(PHRASE, '', PATH);
const accountXpub = account.neuter().extendedKey;
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

describeAddressDeriver('tron', () => ({
  deriver: tronDeriver({ accountXpub }),
  twin: tronDeriver({ accountXpub }),
  notAddresses: [
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', // the checksum fails
    '41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
    'a614f803b6fd780986a42c78ec9c7f77e6ded13c',
    '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c',
    '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', // base58check of another chain
    USDT.toLowerCase(),
  ],
}));

describe('tron addresses', () => {
  const deriver = tronDeriver({ accountXpub });

  test('1,000 deposit addresses and the hot wallet are those of tronweb', () => {
    const branch = account.deriveChild(0);
    const theirs = (index: number) =>
      TronWeb.address.fromPrivateKey(branch.deriveChild(index).privateKey.slice(2));
    const ours = deriver.derive({ from: 0, count: 1_000 });
    expect<unknown>(ours).toEqual(Array.from({ length: 1_000 }, (_, index) => theirs(index)));
    for (const index of [2 ** 24, 2 ** 31 - 1])
      expect<unknown>(deriver.derive({ from: index, count: 1 })).toEqual([theirs(index)]);
    expect(deriver.hotWallet()).toBe(TronWeb.fromMnemonic(PHRASE, `${PATH}/1/0`).address);
    expect(ours[0]).toBe(TronWeb.fromMnemonic(PHRASE, `${PATH}/0/0`).address);
  });

  test('text and bytes of 1,000 random addresses are those of tronweb, and one wrong letter is no address', () => {
    const random = seeded(195);
    for (let tried = 0; tried < 1_000; tried += 1) {
      const hex = `41${Array.from({ length: 40 }, () => random.int(16).toString(16)).join('')}`;
      const text = addressText(hex);
      expect(text).toBe(TronWeb.address.fromHex(hex));
      expect(addressHex(text)).toBe(hex);
      expect(normalizeTronAddress(text)).toBe(text);
      const at = 1 + random.int(text.length - 1);
      const slipped = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
      expect(normalizeTronAddress(slipped)).toBeNull();
    }
    expect(addressHex(USDT)).toBe('41a614f803b6fd780986a42c78ec9c7f77e6ded13c');
  });

  test('a key of another depth, a private key and nonsense are refused without repeating them', () => {
    const wrong = [account.extendedKey, account.deriveChild(0).neuter().extendedKey, 'xpub-nonsense'];
    for (const text of wrong) {
      const attempt = () => tronDeriver({ accountXpub: text });
      expect(attempt).toThrow(/Tron account xpub/);
      expect(attempt).not.toThrow(text);
    }
  });
});
