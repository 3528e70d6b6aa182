/** EVM addresses: the deriver's contract, and ethers as the second opinion on every one of them. */
import { describe, expect, test } from 'bun:test';
import { HDNodeWallet } from 'ethers';
import { evmDeriver } from '../../../../src/adapters/chains/evm/deriver.ts';
import { checkedTweak } from '../../../../src/adapters/chains/shared/keys/account-xpub.ts';
import { describeAddressDeriver } from '../../../contracts/chains/address-deriver.ts';

const PHRASE = 'test test test test test test test test test test test junk';
const account = HDNodeWallet.fromPhrase(PHRASE, '', "m/44'/60'/0'");
const accountXpub = account.neuter().extendedKey;
const external = HDNodeWallet.fromExtendedKey(accountXpub).derivePath('0');

describeAddressDeriver('evm', () => ({
  deriver: evmDeriver({ accountXpub }),
  twin: evmDeriver({ accountXpub }),
  notAddresses: [
    '0xdAC17F958D2ee523a2206206994597C13D831eC7', // one letter in the wrong case: the checksum fails
    'dac17f958d2ee523a2206206994597c13d831ec7',
    '0XDAC17F958D2EE523A2206206994597C13D831EC7',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  ],
}));

describe('evm deriver', () => {
  const deriver = evmDeriver({ accountXpub });

  test('1,000 addresses are those of ethers, and the well-known first one is right', () => {
    const ours = deriver.derive({ from: 0, count: 1000 });
    expect(ours).toEqual(Array.from({ length: 1000 }, (_, index) => external.deriveChild(index).address));
    expect(ours[0]).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
    for (const index of [2 ** 24, 2 ** 31 - 1])
      expect(deriver.derive({ from: index, count: 1 })).toEqual([external.deriveChild(index).address]);
  });

  test('EIP-55 addresses in any one case have one key', () => {
    const address = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
    for (const form of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`])
      expect(deriver.normalize(form)).toBe(address.toLowerCase());
  });

  test('an index that BIP-32 skips is refused, not given a wrong address', () => {
    const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
    const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
    const digest = (left: string): Buffer => Buffer.from(left.padStart(64, '0') + 'ab'.repeat(32), 'hex');
    for (const left of ['0', order, 'f'.repeat(64)])
      expect(() => checkedTweak(digest(left), 77)).toThrow(/skips derivation index 77/);
    expect(hex(checkedTweak(digest('1'), 77))).toBe('1'.padStart(64, '0'));
    const largest = order.replace(/1$/, '0');
    expect(hex(checkedTweak(digest(largest), 77))).toBe(largest);
  });

  test('a key of another depth, a private key and nonsense are refused without repeating them', () => {
    const wrong = [
      account.extendedKey,
      external.extendedKey,
      HDNodeWallet.fromPhrase(PHRASE, '', 'm').neuter().extendedKey,
      'xpub-nonsense',
      '',
    ];
    for (const text of wrong) {
      const attempt = () => evmDeriver({ accountXpub: text });
      expect(attempt).toThrow(/EVM account xpub/);
      if (text.length > 0) expect(attempt).not.toThrow(text);
    }
  });
});
