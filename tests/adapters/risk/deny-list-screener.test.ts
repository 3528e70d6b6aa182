import { afterEach, beforeEach, expect, test } from 'bun:test';
import { rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { denyListScreener } from '../../../src/adapters/risk/deny-list-screener.ts';
import {
  DENIED_EVM,
  DENIED_TRON,
  describeRiskScreener,
  riskSubject,
} from '../../contracts/deposits/risk-screener.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';

describeRiskScreener('deny list with a file', async () => {
  const folder = await temporaryDirectory();
  const file = join(folder.path, 'denied.txt');
  const write = () => writeFile(file, `${DENIED_EVM}\n${DENIED_TRON}\n`);
  await write();
  return {
    screener: denyListScreener({ addresses: [], file }),
    breakDown: () => rm(file),
    repair: write,
    close: folder.remove,
  };
});

let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
let file: string;
beforeEach(async () => {
  folder = await temporaryDirectory();
  file = join(folder.path, 'denied.txt');
});
afterEach(() => folder.remove());

const kindOf = async (screener: ReturnType<typeof denyListScreener>, from: string | null) =>
  (await screener.screen(riskSubject({ from }))).kind;

test('a list without a file needs none', async () => {
  const screener = denyListScreener({ addresses: [DENIED_EVM, DENIED_TRON] });
  expect(await kindOf(screener, DENIED_EVM.toLowerCase())).toBe('hit');
  expect(await kindOf(screener, DENIED_TRON)).toBe('hit');
  expect(await kindOf(screener, null)).toBe('pass');
});

test('an address that is not EVM is compared exactly', async () => {
  const screener = denyListScreener({ addresses: [DENIED_TRON] });
  expect(await kindOf(screener, DENIED_TRON.toLowerCase())).toBe('pass');
});

test('a denied receiving address hits too', async () => {
  const screener = denyListScreener({ addresses: [DENIED_EVM] });
  expect(await screener.screen(riskSubject({ to: DENIED_EVM.toLowerCase() }))).toEqual({
    kind: 'hit',
    reason: 'the receiver is on the deny list',
  });
});

test('the file may have comments, blank lines, spaces, Windows line ends and a byte order mark', async () => {
  const text = `\ufeff# sanctions\r\n\r\n  ${DENIED_EVM}   # mixer\r\n#${DENIED_TRON}\r\nlast`;
  await writeFile(file, text);
  const screener = denyListScreener({ addresses: [], file });
  expect(await kindOf(screener, DENIED_EVM)).toBe('hit');
  expect(await kindOf(screener, DENIED_TRON)).toBe('pass');
  expect(await kindOf(screener, 'last')).toBe('hit');
  expect(await kindOf(screener, '')).toBe('pass');
});

test('a changed file is read again, an unchanged one is not', async () => {
  await writeFile(file, 'one\n');
  await utimes(file, 1_000, 1_000);
  const screener = denyListScreener({ addresses: [], file });
  expect(await kindOf(screener, 'one')).toBe('hit');
  await writeFile(file, 'two\n');
  await utimes(file, 1_000, 1_000);
  expect(await kindOf(screener, 'two')).toBe('pass');
  await utimes(file, 1_000, 1_001);
  expect(await kindOf(screener, 'two')).toBe('hit');
  expect(await kindOf(screener, 'one')).toBe('pass');
});

test('a configured file that is missing or a folder is unavailable, and a fixed address still hits', async () => {
  const missing = denyListScreener({ addresses: [DENIED_EVM], file: join(folder.path, 'nothing') });
  expect(await missing.screen(riskSubject())).toEqual({
    kind: 'unavailable',
    reason: 'the deny list cannot be read (ENOENT)',
  });
  expect(await kindOf(missing, DENIED_EVM)).toBe('hit');
  const aFolder = denyListScreener({ addresses: [], file: folder.path });
  expect(await kindOf(aFolder, null)).toBe('unavailable');
});
