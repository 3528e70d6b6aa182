/**
 * The seed words out of a keystore and into one: shown only on purpose, and put back only where
 * they belong.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/adapters/embedded-postgres/embedded-postgres.ts';
import { openKeystore, readPublicKeys } from '../../src/adapters/signer/keystore.ts';
import type { PublicKeys } from '../../src/adapters/signer/keystore-file.ts';
import { runAtTerminal, runScript } from '../support/operators/run-script.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { serversEndWithUs } from '../support/runtime/ends-with-us.ts';
import { needs } from '../support/runtime/needs.ts';
import { silentLogger } from '../support/runtime/silent-logger.ts';
import { startTestService, TEST_MASTER_KEY, type TestService } from '../support/test-service.ts';

/** BIP-39's published vector of 32 bytes 0x7f. */
const OTHERS_WORDS =
  'legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth title';

/** Of BIP-39's words, those that the messages have, too. */
const OWN_WORDS = ['another', 'number'];

describe.skipIf(!needs('postgres', postgresAvailable()))('the seed of a wallet', () => {
  let it: TestService;
  let env: Record<string, string>;
  let dataDir: string;
  let words: string;
  beforeAll(async () => {
    it = await startTestService();
    await it.merchant();
    dataDir = it.service.config.dataDir;
    env = { DATABASE_URL: it.databaseUrl, DATA_DIR: dataDir, MASTER_KEY: TEST_MASTER_KEY };
    const masterKey = Buffer.from(TEST_MASTER_KEY, 'hex');
    words = await (await openKeystore({ directory: dataDir, masterKey, createIfMissing: false })).mnemonic();
  });
  afterAll(() => it.stop());

  test('K1: is shown at a terminal to who types that he wants to see it, and not to others', async () => {
    const refused = await runAtTerminal('wallet', ['export'], env, 'yes');
    expect(refused.code).toBe(1);
    expect(refused.shown).toContain('not confirmed: nothing was shown');
    expect(refused.shown).not.toContain(words.split(' ').slice(0, 3).join(' '));
    const shown = await runAtTerminal('wallet', ['export'], env, 'show the seed');
    expect(shown.code).toBe(0);
    expect(shown.shown).toContain(words);
  });

  test('K1: goes into a pipe on demand only, alone, with the warning beside it', async () => {
    const blind = await runScript('wallet', ['export'], env);
    expect([blind.code, blind.stdout]).toEqual([2, '']);
    expect(blind.stderr).toContain('--yes-show-the-seed');
    const shown = await runScript('wallet', ['export', '--yes-show-the-seed'], env);
    expect([shown.code, shown.stdout]).toEqual([0, `${words}\n`]);
    expect(shown.stderr).toContain('on paper');
    expect(shown.stderr).not.toContain(words);
    const json = await runScript('wallet', ['export', '--yes-show-the-seed', '--json'], env);
    expect(JSON.parse(json.stdout)).toEqual({ words: words.split(' ') });
  });

  test('K1: makes the keystore again, where it is missing and for the database that it belongs to', async () => {
    const put = (input: string, change = {}) => runScript('wallet', ['import'], { ...env, ...change }, input);
    expect((await put(words)).stderr).toContain('there is a keystore.json in');
    const kept = join(dataDir, 'kept.json');
    await rename(join(dataDir, 'keystore.json'), kept);
    const keys = await publicPartOf(kept);

    const [first = '', ...others] = words.split(' ');
    const refusals: [input: string, says: string][] = [
      ['', 'the words are 0'],
      [others.join(' '), 'the words are 23'],
      [`${first}x ${others.join(' ')}`, 'number 1 is not in its English list'],
      [`${'abandon '.repeat(24)}`, 'their checksum is wrong'],
      [OTHERS_WORDS, 'these are the words of another wallet than the one that the database'],
    ];
    for (const [input, says] of refusals) {
      const { code, stdout, stderr } = await put(input);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(says);
      for (const word of input.split(' ').filter((text) => text.length > 5 && !OWN_WORDS.includes(text)))
        expect(stderr).not.toContain(word);
    }
    expect(await readdir(dataDir)).not.toContain('keystore.json');

    const made = await put(` ${words.toUpperCase().replaceAll(' ', '\n')}\n`);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain('keystore.json (evm: ');
    expect(made.stdout).not.toContain(others.slice(0, 3).join(' '));
    expect(await readPublicKeys(dataDir)).toEqual(keys);
    const audited = await runScript('audit', ['list', '--json'], env);
    expect(JSON.parse(audited.stdout).entries).toMatchObject([{ action: 'wallet.imported', after: null }]);
    const again = await startTestService({ databaseUrl: it.databaseUrl, dataDir });
    await again.stop();
    await rm(kept);
  });

  test('K1: does not make the master key again unless it is told to', async () => {
    const own = join(dataDir, 'own');
    serversEndWithUs(own);
    // Held open, so that the scripts do not start it each time.
    const server = await startEmbeddedPostgres({ directory: join(own, 'postgres'), logger: silentLogger });
    const bare = { DATA_DIR: own };
    const put = (...args: string[]) => runScript('wallet', ['import', ...args], bare, OTHERS_WORDS);
    expect(await put()).toMatchObject({ code: 0 });
    await Promise.all([rm(join(own, 'master.key')), rm(join(own, 'keystore.json'))]);
    const refused = await put();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('there is no master.key in');
    expect(await readdir(own)).toEqual(['postgres']);
    expect(await put('--new-master-key')).toMatchObject({ code: 0 });
    expect((await readdir(own)).toSorted()).toEqual(['keystore.json', 'master.key', 'postgres']);
    await server.stop();
  });
});

async function publicPartOf(path: string): Promise<PublicKeys> {
  return (await Bun.file(path).json()).public;
}
