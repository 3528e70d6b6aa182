/**
 * `chains.monero` of CONFIG_FILE: what it takes, where the view key may be, and that no fault shows
 * it.
 */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { startFault } from '../../src/compose/start-fault.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { ConfigError } from '../../src/config/config-error.ts';
import type { Config } from '../../src/config/types.ts';
import { MERCHANT } from '../support/monero/monero-lab.ts';
import { runScript } from '../support/operators/run-script.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { temporaryDirectory } from '../support/runtime/temp-directory.ts';
import { startTestService, TEST_MASTER_KEY } from '../support/test-service.ts';

const KEY = MERCHANT.viewKey;
const MONERO = {
  rpc: ['http://127.0.0.1:18081/'],
  wallet_rpc: 'http://gateway:secret@127.0.0.1:18083/',
  primary_address: MERCHANT.primaryAddress,
};

function load(monero: object, files: Readonly<Record<string, string>> = {}) {
  const read = (path: string): string => {
    if (path === 'quittance.json') return JSON.stringify({ chains: { monero } });
    const text = files[path];
    if (text === undefined) throw new Error('no such file');
    return text;
  };
  const catalog = { chains: ['bitcoin', 'ethereum', 'monero'], assetKeys: [], fiats: [] };
  return loadConfig({ CONFIG_FILE: 'quittance.json' }, { read }, catalog);
}
function loaded(monero: object, files?: Readonly<Record<string, string>>): Config {
  const result = load(monero, files);
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.config;
}
function faults(monero: object, files?: Readonly<Record<string, string>>): readonly ConfigError[] {
  const result = load(monero, files);
  return result.ok ? [] : result.faults;
}

describe('chains.monero', () => {
  test('every setting is read', () => {
    const more = { network: 'stage', confirmations: 12, poll_ms: 500, start_height: 7 };
    expect(loaded({ ...MONERO, ...more, view_key: KEY.toUpperCase() }).chains.monero).toMatchObject({
      rpc: [{ url: 'http://127.0.0.1:18081' }],
      network: null,
      confirmations: 12,
      pollMs: 500,
      startHeight: 7,
      ownWallet: {
        walletRpc: 'http://gateway:secret@127.0.0.1:18083',
        primaryAddress: MERCHANT.primaryAddress,
        viewKey: KEY,
        network: 'stage',
      },
    });
  });

  test('the view key may be in a file, and the network is main', () => {
    const file = { '/run/secrets/view-key': `${KEY}\n` };
    const config = loaded({ ...MONERO, view_key_file: '/run/secrets/view-key' }, file);
    expect(config.chains.monero?.ownWallet).toMatchObject({ viewKey: KEY, network: 'main' });
  });

  test('all that is missing or wrong is told with its place', () => {
    const wrong = {
      rpc: [],
      wallet_rpc: 'ftp://x',
      primary_address: 'short',
      view_key: 'abc',
      network: 'signet',
      chain_id: 1,
    };
    const places = faults(wrong).map(({ path }) => path);
    expect(places.toSorted()).toEqual([
      'chains.monero.chain_id',
      'chains.monero.network',
      'chains.monero.primary_address',
      'chains.monero.rpc',
      'chains.monero.view_key',
      'chains.monero.wallet_rpc',
    ]);
  });

  test('one view key is needed, and one only', () => {
    const both = { ...MONERO, view_key: KEY, view_key_file: 'key' };
    for (const given of [MONERO, both])
      expect(faults(given, { key: KEY })).toMatchObject([{ path: 'chains.monero.view_key' }]);
  });

  test('no fault shows a view key', () => {
    const almost = `${KEY}0`;
    const given = [
      faults({ ...MONERO, view_key: almost }),
      faults({ ...MONERO, view_key_file: 'key' }, { key: almost }),
      faults({ ...MONERO, view_key_file: 'nowhere' }),
    ];
    for (const found of given) {
      expect(found).toHaveLength(1);
      expect(JSON.stringify(found)).not.toContain(KEY.slice(0, 8));
    }
    expect(given.map(([fault]) => fault?.path)).toEqual([
      'chains.monero.view_key',
      'chains.monero.view_key_file',
      'chains.monero.view_key_file',
    ]);
  });
});

describe.skipIf(!needs('postgres', postgresAvailable()))('a service with or without chains.monero', () => {
  test('a view key of another wallet ends the start with one line that shows neither', async () => {
    const file = {
      chains: { monero: { ...MONERO, view_key: KEY.replace(/^4/, '5'), network: 'main' } },
    };
    const error: unknown = await startTestService({ file }).catch((thrown: unknown) => thrown);
    expect(startFault(error, { port: 1, dataDir: 'data' })).toBe(
      'chains.monero of CONFIG_FILE is not usable: the Monero view key is not the one of the primary address.',
    );
  });

  test('without it live XMR invoices are refused, and the sandbox gives addresses that belong to nobody', async () => {
    const it = await startTestService();
    const merchant = await it.merchant();
    const body = { amount: 25, fiat_currency: 'USD', asset: 'xmr' };
    const live = await it.call(merchant.live, 'POST', '/api/v2/invoices', body);
    expect(live.status).toBe(400);
    expect(live.body.error.code).toBe('INVOICE_REJECTED');
    const sandbox = await it.call(merchant.sandbox, 'POST', '/api/v2/invoices', body);
    expect(sandbox.status).toBe(201);
    expect(sandbox.body.result.address_to).toMatch(/^87Fake/);
    await it.stop();
  });

  test('reconcile says that it checks no balance of Monero', async () => {
    const it = await startTestService();
    const folder = await temporaryDirectory();
    const file = join(folder.path, 'quittance.json');
    await Bun.write(file, JSON.stringify({ chains: { monero: { ...MONERO, view_key: KEY } } }));
    const env = {
      DATABASE_URL: it.databaseUrl,
      MASTER_KEY: TEST_MASTER_KEY,
      DATA_DIR: it.service.config.dataDir,
      CONFIG_FILE: file,
    };
    const asJson = await runScript('reconcile', ['--json'], env);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ agree: true, chains: [], not_checked: ['monero'] });
    expect((await runScript('reconcile', [], env)).stdout).toContain('monero: not checked');
    expect((await runScript('reconcile', ['--chain', 'monero'], env)).stderr).toContain(
      'monero: not checked',
    );
    await folder.remove();
    await it.stop();
  });
});
