/**
 * The wallet seed at rest: one encrypted file `keystore.json` in the data directory. It is made once, never overwritten,
 * and its public part can be read without the master key, so a process that only hands out addresses never holds the seed.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileOnce } from './create-file-once.ts';
import { KeystoreError, type KeystoreFile, type PublicKeys, parseKeystore } from './keystore-file.ts';
import { openMnemonic, sealMnemonic } from './keystore-seal.ts';

export interface Keystore {
  /** Account extended public keys: receiving addresses are `<path>/0/<index>`. */
  publicKeys(): PublicKeys;
  /** Decrypts the 24 words: keep the derived wallet, not the words. */
  mnemonic(): Promise<string>;
}

const FILE_NAME = 'keystore.json';
const EVM_ACCOUNT_PATH = "m/44'/60'/0'";

/**
 * Opens the keystore of `directory`, or makes one with a fresh 24-word seed when there is none and `createIfMissing`.
 * When several processes create at once, all of them open the one that won. Fails with KeystoreError: `missing`,
 * `wrong_master_key` or `damaged`; never by making a new seed over an existing file.
 */
export async function openKeystore(options: {
  directory: string;
  masterKey: Uint8Array;
  createIfMissing: boolean;
}): Promise<Keystore> {
  const path = join(options.directory, FILE_NAME);
  if (options.masterKey.length < 32) throw new RangeError('the master key needs at least 32 bytes');
  let file = await readIfPresent(path);
  if (file === null) {
    if (!options.createIfMissing) throw missing(path);
    await mkdir(options.directory, { recursive: true, mode: 0o700 });
    await createFileOnce(path, `${JSON.stringify(await freshKeystore(options.masterKey), null, 2)}\n`);
    file = await readIfPresent(path);
    if (file === null) throw missing(path);
  }
  const opened = file;
  // Decrypting now turns a wrong master key into a failed start instead of a failed payout.
  openMnemonic(opened, options.masterKey);
  return {
    publicKeys: () => opened.public,
    mnemonic: async () => openMnemonic(opened, options.masterKey),
  };
}

/** The public part alone, without the master key. It cannot tell whether somebody with write access replaced it: openKeystore can. */
export async function readPublicKeys(directory: string): Promise<PublicKeys> {
  const path = join(directory, FILE_NAME);
  const file = await readIfPresent(path);
  if (file === null) throw missing(path);
  return file.public;
}

async function freshKeystore(masterKey: Uint8Array): Promise<KeystoreFile> {
  const { Mnemonic } = await import('ethers');
  const words = Mnemonic.fromEntropy(randomBytes(32)).phrase;
  return sealMnemonic({ words, publicKeys: await publicKeysOf(words), masterKey });
}

/** The public part that belongs to a mnemonic. */
export async function publicKeysOf(words: string): Promise<PublicKeys> {
  const { HDNodeWallet } = await import('ethers');
  const evm = HDNodeWallet.fromPhrase(words, '', EVM_ACCOUNT_PATH).neuter();
  return { evm: { path: EVM_ACCOUNT_PATH, xpub: evm.extendedKey } };
}

async function readIfPresent(path: string): Promise<KeystoreFile | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return parseKeystore(text);
}

function missing(path: string): KeystoreError {
  return new KeystoreError(
    'missing',
    `there is no keystore at ${path}: create it, or restore it from a backup`,
  );
}
