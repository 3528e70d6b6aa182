/** `bun run restore` on the database of a service that is stopped: once as a process. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSigningLog } from '../../src/adapters/signer/signing-log.ts';
import { holdPayout, startSigning, stopSigning } from '../../src/app/sending/operate-payouts.ts';
import { hotWalletOf } from '../../src/app/sending/sending-chain.ts';
import { unitsOf } from '../../src/domain/money/decimal.ts';
import { NOW } from '../support/builders.ts';
import { runHere, runScript, type ScriptEnd } from '../support/operators/run-script.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { silentLogger } from '../support/runtime/silent-logger.ts';
import { aSignedEntry } from '../support/signer/signed-entry.ts';
import { type Json, startTestService, TEST_MASTER_KEY, type TestService } from '../support/test-service.ts';

const TETHER = 'usdt_ethereum';

describe.skipIf(!needs('postgres', postgresAvailable()))('bun run restore', () => {
  let database: TestDatabase;
  let folder: string;
  let dataDir: string;
  let it: TestService;
  let live: string;
  beforeAll(async () => {
    // Through a pooler it is refused.
    database = await testDatabase({ pooled: false });
    folder = mkdtempSync(join(tmpdir(), 'quittance-restore-'));
    dataDir = join(folder, 'data');
    await start();
    ({ live } = await it.merchant());
    const invoice = await call('POST', 'invoices', { amount: 1_000, fiat_currency: 'USD', asset: TETHER });
    chain().pay({ to: invoice.address_to, asset: TETHER, units: unitsOf(String(invoice.amount), 6) });
    const wallet = hotWalletOf(it.service.sending.chains.get('ethereum')!);
    chain().fund(wallet, 'eth_ethereum', unitsOf('1', 18));
    chain().fund(wallet, TETHER, unitsOf('1000', 6));
    await mine();
  });
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    it = await startTestService({
      ...{ databaseUrl: database.url, dataDir },
      env: { CHAINS: 'fake' },
      chains: ['ethereum'],
    });
  }
  const chain = () => it.service.chains.fakes!.get('ethereum')!.control;
  async function mine(): Promise<void> {
    await it.settle();
    chain().mine(13);
    await it.settle();
  }
  async function call(method: string, path: string, body: Json): Promise<Json> {
    const answer = await it.call(live, method, `/api/v2/${path}`, body, { 'x-uniq-id': randomUUID() });
    expect(answer.body).toMatchObject({ ok: true });
    return answer.body.result;
  }
  async function order(): Promise<string> {
    const body = { amount: 5, asset: TETHER, address: `0x${'5a'.repeat(20)}` };
    return (await call('POST', 'payouts', body)).order_id;
  }
  /** As a signer of real chains does: that of the fake ones keeps no log. */
  async function logSigned(txids: readonly string[]): Promise<void> {
    const path = join(dataDir, 'signer.log');
    const log = await openSigningLog({ path, now: () => NOW, logger: silentLogger });
    for (const [nonce, txid] of txids.entries())
      await log.append(aSignedEntry({ nonce: BigInt(nonce), txid }), () => undefined);
    await log.close();
  }
  const heldOf = async (id: string) =>
    (await it.service.dependencies.unitOfWork.run((r) => r.payouts.lock(id)))?.held?.code ?? null;
  const env = () => ({ DATABASE_URL: database.url, DATA_DIR: dataDir, MASTER_KEY: TEST_MASTER_KEY });
  const run = (args: readonly string[] = [], change: Readonly<Record<string, string>> = {}) =>
    runHere('restore', args, { ...env(), ...change });
  const told = ({ stdout }: ScriptEnd): Json => JSON.parse(stdout);
  const evmOf = (report: Json) => report.addresses.find(({ family }: Json) => family === 'evm');

  test('K4, K5: holds what is pending and skips addresses, once however often it is run, and not while the service runs', async () => {
    await order();
    await mine();
    const { dependencies } = it.service;
    await stopSigning(dependencies)('a backup is taken');
    const [pending, doubted] = [await order(), await order()];
    expect((await holdPayout(dependencies)(doubted, 'odd')).ok).toBe(true);
    const running = await run();
    expect([running.code, running.stdout]).toEqual([1, '']);
    expect(running.stderr).toContain('stop the service first');
    expect(await heldOf(pending)).toBeNull();
    const [paid = ''] = await dependencies.unitOfWork.run(({ outgoing }) => outgoing.newestSigned(1));
    await it.stop();
    await logSigned([paid, 'newer']);

    const first = await runScript('restore', ['--skip-addresses', '5000', '--json'], env());
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(told(first)).toMatchObject({
      held: [pending, doubted].toSorted(),
      signer_log: { kind: 'read', signed: 2, unknown: 1, missing: 0 },
      faults: 0,
    });
    const { from, to } = evmOf(told(first));
    // One address was given out, of those that were taken.
    expect([from < 5_000, to]).toEqual([true, 5_001]);
    const second = await run(['--skip-addresses', '5000', '--json']);
    expect(told(second)).toMatchObject({ held: [], faults: 0 });
    expect(evmOf(told(second))).toEqual({ family: 'evm', from: 5_001, to: 5_001 });
    const { stdout } = await run(['--skip-addresses', '6000']);
    expect(stdout).toContain('evm 6001 (was 5001)');
    expect(stdout).toContain('Payouts: none is pending that is not held.');
    const audited = await runHere('audit', ['list', '--json'], env());
    expect(JSON.parse(audited.stdout).entries).toMatchObject([
      { action: 'database.restored', after: { held_payouts: 0, faults: 0 } },
      { action: 'database.restored', after: { held_payouts: 0, faults: 0 } },
      { action: 'database.restored', after: { held_payouts: 2, faults: 0 } },
    ]);

    await start();
    expect([await heldOf(pending), await heldOf(doubted)]).toEqual(['restored', 'restored_held']);
    await startSigning(it.service.dependencies)();
    await mine();
    expect((await it.call(live, 'GET', `/api/v2/payouts/${pending}`)).body.result.status).toBe('pending');
    await it.stop();
  }, 120_000);

  test('K4: says so where the signer’s log is older than the database, gone or broken', async () => {
    const path = join(dataDir, 'signer.log');
    await rename(path, `${path}.newest`);
    const gone = await run(['--json']);
    expect([gone.code, told(gone).signer_log]).toEqual([1, { kind: 'missing' }]);
    await logSigned(['newer']);
    const older = await run();
    expect([older.code, older.stdout]).toEqual([1, expect.stringContaining('Put the newest one')]);
    await Bun.write(path, 'nonsense\n');
    const broken = await run(['--json']);
    expect([broken.code, told(broken).signer_log.kind]).toEqual([1, 'broken']);
    await rename(`${path}.newest`, path);
    expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining('Books: they agree.') });
  }, 120_000);

  test('K2, K4: is refused where nothing was ever used, and with another wallet', async () => {
    const empty = await testDatabase({ pooled: false });
    const unused = await run([], { DATABASE_URL: empty.url });
    expect([unused.code, unused.stderr]).toEqual([1, expect.stringContaining('was never used')]);
    await empty.drop();
    const other = join(folder, 'other');
    await cp(dataDir, other, { recursive: true });
    await rm(join(other, 'keystore.json'));
    const lost = await run([], { DATA_DIR: other });
    expect([lost.code, lost.stdout]).toEqual([1, '']);
    expect(lost.stderr).toContain('keystore.json');
    expect(await run(['--skip-addresses', 'many'])).toMatchObject({ code: 2 });
  }, 120_000);
});
