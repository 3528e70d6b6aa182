/** Seals the words of a keystore under scrypt(master key, salt of the file) and opens them again; any change of the file is noticed. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { KeystoreError, type KeystoreFile, type PublicKeys } from './keystore-file.ts';

const SCRYPT = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export async function sealMnemonic(secret: {
  words: string;
  publicKeys: PublicKeys;
  masterKey: Uint8Array;
}): Promise<KeystoreFile> {
  const salt = randomBytes(32);
  const keys = await stretch(secret.masterKey, salt);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keys.sealing, nonce).setAAD(authenticated(secret.publicKeys));
  const ciphertext = Buffer.concat([cipher.update(secret.words, 'utf8'), cipher.final()]);
  return {
    version: 1,
    kdf: 'scrypt-32768-8-1',
    salt: salt.toString('hex'),
    keyCheck: keys.check.toString('hex'),
    sealed: Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString('hex'),
    public: secret.publicKeys,
  };
}

/** Throws KeystoreError `wrong_master_key` or `damaged`. */
export async function openMnemonic(file: KeystoreFile, masterKey: Uint8Array): Promise<string> {
  const keys = await stretch(masterKey, Buffer.from(file.salt, 'hex'));
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

async function stretch(masterKey: Uint8Array, salt: Buffer): Promise<{ sealing: Buffer; check: Buffer }> {
  const stretched = await new Promise<Buffer>((resolve, reject) =>
    scrypt(masterKey, salt, 64, SCRYPT, (error, key) => (error ? reject(error) : resolve(key))),
  );
  const check = createHmac('sha256', stretched.subarray(32)).update('quittance-keystore-check-v1').digest();
  return { sealing: stretched.subarray(0, 32), check };
}
