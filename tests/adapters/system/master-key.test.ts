/** The master key is made once, for its owner alone, and a damaged one is never replaced. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadOrMakeMasterKey } from '../../../src/adapters/system/master-key.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'quittance-key-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test('a key is made in a folder that need not exist, and stays the same', () => {
  const dataDir = join(base, 'a', 'b');
  const key = loadOrMakeMasterKey(dataDir);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(loadOrMakeMasterKey(dataDir)).toBe(key);
  expect(loadOrMakeMasterKey(join(base, 'other'))).not.toBe(key);
  expect(readdirSync(dataDir)).toEqual(['master.key']);
  expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600);
});

test('a key that others could read is closed to them', () => {
  const key = loadOrMakeMasterKey(base);
  chmodSync(join(base, 'master.key'), 0o644);
  expect(loadOrMakeMasterKey(base)).toBe(key);
  expect(statSync(join(base, 'master.key')).mode & 0o777).toBe(0o600);
});

test('a damaged key is refused and left as it is', () => {
  const path = join(base, 'master.key');
  for (const content of ['', 'abc', 'g'.repeat(64)]) {
    writeFileSync(path, content);
    expect(() => loadOrMakeMasterKey(base)).toThrow('does not hold a master key');
    expect(readFileSync(path, 'utf8')).toBe(content);
  }
});

test('processes that start together agree on one key', async () => {
  const module = join(import.meta.dir, '../../../src/adapters/system/master-key.ts');
  const code = `import { loadOrMakeMasterKey } from ${JSON.stringify(module)}; console.log(loadOrMakeMasterKey(${JSON.stringify(base)}))`;
  const children = Array.from({ length: 4 }, () =>
    Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe' }),
  );
  const keys = await Promise.all(children.map((child) => new Response(child.stdout).text()));
  expect(new Set(keys)).toEqual(new Set([`${loadOrMakeMasterKey(base)}\n`]));
});
