/**
 * The first start with a signer apart, in the order of docs/operations/deployment.md: each process
 * with its own folder, the signer with a master key of its own, and all with the environment that
 * deploy/compose/compose.yaml gives them, empty variables included. Both run from the bundle, which
 * finds what stands beside the sources: migrations, the guide's receivers, the files of pages.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBundle } from '../../scripts/support/service-bundle.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { type ServiceProcess, startServiceProcess } from '../support/runtime/service-process.ts';
import { type SignerProcess, startSigner } from '../support/signer/signer-process.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a first start with a signer apart', () => {
  let base: string;
  let database: TestDatabase;
  let signer: SignerProcess | undefined;
  const services: ServiceProcess[] = [];
  const folder = (name: string) => join(base, name);
  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), 'quittance-apart-'));
    for (const name of ['keys', 'data', 'api']) mkdirSync(folder(name), { mode: 0o700 });
    writeFileSync(folder('policy.json'), '{}');
    writeFileSync(folder('config.json'), '{"rates": {"source": "static", "usd": {"usdt_tron": "1"}}}');
    database = await testDatabase();
    // As on the day of the installation.
    await database.database.script(
      'drop schema public cascade; drop schema if exists drizzle cascade; create schema public',
    );
  });
  afterAll(async () => {
    for (const service of services) await service.stop();
    await signer?.kill('SIGTERM');
    await database.drop();
    rmSync(base, { recursive: true, force: true });
  });

  /** As Compose gives it: the values of `.env`, and the paths of the mounted files. */
  function environmentOf(name: string): Readonly<Record<string, string>> {
    const { services: all } = Bun.YAML.parse(
      readFileSync(join(import.meta.dir, '..', '..', 'deploy', 'compose', 'compose.yaml'), 'utf8'),
    ) as { services: Readonly<Record<string, { environment: Readonly<Record<string, string>> }>> };
    const given: Readonly<Record<string, string>> = {
      ...{ DATABASE_URL: database.url, DATABASE_URL_SIGNER: database.url, DOMAIN: 'pay.example.com' },
      ...{ MASTER_KEY: '11'.repeat(32), SIGNER_MASTER_KEY: '22'.repeat(32) },
      ...{ '/etc/quittance/config.json': folder('config.json') },
      ...{ '/etc/quittance/policy.json': folder('policy.json') },
      ...{ '/run/quittance/signer.sock': folder('signer.sock') },
    };
    const filled = (text: string) =>
      given[text] ??
      text.replaceAll(
        /\$\{([A-Z_]+)(?::[-?]([^}]*))?\}/g,
        (_, variable: string, or = '') => given[variable] ?? or,
      );
    const { environment = {} } = all[name] ?? {};
    return Object.fromEntries(
      Object.entries(environment).map(([key, value]) => [key, filled(String(value))]),
    );
  }

  test('the signer makes the wallet, the others read its public part with another master key', async () => {
    signer = await startSigner({ ...environmentOf('signer'), DATA_DIR: folder('keys') });
    for (const name of ['data', 'api'])
      copyFileSync(join(folder('keys'), 'keystore.json'), join(folder(name), 'keystore.json'));
    const worker = await startServiceProcess({ ...environmentOf('worker'), DATA_DIR: folder('data') });
    services.push(worker);
    const api = await startServiceProcess({ ...environmentOf('api'), DATA_DIR: folder('api') });
    services.push(api);
    for (const { url } of services) expect((await fetch(`${url}/ready`)).status).toBe(200);
    const statuses = await Promise.all(services.map(async ({ url }) => (await fetch(`${url}/docs`)).status));
    expect(statuses).toEqual([404, 200]);
    const metrics = await (await fetch(`${worker.url}/metrics`)).text();
    expect(metrics).toContain('quittance_metrics_source_up 1\n');
    expect(metrics).toContain('quittance_reconciliation_last_run_timestamp_seconds ');
    expect(await (await fetch(`${api.url}/metrics`)).text()).not.toContain('quittance_reconciliation_');
    expect(findBundle(join(import.meta.dir, '..', '..'))).not.toBeNull();
  });

  test('from the bundle come the pages with their files', async () => {
    const { url } = services.at(-1)!;
    const text = async (path: string) => (await fetch(new URL(path, url))).text();
    for (const path of ['/console/sign-in', `/checkout/${crypto.randomUUID()}`]) {
      const named = [...(await text(path)).matchAll(/="(?:https?:\/\/[^/]+)?(\/[^"]*\/assets\/[^"]+)"/g)];
      expect([path, named.length]).toEqual([path, 3]);
      for (const [, file = ''] of named) {
        const answer = await fetch(new URL(file, url));
        expect([file, answer.status, answer.headers.get('cache-control')]).toEqual([
          ...[file, 200, 'public, max-age=31536000, immutable'],
        ]);
      }
    }
    expect(await text('/docs/webhooks')).toContain('package main');
    const script = /"(\/docs\/[^"]*swagger-ui-bundle[^"]*)"/.exec(await text('/docs/reference'))?.[1] ?? '';
    expect((await text(script)).length).toBeGreaterThan(100_000);
  });
});
