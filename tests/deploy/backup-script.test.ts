/** The nightly backup of deploy/systemd, with a `pg_dump` of the test in place of PostgreSQL's. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dir, '..', '..', 'deploy', 'systemd', 'backup.sh');

/** Writes `text` where `--file` says. */
const dumping = (text: string) =>
  `for argument; do case $argument in --file=*) echo ${text} >"\${argument#--file=}";; esac; done`;

describe('the nightly backup', () => {
  let base: string;
  const at = (...parts: string[]) => join(base, ...parts);
  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), 'quittance-nightly-'));
    for (const folder of ['bin', 'data', 'backups']) mkdirSync(at(folder));
    writeFileSync(at('data', 'keystore.json'), 'sealed');
    writeFileSync(at('data', 'master.key'), 'secret');
    pgDump(dumping('dump'));
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  function pgDump(body: string): void {
    writeFileSync(at('bin', 'pg_dump'), `#!/bin/sh\n${body}\n`);
    chmodSync(at('bin', 'pg_dump'), 0o755);
  }
  async function run(): Promise<number> {
    const { PATH = '' } = process.env;
    const env = { PATH: `${at('bin')}:${PATH}`, PGHOST: 'db', PGPASSWORD: 'x' };
    return Bun.spawn([SCRIPT, at('data'), at('backups')], { env, stderr: 'ignore' }).exited;
  }

  test('has the dump and the files that must not be lost, for its user alone, without the master key', async () => {
    expect(await run()).toBe(0);
    const [day = '', ...more] = readdirSync(at('backups'));
    expect([day.length, more]).toEqual([2, []]);
    expect(readdirSync(at('backups', day)).toSorted()).toEqual(['keystore.json', 'quittance.dump']);
    expect(statSync(at('backups', day)).mode & 0o077).toBe(0);
  });

  test('that fails leaves the copy of before, and says so by its exit code', async () => {
    const [day = ''] = readdirSync(at('backups'));
    pgDump('exit 1');
    expect(await run()).not.toBe(0);
    expect(readFileSync(at('backups', day, 'quittance.dump'), 'utf8')).toBe('dump\n');
  });

  test('replaces the copy of a month ago, and what a failure left', async () => {
    const [day = '', left] = readdirSync(at('backups')).toSorted();
    expect(left).toBe(`${day}.partial`);
    writeFileSync(at('data', 'issued-indexes.json'), '{}');
    pgDump(dumping('newer'));
    expect(await run()).toBe(0);
    expect(readdirSync(at('backups'))).toEqual([day]);
    expect(readFileSync(at('backups', day, 'quittance.dump'), 'utf8')).toBe('newer\n');
    expect(readdirSync(at('backups', day))).toContain('issued-indexes.json');
  });
});
