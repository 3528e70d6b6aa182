import { describe, expect, test } from 'bun:test';
import { createHmac, hkdfSync } from 'node:crypto';
import { aesVault } from '../../../src/adapters/secrets/aes-vault.ts';

const masterKey = Uint8Array.from({ length: 32 }, (_, index) => index);
const vault = aesVault(masterKey);
const apiKey = `sk_live_${'a1'.repeat(24)}`;

describe('sealing', () => {
  test('a sealed text opens to the same plaintext, also after a restart', () => {
    for (const plaintext of [apiKey, '', 'grüße 🚀', 'x'.repeat(10_000)]) {
      expect(aesVault(masterKey).open(vault.seal(plaintext, 'merchant:1:live'), 'merchant:1:live')).toBe(
        plaintext,
      );
    }
  });

  test('the sealed text carries its version and never repeats', () => {
    const sealed = Array.from({ length: 100 }, () => vault.seal(apiKey, 'context'));
    expect(new Set(sealed).size).toBe(100);
    for (const text of sealed) expect(text).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
    expect(sealed.join()).not.toContain('sk_live');
  });

  test('another context or another master key does not open it', () => {
    const sealed = vault.seal(apiKey, 'merchant:1:live');
    expect(() => vault.open(sealed, 'merchant:2:live')).toThrow('another master key or context');
    expect(() => aesVault(new Uint8Array(32)).open(sealed, 'merchant:1:live')).toThrow('another master key');
  });

  test('every changed character is noticed, and so is every shortening', () => {
    const sealed = vault.seal(apiKey, 'context');
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      expect(() => vault.open(changed, 'context')).toThrow();
      expect(() => vault.open(sealed.slice(0, at), 'context')).toThrow();
    }
  });

  test.each(['', 'v1.', 'v2.AAAA', 'v1.AAAA', 'plain text'])('%p is not a sealed text', (text) => {
    expect(() => vault.open(text, 'context')).toThrow();
  });

  test('a second spelling of the same bytes is refused', () => {
    const sealed = vault.seal('ab', 'context');
    for (const other of [`${sealed}=`, `${sealed} `, `${sealed}\n`, sealed.replace('v1.', 'v1.=')]) {
      expect(() => vault.open(other, 'context')).toThrow('damaged');
    }
  });

  test('a short master key is a programming error', () => {
    expect(() => aesVault(new Uint8Array(31))).toThrow(RangeError);
  });
});

describe('look-up hashes', () => {
  test('are HMAC-SHA256 under a key derived for this purpose only', () => {
    const lookupKey = new Uint8Array(
      hkdfSync('sha256', masterKey, new Uint8Array(0), 'quittance/vault/lookup/v1', 32),
    );
    expect(vault.lookupHash(apiKey)).toBe(createHmac('sha256', lookupKey).update(apiKey).digest('hex'));
    expect(vault.lookupHash(apiKey)).toMatch(/^[0-9a-f]{64}$/);
  });

  test('differ by key and by master key', () => {
    expect(vault.lookupHash(`${apiKey}0`)).not.toBe(vault.lookupHash(apiKey));
    expect(aesVault(new Uint8Array(32)).lookupHash(apiKey)).not.toBe(vault.lookupHash(apiKey));
  });
});
