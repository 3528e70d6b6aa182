/**
 * Solana addresses: the deriver's contract on a pool, well-known addresses of a well-known wallet,
 * and texts that are none.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { normalizeSolanaAddress } from '../../../../src/adapters/chains/solana/address.ts';
import { solanaDeriver } from '../../../../src/adapters/chains/solana/deriver.ts';
import { solanaKeys } from '../../../../src/adapters/chains/solana/keys.ts';
import { ed25519PublicKey } from '../../../../src/adapters/shared/slip10.ts';
import type { AddressPool } from '../../../../src/ports/chains/address-pool.ts';
import { describeAddressDeriver } from '../../../contracts/chains/address-deriver.ts';
import { seedOf, TEST_WORDS } from '../../../support/solana/wallet.ts';
import { base58 } from '../../../support/solana/wire.ts';

const keys = solanaKeys(seedOf(TEST_WORDS));
const hotWallet = ed25519PublicKey(keys.privateKey({ role: 'hot' }));
/** What the signer would have derived. */
const pool: AddressPool = {
  read: async ({ from, count }) =>
    Array.from({ length: count }, (_, offset) => keys.address({ role: 'deposit', index: from + offset })),
};

describeAddressDeriver('solana', () => ({
  deriver: solanaDeriver({ hotWallet, pool }),
  twin: solanaDeriver({ hotWallet, pool }),
  lastIndex: 2 ** 31 - 2,
  notAddresses: [
    '0x52908400098527886E0F7030069857D2E4169EE7',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    '1'.repeat(31),
    '1'.repeat(33),
    // 33 bytes, and letters that base58 does not have
    base58(new Uint8Array(33).fill(7)),
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1O',
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1l',
  ],
}));

describe('the keys of a wallet', () => {
  test('are those that other wallets derive from the same words', () => {
    // The first accounts that Phantom, Solflare and `solana-keygen` (derivation path 501'/n'/0')
    // show for these words.
    expect(keys.address({ role: 'hot' })).toBe('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk');
    expect(keys.address({ role: 'deposit', index: 0 })).toBe('Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb');
  });

  test('never give the hot wallet for a deposit, and there are none for what cannot be an index', () => {
    for (const index of [-1, 0.5, 2 ** 31 - 1, Number.NaN])
      expect(() => keys.address({ role: 'deposit', index })).toThrow(RangeError);
    expect(() => keys.address({ role: 'change', index: 1 })).toThrow(RangeError);
  });
});

test('every 32 bytes are an address in one text only, and other lengths are none', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 40 }), (bytes) => {
      const text = base58(bytes);
      expect(normalizeSolanaAddress(text)).toBe(bytes.length === 32 ? text : null);
    }),
  );
  expect(normalizeSolanaAddress('11111111111111111111111111111111')).not.toBeNull();
});
