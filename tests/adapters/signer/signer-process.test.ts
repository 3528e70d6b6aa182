/**
 * The signer behind its socket, as a process: the contract, what it finds in the database, and how
 * it starts and ends.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { postgresWalletKeys } from '../../../src/adapters/postgres/sending/wallet-keys.ts';
import { compose } from '../../../src/compose/compose.ts';
import type { KeyFingerprint } from '../../../src/domain/chains/wallet-keys.ts';
import { heldFor } from '../../../src/domain/payouts/held.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import { SignerUnavailable, SigningRefused } from '../../../src/ports/sending/signer.ts';
import { describeSigner } from '../../contracts/sending/signer.ts';
import { anId, NOW } from '../../support/builders.ts';
import { runScript } from '../../support/operators/run-script.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';
import {
  type SignerLab,
  type SignerProcess,
  signerLab,
  startSigner,
} from '../../support/signer/signer-process.ts';
import { TEST_MASTER_KEY, testConfig } from '../../support/test-service.ts';
import { paymentOf } from '../../support/utxo/lone-orders.ts';

/** The statements of docs/operations/signer.md that make the signer's role. */
async function documentedRole(name: string, password: string): Promise<string> {
  const page = await readFile(join(import.meta.dir, '../../../docs/operations/signer.md'), 'utf8');
  const found = /(create role signer login password '\.\.\.';\s+grant select on [^`]+ to signer;)/.exec(page);
  if (!found?.[1])
    throw new Error('docs/operations/signer.md does not say how the role of the signer is made');
  return found[1].replaceAll(/\bsigner\b/g, name).replace('...', password);
}

describe.skipIf(!needs('postgres', postgresAvailable()))('the process of the signer', () => {
  describeSigner('behind the socket', async () => {
    const lab = await signerLab();
    const process = await startSigner(lab.env);
    return {
      world: lab.world,
      signer: lab.signer,
      store: (order) => lab.store(order),
      async close() {
        expect(await process.kill('SIGTERM')).toBe(0);
        expect(await process.complaints).toBe('');
        await lab.close();
      },
    };
  });

  describe('looks into the database itself', () => {
    let lab: SignerLab;
    let process: SignerProcess;
    // Roles are of the whole server, and a run before this one may have ended without dropping its
    // own.
    const role = `signer_${crypto.randomUUID().replaceAll('-', '')}`;
    beforeAll(async () => {
      lab = await signerLab();
      // All that it is given there is what the operators' page says.
      await lab.database.database.script(await documentedRole(role, 'signer'));
      const url = lab.database.url.replace(/\/\/[^@/]*@/, `//${role}:signer@`);
      process = await startSigner({ ...lab.env, DATABASE_URL_SIGNER: url });
    }, 120_000);
    afterAll(async () => {
      await process.kill('SIGTERM');
      await lab.database.database.script(`drop owned by ${role}; drop role ${role}`);
      await lab.close();
    });

    const settled = { txid: '0xab', block: { height: 1, hash: '0xcd' }, feeUnits: 1n };
    const cases: [
      what: string,
      lasting: boolean,
      stored: { transfer?: Partial<OutgoingTransfer>; payout?: Partial<Payout> },
    ][] = [
      ['another sequence', true, { transfer: { nonce: 77_777n } }],
      ['another chain', true, { transfer: { chain: 'base' } }],
      ['another wallet', true, { transfer: { wallet: `0x${'12'.repeat(20)}` } }],
      ['another purpose', true, { transfer: { purpose: 'topup' } }],
      ['another reference', true, { transfer: { referenceId: anId() } }],
      ['another asset of the transfer', true, { transfer: { asset: 'usdc_ethereum' } }],
      ['another recipient of the transfer', true, { transfer: { to: `0x${'34'.repeat(20)}` } }],
      ['another amount of the transfer', true, { transfer: { units: 1n } }],
      ['a transfer that is confirmed', true, { transfer: { ...settled, status: 'confirmed' } }],
      [
        'a transfer that failed',
        true,
        { transfer: { ...settled, status: 'failed', failure: failureOf('reverted') } },
      ],
      ['a transfer that is void', false, { transfer: { voided: true, failure: failureOf('operator') } }],
      ['a payout of the sandbox', true, { payout: { sandbox: true } }],
      ['a payout that failed', true, { payout: { status: 'failed', failure: 'x', processedAt: NOW } }],
      ['a payout that was cancelled', true, { payout: { status: 'cancelled', processedAt: NOW } }],
      [
        'a payout that is paid',
        true,
        { payout: { status: 'success', txid: '0xab', txHashes: ['0xab'], processedAt: NOW } },
      ],
      ['a payout that is held', false, { payout: { held: heldFor('limit') } }],
      ['another asset of the payout', true, { payout: { asset: 'usdc_ethereum' } }],
      ['another recipient of the payout', true, { payout: { address: `0x${'56'.repeat(20)}` } }],
      ['another amount of the payout', true, { payout: { sentUnits: 1n } }],
    ];
    test.each(cases)('and does not sign what it finds as %s', async (_, lasting, stored) => {
      const order = lab.world.order();
      await lab.store(order, stored);
      const error: unknown = await lab.signer.sign(order).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(SigningRefused);
      expect(error).toMatchObject({ lasting });
    });

    test('and does not sign a transfer that is not there', async () => {
      await expect(lab.signer.sign(lab.world.order())).rejects.toThrow('no such transfer');
      expect((await lab.world.log()).signed).toBe(0);
    });

    test('and signs what it finds as ordered, also for a payout that is processing', async () => {
      const order = lab.world.order();
      await lab.store(order, { payout: { status: 'processing', txid: '0xab', txHashes: ['0xab'] } });
      await lab.signer.sign(order);
      const inOtherCase = lab.world.order();
      const to = paymentOf(inOtherCase).to.toLowerCase();
      await lab.store(inOtherCase, { transfer: { to }, payout: { address: to } });
      await lab.signer.sign(inOtherCase);
    });

    test('and stops when an operator stopped signing', async () => {
      const order = lab.world.order();
      await lab.store(order);
      await lab.database.database.script(`update signing_switch set stopped_at = now(), note = 'test'`);
      await expect(lab.signer.sign(order)).rejects.toMatchObject({ lasting: false });
      await lab.database.database.script('update signing_switch set stopped_at = null');
      await lab.signer.sign(order);
    });

    test('and does not sign while the database is away', async () => {
      const order = lab.world.order();
      await lab.store(order);
      const allowed = (connections: 'login' | 'nologin') =>
        lab.database.database.script(`
          alter role ${role} ${connections};
          select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);
      await allowed('nologin');
      await expect(lab.signer.sign(order)).rejects.toBeInstanceOf(SignerUnavailable);
      await allowed('login');
      await lab.signer.sign(order);
    });
  });

  test('a worker that has a signer reads public keys only, and makes no wallet', async () => {
    const folder = await temporaryDirectory();
    const lab = await signerLab();
    const env = { DATABASE_URL: lab.database.url, SIGNER_SOCKET: lab.socket, ROLE: 'worker' };
    const started = (dataDir: string) =>
      compose(testConfig({ ...env, DATA_DIR: dataDir, MASTER_KEY: '22'.repeat(32) }), {
        logger: silentLogger,
        schedule: false,
      });
    await expect(started(folder.path)).rejects.toMatchObject({ fault: 'keystore_lost' });
    // The master key of this worker is not that of the keystore.
    const service = await started(lab.world.dataDir);
    expect(service.chains.liveDerivers.get('evm')?.hotWallet()?.toLowerCase()).toBe(lab.world.hot);
    await service.stop();
    await lab.close();
    await folder.remove();
  });

  test('K2: a signer signs nothing before its database is known to be of its wallet, and never for another', async () => {
    const lab = await signerLab();
    const { query } = lab.database.database;
    const noted = await query<KeyFingerprint>('select family, fingerprint from wallet_keys');
    await query('delete from wallet_keys');
    const process = await startSigner(lab.env);
    const order = lab.world.order();
    await lab.store(order);
    const derive = () => lab.signer.addresses({ family: 'solana', from: 0, count: 1 });
    await expect(lab.signer.sign(order)).rejects.toThrow('does not know its wallet yet');
    await expect(derive()).rejects.toThrow('does not know its wallet yet');
    await query(
      `insert into wallet_keys (family, fingerprint, noted_at) values ('evm', repeat('0', 64), now())`,
    );
    await expect(lab.signer.sign(order)).rejects.toThrow('is another wallet than the one');
    await query('delete from wallet_keys');
    await postgresWalletKeys(lab.database.database).holding((held) => held.note(noted, NOW));
    await lab.signer.sign(order);
    expect(await derive()).toHaveLength(1);
    await process.kill('SIGTERM');
    await lab.close();
  });

  test('K2: a signer whose role may not read the fingerprints says what to grant', async () => {
    const lab = await signerLab();
    const of = (role: string) => lab.database.url.replace(/\/\/[^@/]*@/, `//${role}@`);
    await lab.database.database.script(
      'drop role if exists earlier_signer; create role earlier_signer login',
    );
    const process = await startSigner({ ...lab.env, DATABASE_URL_SIGNER: of('earlier_signer') });
    expect(await process.exited).toBe(1);
    expect(await process.complaints).toContain('grant select on wallet_keys to');
    await lab.database.database.script('drop role earlier_signer');
    await lab.close();
  });

  test('a process that was killed is replaced, and remembers what it signed', async () => {
    const lab = await signerLab();
    let process = await startSigner(lab.env);
    const order = lab.world.order();
    await lab.store(order);
    const signed = await lab.signer.sign(order);
    expect((await stat(lab.socket)).mode & 0o777).toBe(0o600);
    await process.kill('SIGKILL');
    await expect(lab.signer.sign(order)).rejects.toBeInstanceOf(SignerUnavailable);
    // Its socket file is still there, and nobody answers on it.
    expect((await stat(lab.socket)).isSocket()).toBe(true);
    process = await startSigner(lab.env);
    expect(await lab.signer.sign(order)).toEqual(signed);
    const second = await startSigner(lab.env);
    expect(await second.exited).toBe(1);
    expect(await second.complaints).toContain('another signer answers');
    expect(await lab.signer.sign(order)).toEqual(signed);
    const { code, stdout } = await runScript('signer', ['log', '--json'], lab.env);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      signed: 1,
      broken: null,
      signatures: [{ txid: signed.txid, amount: '1.5', reference_id: paymentOf(order).referenceId }],
    });
    await process.kill('SIGTERM');
    expect(await stat(lab.socket).catch(() => 'gone')).toBe('gone');
    await lab.close();
  });
});

test('a start without what it needs says everything at once', async () => {
  const folder = await temporaryDirectory();
  const bare = await startSigner({ DATA_DIR: folder.path });
  expect(await bare.exited).toBe(1);
  const complaints = await bare.complaints;
  expect(complaints).toContain('MASTER_KEY: is needed');
  expect(complaints).toContain('DATABASE_URL_SIGNER: is needed');
  const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', MASTER_KEY: TEST_MASTER_KEY };
  const lost = await startSigner({ ...nowhere, DATA_DIR: folder.path, SIGNER_POLICY: '/nowhere.json' });
  expect(await lost.exited).toBe(1);
  expect(await lost.complaints).toContain('SIGNER_POLICY: cannot be read');
  await folder.remove();
});
