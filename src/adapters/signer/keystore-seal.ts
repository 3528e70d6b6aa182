/**
 * Encrypts and decrypts the mnemonic of a keystore under keys derived from the master key and the
 * file's salt. Any change of the file is detected. The master key is 32 random bytes, not a
 * password, so it needs derivation and no stretching.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { FIRST_FAMILY, WALLET_FAMILIES } from '../../domain/catalog/family.ts';
import {
  KeystoreError,
  type KeystoreFile,
  keyText,
  LATER_FAMILIES,
  missingFamilies,
  type PublicKeys,
} from './keystore-file.ts';

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
  const cipher = createCipheriv('aes-256-gcm', keys.sealing, nonce).setAAD(boundToWords(secret.publicKeys));
  const ciphertext = Buffer.concat([cipher.update(secret.words, 'utf8'), cipher.final()]);
  const file: KeystoreFile = {
    version: 1,
    kdf: 'hkdf-sha256',
    salt: salt.toString('hex'),
    keyCheck: keys.check.toString('hex'),
    sealed: Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString('hex'),
    public: secret.publicKeys,
  };
  return withPublicKeys(file, secret);
}

/**
 * The file with more public keys; its words stay sealed as they are. The first family's key must be
 * the same.
 */
export function withPublicKeys(
  file: KeystoreFile,
  { publicKeys, masterKey }: { publicKeys: PublicKeys; masterKey: Uint8Array },
): KeystoreFile {
  const keys = derived(masterKey, Buffer.from(file.salt, 'hex'));
  return { ...file, public: publicKeys, publicCheck: checkOf(publicKeys, keys.public).toString('hex') };
}

/** Throws KeystoreError `wrong_master_key` or `damaged`. */
export function openMnemonic(file: KeystoreFile, masterKey: Uint8Array): string {
  const keys = derived(masterKey, Buffer.from(file.salt, 'hex'));
  if (!equal(Buffer.from(file.keyCheck, 'hex'), keys.check))
    throw new KeystoreError('wrong_master_key', 'the master key does not belong to this keystore');
  if (!publicPartIsOurs(file, keys.public)) throw altered();
  const sealed = Buffer.from(file.sealed, 'hex');
  const decipher = createDecipheriv('aes-256-gcm', keys.sealing, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(boundToWords(file.public))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const words = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([words, decipher.final()]).toString('utf8');
  } catch {
    throw altered();
  }
}

function altered(): KeystoreError {
  return new KeystoreError('damaged', 'keystore.json was altered: restore it from a backup');
}

/**
 * A swapped public key would send customers' money to somebody else, so the seal covers it: that of
 * the first family.
 */
function boundToWords(keys: PublicKeys): Buffer {
  const { path, xpub } = keys[FIRST_FAMILY];
  return Buffer.from(JSON.stringify(['quittance-keystore-v1', path, xpub]), 'utf8');
}

/**
 * This authenticates the keys that a file got later, so that adding one does not change the
 * encrypted mnemonic.
 */
function publicPartIsOurs(file: KeystoreFile, key: Buffer): boolean {
  if (file.publicCheck === undefined) return missingFamilies(file.public).length === LATER_FAMILIES.length;
  return equal(Buffer.from(file.publicCheck, 'hex'), checkOf(file.public, key));
}

function checkOf(keys: PublicKeys, key: Buffer): Buffer {
  const listed = WALLET_FAMILIES.flatMap((family) => {
    const key = keys[family];
    if (key === undefined) return [];
    return [[family, key.path, keyText(key)]];
  });
  return createHmac('sha256', key).update(JSON.stringify(listed)).digest();
}

const equal = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

function derived(masterKey: Uint8Array, salt: Buffer): { sealing: Buffer; check: Buffer; public: Buffer } {
  const key = (purpose: string) => Buffer.from(hkdfSync('sha256', masterKey, salt, purpose, 32));
  return {
    sealing: key('quittance-keystore-seal-v1'),
    check: key('quittance-keystore-check-v1'),
    public: key('quittance-keystore-public-v1'),
  };
}
