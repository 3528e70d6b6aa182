/**
 * Public keys of families that came after the first keystores: an older file gets them, and nothing
 * else of it changes.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmod, lstat, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, createBase58check } from '@scure/base';
import { getBytes, HDNodeWallet } from 'ethers';
import { openKeystore, publicKeysOf, readPublicKeys } from '../../../src/adapters/signer/keystore.ts';
import { type KeystoreFile, missingFamilies } from '../../../src/adapters/signer/keystore-file.ts';
import { EVM_ONLY, masterKey, words } from '../../support/evm/evm-only-keystore.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';

let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
let directory: string;
beforeEach(async () => {
  folder = await temporaryDirectory();
  directory = join(folder.path, 'data');
  await mkdir(directory);
});
afterEach(() => folder.remove());

const path = () => join(directory, 'keystore.json');
const write = (file: unknown) => writeFile(path(), `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
const read = async (): Promise<KeystoreFile> => JSON.parse(await readFile(path(), 'utf8'));
const open = (createIfMissing: boolean) => openKeystore({ directory, masterKey, createIfMissing });

describe('an evm-only keystore', () => {
  beforeEach(() => write(EVM_ONLY));

  test('is read without the master key, and says what it lacks', async () => {
    const keys = await readPublicKeys(directory);
    expect(keys).toEqual(EVM_ONLY.public);
    expect(missingFamilies(keys)).toEqual([
      'bitcoin',
      'litecoin',
      'bitcoincash',
      'tron',
      'xrp',
      'ton',
      'solana',
    ]);
  });

  test('is completed by who holds the master key, and nothing else of it changes', async () => {
    const opened = await open(true);
    expect(await opened.mnemonic()).toBe(words);
    const expected = await publicKeysOf(words);
    expect(opened.publicKeys()).toEqual(expected);
    const { public: keys, publicCheck, ...rest } = await read();
    const { public: keysBefore, ...before } = EVM_ONLY;
    expect(rest).toEqual(before);
    expect(keys).toEqual(expected);
    expect(keys.evm).toEqual(keysBefore.evm);
    // Of this file it is the same in every version, or no version could open what another one
    // wrote.
    expect(publicCheck).toBe('58c821fc360c82593f21cd87e31c2d30d997b6245494b8e158cb5946391d5b0b');
    expect((await stat(path())).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(['keystore.json']);
    expect(await readPublicKeys(directory)).toEqual(expected);
  });

  test('is completed once: the next start leaves the file alone', async () => {
    await open(true);
    const completed = await readFile(path(), 'utf8');
    expect(await (await open(true)).mnemonic()).toBe(words);
    expect(await readFile(path(), 'utf8')).toBe(completed);
  });

  test('is completed alike by several that start at once', async () => {
    const opened = await Promise.all(Array.from({ length: 6 }, () => open(true)));
    const expected = await publicKeysOf(words);
    for (const keystore of opened) expect(keystore.publicKeys()).toEqual(expected);
    expect((await read()).public).toEqual(expected);
    expect(await readdir(directory)).toEqual(['keystore.json']);
  });

  test('only looked at, it answers every key and stays as it is', async () => {
    const before = await readFile(path(), 'utf8');
    expect((await open(false)).publicKeys()).toEqual(await publicKeysOf(words));
    expect(await readFile(path(), 'utf8')).toBe(before);
  });

  test('in a directory that may only be read it still answers every key', async () => {
    await chmod(directory, 0o500);
    try {
      expect((await open(true)).publicKeys()).toEqual(await publicKeysOf(words));
    } finally {
      await chmod(directory, 0o700);
    }
  });

  test('behind a symbolic link is completed where it lies, and the link stays', async () => {
    const volume = join(folder.path, 'volume.json');
    await rename(path(), volume);
    await symlink(volume, path());
    await open(true);
    expect((await lstat(path())).isSymbolicLink()).toBe(true);
    expect(missingFamilies(JSON.parse(await readFile(volume, 'utf8')).public)).toEqual([]);
  });

  test('gets no key from whoever does not hold the master key', async () => {
    const foreign = await publicKeysOf('test test test test test test test test test test test junk');
    const changed = { ...EVM_ONLY, public: { ...EVM_ONLY.public, bitcoin: foreign.bitcoin } };
    for (const file of [changed, { ...changed, publicCheck: 'ab'.repeat(32) }]) {
      await write(file);
      await expect(open(true)).rejects.toMatchObject({ fault: 'damaged' });
      expect(await read()).toEqual(file);
    }
  });
});

describe('a complete keystore', () => {
  test('is refused when a key of a later family was swapped, moved or taken out', async () => {
    await write(EVM_ONLY);
    await open(true);
    const whole = await read();
    const { bitcoin, litecoin, solana, ...others } = whole.public;
    const altered = [
      { ...whole.public, bitcoin: litecoin },
      { ...whole.public, bitcoin: { ...bitcoin, path: "m/49'/0'/0'" } },
      { ...others, litecoin, solana },
      { ...whole.public, solana: { ...solana, publicKey: 'ab'.repeat(32) } },
      { ...whole.public, bitcoin: null },
      { ...whole.public, bitcoin: { path: bitcoin?.path, xpub: 'nonsense' } },
    ];
    for (const keys of altered) {
      await write({ ...whole, public: keys });
      await expect(open(true)).rejects.toMatchObject({ fault: 'damaged' });
    }
  });

  test('has the account keys that BIP-84 publishes for its phrase, as an xpub', async () => {
    const { bitcoin, litecoin, bitcoincash } = await publicKeysOf(words);
    const zpub =
      'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';
    const base58check = createBase58check(sha256);
    const key = (text: string) => base58check.decode(text).subarray(4);
    expect(bitcoin?.path).toBe("m/84'/0'/0'");
    expect(key(bitcoin?.xpub ?? '')).toEqual(key(zpub));
    expect(litecoin?.path).toBe("m/84'/2'/0'");
    expect(bitcoincash?.path).toBe("m/44'/145'/0'");
  });

  test('has the keys of Tron, XRP, TON and Solana where their wallets look for them (SLIP-44, SLIP-10)', async () => {
    const { tron, xrp, ton, solana } = await publicKeysOf(words);
    expect([xrp.path, ton.path]).toEqual(["m/44'/144'/0'/0/0", "m/44'/607'/0'"]);
    // The first accounts that other wallets show for these words.
    const { address } = HDNodeWallet.fromExtendedKey(tron.xpub).derivePath('0/0');
    expect(createBase58check(sha256).encode(getBytes(`0x41${address.slice(2)}`))).toBe(
      'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
    );
    const first = base58.encode(getBytes(`0x${solana.publicKey}`));
    expect(first).toBe('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk');
  });
});
