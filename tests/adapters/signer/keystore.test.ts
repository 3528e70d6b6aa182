import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HDNodeWallet, Mnemonic } from 'ethers';
import { openKeystore, publicKeysOf, readPublicKeys } from '../../../src/adapters/signer/keystore.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';

const masterKey = Uint8Array.from({ length: 32 }, (_, index) => 255 - index);
const knownWords = 'test test test test test test test test test test test junk';

let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeEach(async () => {
  folder = await temporaryDirectory();
});
afterEach(() => folder.remove());

const open = (createIfMissing = true, key = masterKey) =>
  openKeystore({ directory: join(folder.path, 'data'), masterKey: key, createIfMissing });
const file = () => join(folder.path, 'data', 'keystore.json');

async function alter(change: (content: Record<string, unknown>) => void): Promise<void> {
  const content: Record<string, unknown> = JSON.parse(await readFile(file(), 'utf8'));
  change(content);
  await writeFile(file(), JSON.stringify(content));
}

describe('the keystore', () => {
  test('is made once, with a valid 24-word seed, and gives the same after reopening', async () => {
    const made = await open();
    const words = await made.mnemonic();
    expect(words.split(' ')).toHaveLength(24);
    expect(Mnemonic.isValidMnemonic(words)).toBe(true);
    expect(made.publicKeys()).toEqual(await publicKeysOf(words));

    const reopened = await open(false);
    expect(await reopened.mnemonic()).toBe(words);
    expect(reopened.publicKeys()).toEqual(made.publicKeys());
  });

  test('is made of another seed each time', async () => {
    const seeds = await Promise.all(
      ['one', 'two'].map((name) =>
        openKeystore({ directory: join(folder.path, name), masterKey, createIfMissing: true }),
      ),
    );
    const words = await Promise.all(seeds.map((made) => made.mnemonic()));
    expect(new Set(words).size).toBe(2);
  });

  test('file is readable by its owner only, holds no word, and leaves no temporary file', async () => {
    const words = await (await open()).mnemonic();
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder.path, 'data'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(folder.path, 'data'))).toEqual(['keystore.json']);
    expect(await readFile(file(), 'utf8')).not.toContain(words.split(' ').slice(0, 2).join(' '));
  });

  test('gives the public keys without the master key', async () => {
    const made = await open();
    expect(await readPublicKeys(join(folder.path, 'data'))).toEqual(made.publicKeys());
    expect(made.publicKeys().evm.path).toBe("m/44'/60'/0'");
  });

  test('derives the published address of a known mnemonic from the public key alone', async () => {
    const { evm } = await publicKeysOf(knownWords);
    const account = HDNodeWallet.fromExtendedKey(evm.xpub);
    expect(evm.xpub).toStartWith('xpub');
    expect(account.derivePath('0/0').address).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
  });

  test('missing and not to be made is an error, not a new seed', async () => {
    await expect(open(false)).rejects.toMatchObject({ name: 'KeystoreError', fault: 'missing' });
    await expect(readPublicKeys(folder.path)).rejects.toMatchObject({ fault: 'missing' });
  });

  test('says that the master key is wrong', async () => {
    await open();
    const before = await readFile(file(), 'utf8');
    await expect(open(true, new Uint8Array(32))).rejects.toMatchObject({ fault: 'wrong_master_key' });
    expect(await readFile(file(), 'utf8')).toBe(before);
    await expect(open(true, new Uint8Array(16))).rejects.toThrow(RangeError);
  });
});

describe('an altered keystore', () => {
  test.each([
    ['its sealed words', 'sealed'],
    ['its salt', 'salt'],
    ['its key check', 'keyCheck'],
  ])('is refused when somebody changed %s', async (_, field) => {
    await open();
    await alter((content) => {
      const text = String(content[field]);
      content[field] = `${text.slice(0, 40)}${text[40] === '0' ? '1' : '0'}${text.slice(41)}`;
    });
    await expect(open(false)).rejects.toMatchObject({ name: 'KeystoreError' });
  });

  test('is refused when somebody put in another public key', async () => {
    await open();
    const foreign = await publicKeysOf(knownWords);
    await alter((content) => {
      content.public = foreign;
    });
    await expect(open(false)).rejects.toMatchObject({ fault: 'damaged' });
  });

  test.each(['', '{"version":1', 'null', '[]', '{"version":2}', '{"version":1,"kdf":"none"}'])(
    'is refused when the file is %p, and stays as it is',
    async (text) => {
      await open();
      await writeFile(file(), text);
      await expect(open(true)).rejects.toMatchObject({ fault: 'damaged' });
      await expect(readPublicKeys(join(folder.path, 'data'))).rejects.toMatchObject({ fault: 'damaged' });
      expect(await readFile(file(), 'utf8')).toBe(text);
    },
  );
});

describe('creating at the same time', () => {
  test('ends with one keystore within a process', async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => open()));
    const words = await Promise.all(stores.map((store) => store.mnemonic()));
    expect(new Set(words).size).toBe(1);
  });

  test('ends with one keystore across processes', async () => {
    const module = new URL('../../../src/adapters/signer/keystore.ts', import.meta.url).href;
    const script = `
      const { openKeystore } = await import(${JSON.stringify(module)});
      const store = await openKeystore({ directory: process.argv[1], masterKey: new Uint8Array(32).fill(7), createIfMissing: true });
      console.log(await store.mnemonic());`;
    const processes = Array.from({ length: 3 }, () =>
      Bun.spawn([process.execPath, '-e', script, join(folder.path, 'shared')], { stdout: 'pipe' }),
    );
    const words = await Promise.all(processes.map((child) => new Response(child.stdout).text()));
    expect(await Promise.all(processes.map((child) => child.exited))).toEqual([0, 0, 0]);
    expect(new Set(words).size).toBe(1);
    expect(words[0]?.trim().split(' ')).toHaveLength(24);
    expect(await readdir(join(folder.path, 'shared'))).toEqual(['keystore.json']);
  }, 20_000);
});
