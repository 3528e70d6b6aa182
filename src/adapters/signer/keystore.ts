/**
 * The wallet seed at rest: one encrypted file `keystore.json` in the data directory. The seed is
 * created once and never written again; only public keys of later families are added. The public
 * part can be read without the master key, so a process that only derives addresses never holds the
 * seed.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WALLET_FAMILIES, type WalletFamily, walletKey } from '../../domain/catalog/family.ts';
import { createFileOnce, replaceFile } from '../shared/files/atomic-file.ts';
import { ed25519PublicKey, slip10Ed25519 } from '../shared/slip10.ts';
import {
  type AccountKey,
  KeystoreError,
  type KeystoreFile,
  missingFamilies,
  type PublicKeys,
  parseKeystore,
  type SingleKey,
} from './keystore-file.ts';
import { openMnemonic, sealMnemonic, withPublicKeys } from './keystore-seal.ts';

export interface Keystore {
  /** Account extended public keys: receiving addresses are `<path>/0/<index>`. */
  publicKeys(): PublicKeys;
  /** Decrypts the 24 words: keep the derived wallet, and not the words. */
  mnemonic(): Promise<string>;
}

const FILE_NAME = 'keystore.json';
/** Errors of writing to a read-only data directory. */
const READ_ONLY = new Set(['EROFS', 'EACCES', 'EPERM']);

/**
 * Opens the keystore of `directory`, or creates one with a new 24-word seed when there is none and
 * `createIfMissing`. When several processes create one, all open that of the first. The result has
 * the public keys of all families: missing ones are added to the file, if `createIfMissing` and it
 * can be written. Fails with KeystoreError: `missing`, `wrong_master_key` or `damaged`; it never
 * writes a new seed over an existing file.
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
    await createFileOnce(path, textOf(await freshKeystore(options.masterKey)));
    file = await readIfPresent(path);
    if (file === null) throw missing(path);
  }
  const opened = file;
  // Decrypting now makes a wrong master key a failed start instead of a failed payout.
  const words = openMnemonic(opened, options.masterKey);
  const complete = missingFamilies(opened.public).length === 0;
  const publicKeys = complete ? opened.public : { ...(await publicKeysOf(words)), ...opened.public };
  if (!complete && options.createIfMissing)
    await replaceIfWritable(path, withPublicKeys(opened, { publicKeys, masterKey: options.masterKey }));
  return {
    publicKeys: () => publicKeys,
    mnemonic: async () => openMnemonic(opened, options.masterKey),
  };
}

/** If the file cannot be written, every start derives the keys again. */
async function replaceIfWritable(path: string, file: KeystoreFile): Promise<void> {
  try {
    await replaceFile(path, textOf(file));
  } catch (error) {
    if (!READ_ONLY.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

const textOf = (file: KeystoreFile): string => `${JSON.stringify(file, null, 2)}\n`;

/**
 * Only the public part, without the master key; it may lack later families. It cannot detect
 * whether somebody with write access replaced it: openKeystore can.
 */
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

/**
 * Makes the keystore of seed words that exist already (BIP-39, checked).
 * @returns whether this call made it; false leaves the one that is there alone
 */
export async function makeKeystoreOf(
  words: string,
  { directory, masterKey }: { directory: string; masterKey: Uint8Array },
): Promise<boolean> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = sealMnemonic({ words, publicKeys: await publicKeysOf(words), masterKey });
  return createFileOnce(join(directory, FILE_NAME), textOf(file));
}

/** Whether there is a keystore file, complete or not. */
export async function keystoreIsThere(directory: string): Promise<boolean> {
  return Bun.file(join(directory, FILE_NAME)).exists();
}

/** The public part of a mnemonic, for every family. */
export async function publicKeysOf(words: string): Promise<Required<PublicKeys>> {
  const { HDNodeWallet, Mnemonic } = await import('ethers');
  const root = HDNodeWallet.fromPhrase(words, '', 'm');
  const seed = Buffer.from(Mnemonic.fromPhrase(words).computeSeed().slice(2), 'hex');
  const keyOf = (family: WalletFamily): AccountKey | SingleKey => {
    const { path, kind } = walletKey(family);
    if (kind === 'ed25519') {
      const publicKey = ed25519PublicKey(slip10Ed25519(seed, path));
      return { path, publicKey: Buffer.from(publicKey).toString('hex') };
    }
    const node = root.derivePath(path);
    return kind === 'account'
      ? { path, xpub: node.neuter().extendedKey }
      : { path, publicKey: node.publicKey.slice(2) };
  };
  return Object.fromEntries(WALLET_FAMILIES.map((family) => [family, keyOf(family)])) as Required<PublicKeys>;
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
