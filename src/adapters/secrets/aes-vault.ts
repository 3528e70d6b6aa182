/**
 * The vault over one master key: AES-256-GCM for sealing, HMAC-SHA256 for look-ups. HKDF-SHA256
 * derives two separate keys, so a leaked hash reveals nothing about the sealing key.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Vault } from '../../ports/runtime/vault.ts';

const PREFIX = 'v1.';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** The sealed text cannot be opened: altered, or of another master key, context or version. */
class VaultError extends Error {
  override readonly name = 'VaultError';
}

/**
 * @param masterKey at least 32 bytes of real randomness; a password is not one. Throws RangeError
 * if it is shorter.
 */
export function aesVault(masterKey: Uint8Array): Vault {
  if (masterKey.length < KEY_BYTES)
    throw new RangeError(`the master key has ${masterKey.length} bytes, needs 32`);
  const sealingKey = deriveKey(masterKey, 'quittance/vault/seal/v1');
  const lookupKey = deriveKey(masterKey, 'quittance/vault/lookup/v1');

  const hmac = (text: string): string => createHmac('sha256', lookupKey).update(text, 'utf8').digest('hex');
  return {
    seal(plaintext, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce).setAAD(Buffer.from(context, 'utf8'));
      const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      return PREFIX + Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString('base64url');
    },

    open(sealed, context) {
      const bytes = decode(sealed);
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const ciphertext = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', sealingKey, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context, 'utf8'))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
      } catch {
        throw new VaultError('the sealed text was altered, or belongs to another master key or context');
      }
    },

    lookupHash: (apiKey) => hmac(apiKey),
    // No API key begins so.
    mac: (text) => hmac(`mac:${text}`),
  };
}

function deriveKey(masterKey: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, new Uint8Array(0), purpose, KEY_BYTES));
}

function decode(sealed: string): Buffer {
  if (!sealed.startsWith(PREFIX)) throw new VaultError('the sealed text has an unknown version');
  const text = sealed.slice(PREFIX.length);
  const bytes = Buffer.from(text, 'base64url');
  // Buffer skips characters outside base64url: only the exact spelling of seal() is accepted.
  if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== text) {
    throw new VaultError('the sealed text is damaged');
  }
  return bytes;
}
