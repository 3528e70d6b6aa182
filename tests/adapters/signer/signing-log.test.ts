/** The signer's log: its chain, what a kill leaves of it, and several processes that share it. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { copyFile, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SigningHistory } from '../../../src/adapters/signer/signing-history.ts';
import {
  openSigningLog,
  type SigningLog,
  SigningLogUnusable,
} from '../../../src/adapters/signer/signing-log.ts';
import { verifySigningLog } from '../../../src/adapters/signer/verify-signing-log.ts';
import { NOW, secondsAfter } from '../../support/builders.ts';
import { runScript } from '../../support/operators/run-script.ts';
import { endsWithUs } from '../../support/runtime/ends-with-us.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';
import { aSignedEntry } from '../../support/signer/signed-entry.ts';

const WRITER = join(import.meta.dir, '..', '..', 'support', 'signer', 'signing-log-writer.ts');
const DAY_SECONDS = 24 * 60 * 60;

let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
let path: string;
beforeEach(async () => {
  folder = await temporaryDirectory();
  path = join(folder.path, 'signer.log');
});
afterEach(() => folder.remove());

const open = (at = path): Promise<SigningLog> =>
  openSigningLog({ path: at, now: () => NOW, logger: silentLogger });
const anything = (): void => {};

/** What the log, opened again, knows of the past. */
async function history<T>(look: (history: SigningHistory) => T, at = path): Promise<T> {
  const log = await open(at);
  const found: T[] = [];
  const stop = new Error('only looking');
  await expect(
    log.append(aSignedEntry({ nonce: 0n }), (past) => {
      found.push(look(past));
      throw stop;
    }),
  ).rejects.toBe(stop);
  await log.close();
  return found[0] as T;
}

async function written(count: number): Promise<void> {
  const log = await open();
  for (let nonce = 0n; nonce < count; nonce += 1n) await log.append(aSignedEntry({ nonce }), anything);
  await log.close();
}

describe('the log of the signer', () => {
  test('is for its owner alone, one JSON line per signature, each with the hash of the line before', async () => {
    await written(3);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(`${path}.lock`)).mode & 0o777).toBe(0o600);
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const hashes = lines.map((line) => new Bun.CryptoHasher('sha256').update(line).digest('hex'));
    expect(lines.map((line) => JSON.parse(line).before)).toEqual(['0'.repeat(64), hashes[0], hashes[1]]);
    expect(await verifySigningLog(path)).toEqual({
      lines: 3,
      signed: 3,
      head: hashes[2] ?? '',
      remarks: [],
      broken: null,
      tornBytes: 0,
    });
  });

  test('is made with its folder, which is for its owner alone, too', async () => {
    const made = join(folder.path, 'new', 'signer.log');
    await (await open(made)).close();
    expect((await stat(dirname(made))).mode & 0o777).toBe(0o700);
  });

  test('writes nothing when the entry is not allowed, and the transaction it has already', async () => {
    const log = await open();
    const refusal = new Error('no');
    const refuse = (): void => {
      throw refusal;
    };
    await expect(log.append(aSignedEntry({ nonce: 1n }), refuse)).rejects.toBe(refusal);
    expect((await stat(path)).size).toBe(0);
    await log.append(aSignedEntry({ nonce: 1n }), anything);
    await log.append(aSignedEntry({ nonce: 1n }), anything);
    expect((await verifySigningLog(path)).lines).toBe(1);
    await log.close();
  });

  test('is read whole, however long its lines are', async () => {
    const [payment] = aSignedEntry({ nonce: 0n }).payments;
    const payments = Array.from({ length: 900 }, (_, place) => ({ ...payment!, units: BigInt(place) }));
    const log = await open();
    for (let nonce = 0n; nonce < 4n; nonce += 1n)
      await log.append(aSignedEntry({ nonce, payments }), anything);
    await log.close();
    expect((await stat(path)).size).toBeGreaterThan(256 * 1024);
    expect(await verifySigningLog(path)).toMatchObject({ lines: 4, broken: null, tornBytes: 0 });
    expect(await history((past) => past.unusedFrom(aSignedEntry({ nonce: 0n })))).toBe(4n);
  });

  test('a torn last line is set aside and noted, wherever it was torn', async () => {
    await written(2);
    const whole = await readFile(path);
    const start = whole.indexOf(0x0a) + 1;
    const { head } = await verifySigningLog(path);
    for (let end = start + 1; end < whole.length; end += 23) {
      const torn = join(folder.path, `torn-${end}.log`);
      await copyFile(path, torn);
      await truncate(torn, end);
      expect(await verifySigningLog(torn)).toMatchObject({ lines: 1, broken: null, tornBytes: end - start });
      await (await open(torn)).close();
      const verdict = await verifySigningLog(torn);
      expect(verdict).toMatchObject({ lines: 2, signed: 1, broken: null, tornBytes: 0 });
      expect(verdict.remarks[0]?.note).toContain(`${end - start} bytes`);
      expect(await readFile(`${torn}.torn`)).toEqual(
        Buffer.concat([whole.subarray(start, end), Buffer.from('\n')]),
      );
      expect(await history((past) => past.isOfAnother(aSignedEntry({ nonce: 0n, to: 'x' })), torn)).toBe(
        true,
      );
      // The signature of the torn line never left, so its nonce is free.
      expect(await history((past) => past.isOfAnother(aSignedEntry({ nonce: 1n, to: 'x' })), torn)).toBe(
        false,
      );
    }
    expect((await verifySigningLog(path)).head).toBe(head);
  });

  test.each([
    ['a changed amount', (text: string) => text.replace('"units":"5"', '"units":"6"'), 2],
    ['a removed line', (text: string) => text.replace(/^.*\n/, ''), 1],
    ['two lines swapped', (text: string) => text.replace(/^(.*\n)(.*\n)/, '$2$1'), 1],
    ['a line put in', (text: string) => text.replace(/^(.*\n)/, '$1{"time":"x"}\n'), 2],
    ['a line that is not JSON', (text: string) => text.replace(/^(.*\n)/, '$1x\n'), 2],
    ['a field put in', (text: string) => text.replace('"voids"', '"more":1,"voids"'), 1],
  ])('%s breaks the chain, and the log is not used any more', async (_, alter, line) => {
    await written(3);
    await writeFile(path, alter(await readFile(path, 'utf8')));
    const { broken } = await verifySigningLog(path);
    expect(broken?.line).toBe(line);
    await expect(open()).rejects.toBeInstanceOf(SigningLogUnusable);
  });

  test('is not used any more when it became shorter or another file took its place', async () => {
    const log = await open();
    await log.append(aSignedEntry({ nonce: 0n }), anything);
    await log.append(aSignedEntry({ nonce: 1n }), anything);
    const whole = await readFile(path);
    await truncate(path, whole.indexOf(0x0a) + 1);
    await expect(log.append(aSignedEntry({ nonce: 2n }), anything)).rejects.toThrow('shorter');
    await writeFile(path, whole);
    await log.append(aSignedEntry({ nonce: 2n }), anything);
    await rename(path, `${path}.old`);
    await expect(log.append(aSignedEntry({ nonce: 3n }), anything)).rejects.toBeInstanceOf(
      SigningLogUnusable,
    );
    await writeFile(path, whole);
    await expect(log.append(aSignedEntry({ nonce: 3n }), anything)).rejects.toThrow('another file');
    await log.close();
  });

  test('the day before is remembered, and not more', async () => {
    const log = await open();
    await log.append(aSignedEntry({ nonce: 0n }), anything);
    await log.append(aSignedEntry({ nonce: 1n, at: secondsAfter(60) }), anything);
    await log.append(aSignedEntry({ nonce: 2n, purpose: 'sweep' }), anything);
    await log.append(aSignedEntry({ nonce: 3n, voids: true }), anything);
    await log.append(aSignedEntry({ nonce: 4n, asset: 'usdt_ethereum' }), anything);
    await log.close();
    const spentAt = (seconds: number) =>
      history((past) => past.spentUnits({ asset: 'eth_ethereum', purpose: 'payout' }, secondsAfter(seconds)));
    expect(await spentAt(61)).toBe(10n);
    expect(await spentAt(DAY_SECONDS - 1)).toBe(10n);
    expect(await spentAt(DAY_SECONDS)).toBe(5n);
    expect(await spentAt(DAY_SECONDS + 60)).toBe(0n);
  });
});

test('the script says whether the chain holds, or where it breaks', async () => {
  await written(3);
  const verify = () => runScript('signer', ['log', '--verify'], { DATA_DIR: folder.path });
  expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringContaining('3 signatures') });
  await writeFile(path, (await readFile(path, 'utf8')).replace('"units":"5"', '"units":"6"'));
  expect(await verify()).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('line 2 does not follow the line before it'),
  });
});

describe('processes that share a log', () => {
  test('see what the others signed before they sign', async () => {
    const [one, other] = [await open(), await open()];
    await one.append(aSignedEntry({ nonce: 1n }), anything);
    const seen: boolean[] = [];
    await other.append(aSignedEntry({ nonce: 2n }), (past) => {
      seen.push(past.isOfAnother(aSignedEntry({ nonce: 1n, units: 6n })));
    });
    expect(seen).toEqual([true]);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? one : other).append(aSignedEntry({ nonce: BigInt(10 + index) }), anything),
      ),
    );
    expect(await verifySigningLog(path)).toMatchObject({ lines: 22, broken: null });
    await one.close();
    await other.close();
  });

  test('lose nothing that they gave out when they are killed in the middle of a write', async () => {
    const told: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      const writers = ['a', 'b'].map((name) =>
        Bun.spawn([process.execPath, WRITER, path, `${name}${round}`], { stdout: 'pipe', stderr: 'inherit' }),
      );
      await Promise.all(
        writers.map(async (writer, index) => {
          endsWithUs(writer);
          let heard = '';
          for await (const chunk of writer.stdout) {
            heard += new TextDecoder().decode(chunk);
            // Killed after different numbers of lines, at whatever it was doing then.
            if (heard.split('\n').length > 5 + round * 7 + index * 11) writer.kill('SIGKILL');
          }
          told.push(...heard.split('\n').slice(0, -1));
          await writer.exited;
        }),
      );
      await (await open()).close();
    }
    const entries = new Set<string>();
    const verdict = await verifySigningLog(path, ({ txid }) => entries.add(txid));
    expect(verdict).toMatchObject({ broken: null, tornBytes: 0 });
    expect(told.length).toBeGreaterThan(60);
    expect(told.filter((txid) => !entries.has(txid))).toEqual([]);
    // Nothing is there twice, and at most the one line that a killed process had not told yet is
    // there besides.
    expect(verdict.signed).toBe(entries.size);
  });
});
