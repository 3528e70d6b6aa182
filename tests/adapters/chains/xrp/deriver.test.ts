/**
 * XRP addresses: the deriver's contract, the library's own codec as the second opinion, and what
 * the tags promise.
 */
import { describe, expect, test } from 'bun:test';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58xrp } from '@scure/base';
import { HDNodeWallet } from 'ethers';
import fc from 'fast-check';
import {
  classicAddressToXAddress,
  decodeAccountID,
  deriveAddress,
  encodeAccountID,
  isValidXAddress,
  Wallet,
  xAddressToClassicAddress,
} from 'xrpl';
import {
  normalizeXrpAddress,
  readXrpAddress,
  xAddress,
} from '../../../../src/adapters/chains/xrp/codec/address.ts';
import { destinationTag } from '../../../../src/adapters/chains/xrp/codec/tags.ts';
import { accountOfKey, xrpDeriver } from '../../../../src/adapters/chains/xrp/deriver.ts';
import { xrpNetwork } from '../../../../src/adapters/chains/xrp/network.ts';
import { smaller } from '../../../../src/domain/money/larger.ts';
import { describeAddressDeriver } from '../../../contracts/chains/address-deriver.ts';

const PHRASE = 'test test test test test test test test test test test junk';
const publicKey = HDNodeWallet.fromPhrase(PHRASE, '', "m/44'/144'/0'/0/0").publicKey.slice(2);
const main = xrpNetwork('main');
const testNetwork = xrpNetwork('test');
const open = (network = main) => xrpDeriver({ network, publicKey });

const NOT_ADDRESSES = [
  'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTj', // the last letter is wrong
  'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh:',
  'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh:4294967296',
  'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh:-1',
  'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh:007',
  'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh:1e3',
  'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh:1:2',
  'sEdTM1uX8pu2do5XvTnutH6HsouMaM2', // a seed
  'nHUFE9prPXPrHcG3SkwP1UzAQbSphqyQkQK9ATXLZsfkezhhda3p', // a validator's key
  '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
];

for (const network of [main, testNetwork])
  describeAddressDeriver(`xrp, ${network.name}`, () => ({
    deriver: open(network),
    twin: open(network),
    notAddresses: [
      ...NOT_ADDRESSES,
      classicAddressToXAddress('rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', 7, network.name === 'main'),
    ],
  }));

describe('xrp deriver', () => {
  test('deposit addresses are X-addresses of the one account, as the library writes them', () => {
    const account = deriveAddress(publicKey);
    const wallet = Wallet.fromMnemonic(PHRASE, {
      mnemonicEncoding: 'bip39',
      algorithm: 'ecdsa-secp256k1' as never,
    });
    expect(account).toBe(wallet.classicAddress);
    for (const network of [main, testNetwork]) {
      const deriver = open(network);
      expect(deriver.hotWallet()).toBe(account);
      expect(deriver.derive({ from: 0, count: 500 })).toEqual(
        Array.from({ length: 500 }, (_, index) =>
          classicAddressToXAddress(account, destinationTag(index), network === testNetwork),
        ),
      );
    }
  });

  test('an account with a tag has one key, however it is written', () => {
    const account = open().hotWallet()!;
    for (const tag of [0, 7, 4_294_967_295]) {
      const key = classicAddressToXAddress(account, tag, false);
      for (const text of [key, `${account}:${tag}`]) expect(open().normalize(text)).toBe(key);
    }
    expect(open().normalize(account)).toBe(classicAddressToXAddress(account, false, false));
    expect(open().normalize(`${account}:0`)).not.toBe(open().normalize(account));
  });

  test('what is no public key is refused without being repeated', () => {
    for (const text of [
      '',
      'xpub-nonsense',
      publicKey.slice(2),
      `04${publicKey.slice(2)}`,
      `${publicKey}00`,
    ]) {
      const attempt = () => xrpDeriver({ network: main, publicKey: text });
      expect(attempt).toThrow(/public key of the xrp account/);
      if (text !== '') expect(attempt).not.toThrow(text);
    }
  });

  test('addresses published with the format of X-addresses are read as it says', () => {
    const account = 'rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf';
    for (const [tag, onMain, onTest] of PUBLISHED) {
      expect(readXrpAddress(main, onMain)).toEqual({ account, tag });
      expect(readXrpAddress(testNetwork, onTest)).toEqual({ account, tag });
      expect([xAddress(main, { account, tag }), xAddress(testNetwork, { account, tag })]).toEqual([
        onMain,
        onTest,
      ]);
      expect(readXrpAddress(testNetwork, onMain)).toBeNull();
    }
  });
});

/** Tag, and the X-address on the main and on the test network, from the proposal XLS-5. */
const PUBLISHED: readonly (readonly [number | null, string, string])[] = [
  [
    null,
    'XVLhHMPHU98es4dbozjVtdWzVrDjtV5fdx1mHp98tDMoQXb',
    'TVE26TYGhfLC7tQDno7G8dGtxSkYQn49b3qD26PK7FcGSKE',
  ],
  [0, 'XVLhHMPHU98es4dbozjVtdWzVrDjtV8AqEL4xcZj5whKbmc', 'TVE26TYGhfLC7tQDno7G8dGtxSkYQnSy8RHqGHoGJ59spi2'],
  [1, 'XVLhHMPHU98es4dbozjVtdWzVrDjtV8xvjGQTYPiAx6gwDC', 'TVE26TYGhfLC7tQDno7G8dGtxSkYQnSz1uDimDdPYXzSpyw'],
  [2, 'XVLhHMPHU98es4dbozjVtdWzVrDjtV8zpDURx7DzBCkrQE7', 'TVE26TYGhfLC7tQDno7G8dGtxSkYQnTryP9tG9TW8GeMBmd'],
  [32, 'XVLhHMPHU98es4dbozjVtdWzVrDjtVoYiC9UvKfjKar4LJe', 'TVE26TYGhfLC7tQDno7G8dGtxSkYQnT2oqaCDzMEuCDAj1j'],
];

describe('addresses against the library', () => {
  const accounts = fc.uint8Array({ minLength: 20, maxLength: 20 });
  const tags = fc.oneof(fc.constantFrom(0, 1, 2 ** 32 - 1), fc.integer({ min: 0, max: 2 ** 32 - 1 }));

  test('1,000 random accounts and tags are written and read as by the codec', () => {
    fc.assert(
      fc.property(accounts, fc.option(tags), fc.boolean(), (id, tag, onTest) => {
        const network = onTest ? testNetwork : main;
        const account = encodeAccountID(id as never);
        const text = classicAddressToXAddress(account, tag ?? false, onTest);
        expect(xAddress(network, { account, tag })).toBe(text);
        expect(readXrpAddress(network, text)).toEqual({ account, tag });
        expect(readXrpAddress(network, account)).toEqual({ account, tag: null });
        const read = xAddressToClassicAddress(text);
        expect(read).toEqual({ classicAddress: account, tag: tag ?? false, test: onTest });
        expect(normalizeXrpAddress(onTest ? main : testNetwork, text)).toBeNull();
      }),
      { numRuns: 1_000 },
    );
  });

  test('accounts of 1,000 random keys are those of the codec', () => {
    const keys = fc.tuple(fc.constantFrom('02', '03'), fc.uint8Array({ minLength: 32, maxLength: 32 }));
    fc.assert(
      fc.property(keys, ([parity, x]) => {
        const key = `${parity}${Buffer.from(x).toString('hex')}`;
        expect(accountOfKey(key)).toBe(deriveAddress(key));
      }),
      { numRuns: 1_000 },
    );
  });

  test('an X-address that is changed anywhere is refused, or has the tag that the codec reads', () => {
    const letters = fc.constantFrom(
      ...'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz'.split(''),
    );
    fc.assert(
      fc.property(accounts, tags, fc.nat(46), letters, (id, tag, at, letter) => {
        const text = xAddress(main, { account: encodeAccountID(id as never), tag });
        const changed = `${text.slice(0, at)}${letter}${text.slice(at + 1)}`;
        if (changed === text) return;
        if (readXrpAddress(main, changed) !== null) expect(isValidXAddress(changed)).toBe(true);
      }),
    );
  });

  test('an X-address has one spelling: what the codec overlooks beside the tag is refused', () => {
    const id = decodeAccountID('rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh');
    const spelled = (flag: number, tag: readonly number[]): string =>
      withChecksum(Buffer.concat([Buffer.from([5, 0x44]), id, Buffer.from([flag, ...tag])]));
    expect(readXrpAddress(main, spelled(1, [7, 0, 0, 0, 0, 0, 0, 0]))?.tag).toBe(7);
    expect(readXrpAddress(main, spelled(0, [0, 0, 0, 0, 0, 0, 0, 0]))?.tag).toBeNull();
    for (const [flag, tag] of [
      [0, [7, 0, 0, 0, 0, 0, 0, 0]],
      [1, [7, 0, 0, 0, 1, 0, 0, 0]],
      [2, [7, 0, 0, 0, 0, 0, 0, 0]],
    ] as const)
      expect(readXrpAddress(main, spelled(flag, tag))).toBeNull();
  });
});

function withChecksum(bytes: Uint8Array): string {
  const checksum = sha256(sha256(bytes)).subarray(0, 4);
  return base58xrp.encode(Buffer.concat([bytes, checksum]));
}

describe('destination tags', () => {
  const TAGS = 2n ** 32n - 2n;
  /** Of the step from one index's tag to the next. */
  const INVERSE = 1_171_363_651n;
  const LAST_INDEX = 2 ** 31 - 1;
  const indexes = fc.integer({ min: 0, max: LAST_INDEX });

  test('are whole numbers from 1 to 2^32 - 2, and the same for ever', () => {
    fc.assert(
      fc.property(indexes, (index) => {
        const tag = destinationTag(index);
        expect(Number.isInteger(tag) && tag >= 1 && tag <= 2 ** 32 - 2).toBe(true);
      }),
      { numRuns: 5_000 },
    );
    expect([0, 1, 2, 1_000_000, LAST_INDEX].map(destinationTag)).toEqual([
      2_718_281_829, 2_906_898_714, 3_095_515_599, 1_819_598_525, 570_798_182,
    ]);
  });

  test('of different indexes are different', () => {
    fc.assert(
      fc.property(indexes, indexes, (one, other) => {
        expect(destinationTag(one) === destinationTag(other)).toBe(one === other);
      }),
      { numRuns: 5_000 },
    );
    const first = Array.from({ length: 100_000 }, (_, index) => destinationTag(index));
    expect(new Set(first).size).toBe(first.length);
  });

  test('come back to their index by the inverse step, so no two indexes of all can share one', () => {
    const indexOf = (tag: number): bigint =>
      ((((BigInt(tag) - 1n - 2_718_281_828n) % TAGS) + TAGS) * INVERSE) % TAGS;
    fc.assert(
      fc.property(indexes, (index) => {
        expect(indexOf(destinationTag(index))).toBe(BigInt(index));
      }),
      { numRuns: 5_000 },
    );
  });

  test('that differ by one digit, or by two neighbours swapped, belong to indexes far apart', () => {
    const slips: bigint[] = [];
    for (let power = 0n; power < 10n; power++)
      for (let digit = 1n; digit < 10n; digit++) {
        slips.push(digit * 10n ** power);
        if (power < 9n) slips.push(digit * 9n * 10n ** power);
      }
    const apart = slips.map((slip) => {
      const ahead = ((slip % TAGS) * INVERSE) % TAGS;
      return smaller(ahead, TAGS - ahead);
    });
    expect(apart.reduce(smaller)).toBe(218_032_508n);
  });
});
