/**
 * Seals the words of a keystore under keys derived from the master key and the file's salt, and opens them again; any change
 * of the file is noticed. The master key is 32 random bytes, not a password, so it is derived from and not stretched.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { KeystoreError, type KeystoreFile, type PublicKeys } from './keystore-file.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function sealMnemonic(secret: {
  words: string;
  publicKeys: PublicKeys;
  masterKey: Uint8Array;
}): KeystoreFile {
  const salt = randomBytes(32);
  const keys = derived(secret.masterKey, salt);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keys.sealing, nonce).setAAD(authenticated(secret.publicKeys));
  const ciphertext = Buffer.concat([cipher.update(secret.words, 'utf8'), cipher.final()]);
  return {
    version: 1,
    kdf: 'hkdf-sha256',
    salt: salt.toString('hex'),
    keyCheck: keys.check.toString('hex'),
    sealed: Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString('hex'),
    public: secret.publicKeys,
  };
}

/** Throws KeystoreError `wrong_master_key` or `damaged`. */
export function openMnemonic(file: KeystoreFile, masterKey: Uint8Array): string {
  const keys = derived(masterKey, Buffer.from(file.salt, 'hex'));
  const check = Buffer.from(file.keyCheck, 'hex');
  if (check.length !== keys.check.length || !timingSafeEqual(check, keys.check)) {
    throw new KeystoreError('wrong_master_key', 'the master key does not belong to this keystore');
  }
  const sealed = Buffer.from(file.sealed, 'hex');
  const decipher = createDecipheriv('aes-256-gcm', keys.sealing, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(authenticated(file.public))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const words = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([words, decipher.final()]).toString('utf8');
  } catch {
    throw new KeystoreError('damaged', 'keystore.json was altered: restore it from a backup');
  }
}

/** A swapped public key would send customers' money to somebody else, so the seal covers it. */
function authenticated(keys: PublicKeys): Buffer {
  return Buffer.from(JSON.stringify(['quittance-keystore-v1', keys.evm.path, keys.evm.xpub]), 'utf8');
}

function derived(masterKey: Uint8Array, salt: Buffer): { sealing: Buffer; check: Buffer } {
  const key = (purpose: string) => Buffer.from(hkdfSync('sha256', masterKey, salt, purpose, 32));
  return { sealing: key('quittance-keystore-seal-v1'), check: key('quittance-keystore-check-v1') };
}
