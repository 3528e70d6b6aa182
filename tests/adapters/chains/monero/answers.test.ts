/**
 * What the Monero scanner makes of answers that no test chain gives: amounts past 2^53, times as
 * unlock times, programs that err or lie.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { moneroScanner } from '../../../../src/adapters/chains/monero/scanner.ts';
import { lockedUntil } from '../../../../src/adapters/chains/monero/unlock-time.ts';
import { type ChainScanner, ChainUnavailable } from '../../../../src/ports/chains/chain-scanner.ts';
import { watching } from '../../../support/chains/watch-list.ts';
import { MERCHANT } from '../../../support/monero/monero-lab.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';

const SUBADDRESS =
  '84QRUYawRNrU3NN1VpFRndSukeyEb3Xpv8qZjjsoJZnTYpDYceuUTpog13D7qPxpviS7J29bSgSkR11hFFoXWk2yNdsR9WF';
const BLOCK_TIME = 1_790_000_000;
const hash = (digit: string): string => digit.repeat(64);
const TXID = hash('7');

const header = (height: number) =>
  `{"height": ${height}, "hash": "${hash('b')}", "prev_hash": "${hash('a')}", "timestamp": ${BLOCK_TIME}, "miner_tx_hash": "${hash('e')}"}`;
const payment = (changes: Readonly<Record<string, string>> = {}) =>
  JSON.stringify({
    txid: TXID,
    address: SUBADDRESS,
    subaddr_index: { major: 0, minor: 1 },
    height: '@10',
    amount: '@5',
    unlock_time: '@0',
    ...changes,
  }).replaceAll(/"@(\d+)"/g, '$1');

/** Results of both programs, as the text they send; what is not here is `{}`. */
const ANSWERS: Readonly<Record<string, string>> = {
  get_info: '{"nettype": "fakechain"}',
  get_last_block_header: `{"block_header": ${header(10)}}`,
  get_block_header_by_height: `{"block_header": ${header(10)}}`,
  get_block_headers_range: `{"headers": [${header(10)}]}`,
  get_block: `{"block_header": ${header(10)}, "tx_hashes": ["${TXID}"]}`,
  get_address: `{"address": "${MERCHANT.primaryAddress}"}`,
  get_attribute: '{"value": "5"}',
  get_height: '{"height": 11}',
  refresh: '{"blocks_fetched": 0}',
  get_transfers: `{"in": [${payment()}]}`,
};

describe('answers of monerod and monero-wallet-rpc', () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  function open(answers: Readonly<Record<string, string>>): ChainScanner {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { method } = (await request.json()) as { method: string };
        const found = { ...ANSWERS, ...answers }[method] ?? '{}';
        return new Response(found.startsWith('{"code"') ? `{"error": ${found}}` : `{"result": ${found}}`);
      },
    });
    const url = `http://127.0.0.1:${server.port}`;
    const scanner = moneroScanner({
      chain: 'monero',
      asset: 'xmr_monero',
      rpc: [url],
      walletRpc: url,
      keys: MERCHANT,
      confirmations: 10,
      startHeight: null,
      logger: silentLogger,
    });
    ends.push(
      () => scanner.close(),
      () => server.stop(true),
    );
    return scanner;
  }
  const scanned = (answers: Readonly<Record<string, string>>) =>
    open(answers).blocks({ from: 10, to: 10 }, watching([SUBADDRESS]));
  const transfersOf = async (...payments: readonly string[]) =>
    (await scanned({ get_transfers: `{"in": [${payments.join()}]}` })).flatMap(({ transfers }) => transfers);

  test('K3: a daemon that is doubted shows again which network it is on', async () => {
    const answers: Record<string, string> = {};
    const scanner = open(answers);
    await scanner.head();
    answers.get_info = '{"nettype": "mainnet"}';
    expect((await scanner.head()).tip.height).toBe(10);
    scanner.doubt?.();
    await expect(scanner.head()).rejects.toThrow(ChainUnavailable);
  });

  test('amounts past 2^53 are read to the last digit', async () => {
    const units = 18_446_744_073_709_551_615n;
    expect(await transfersOf(payment({ amount: `@${units}` }))).toMatchObject([{ units, txid: TXID }]);
  });

  test('M1: a payment that counts nothing, all its keys being used before, is none', async () => {
    expect(await transfersOf(payment({ amount: '@0' }))).toEqual([]);
  });

  test('M2: an unlock time in seconds becomes the height by which it has surely passed', async () => {
    const inAnHour = payment({ unlock_time: `@${BLOCK_TIME + 3_600}` });
    expect(await transfersOf(inAnHour)).toMatchObject([{ lockedUntil: 50 }]);
    const passed = await transfersOf(payment({ unlock_time: `@${BLOCK_TIME}` }));
    expect(passed).toMatchObject([{ txid: TXID }]);
    expect(passed[0]).not.toHaveProperty('lockedUntil');
  });

  test('M2: heights and times, near and absurd', () => {
    const block = { height: 100, hash: hash('b'), parentHash: hash('a'), time: BLOCK_TIME };
    const cases: readonly (readonly [bigint, number | null])[] = [
      [0n, null],
      [100n, null],
      [101n, 101],
      [499_999_999n, 499_999_999],
      [500_000_000n, null],
      [BigInt(BLOCK_TIME) + 1n, 101],
      [BigInt(BLOCK_TIME) + 90n, 101],
      [BigInt(BLOCK_TIME) + 91n, 102],
      [2n ** 64n - 1n, Number.MAX_SAFE_INTEGER],
    ];
    for (const [unlockTime, until] of cases) expect(lockedUntil(unlockTime, block)).toBe(until);
  });

  test('M2: what is locked is not announced before a block has it', async () => {
    const waiting = { get_transfers: `{"pool": [${payment({ unlock_time: '@500', height: '@0' })}]}` };
    expect(await open(waiting).pending(watching([SUBADDRESS]))).toEqual([]);
  });

  test('a payment that the daemon does not have in that block is not believed', async () => {
    await expect(
      scanned({ get_block: `{"block_header": ${header(10)}, "tx_hashes": ["${hash('8')}"]}` }),
    ).rejects.toThrow(/the wallet has other transactions in block 10/);
  });

  test('a wallet that has not read the last block is not believed', async () => {
    await expect(scanned({ get_height: '{"height": 10}' })).rejects.toThrow(/has not read block 10 yet/);
  });

  test('headers that do not follow each other are refused', async () => {
    const headers = { get_block_headers_range: `{"headers": [${header(11)}]}` };
    await expect(scanned(headers)).rejects.toThrow(/unusable answer: headers/);
  });

  test('an error that repeats the view key is told without it', async () => {
    const wallet = {
      get_address: '{"code": -13, "message": "No wallet file"}',
      open_wallet: '{"code": -1, "message": "no such file"}',
      generate_from_keys: `{"code": -1, "message": "no good: ${MERCHANT.viewKey}"}`,
    };
    const attempt = scanned(wallet);
    await expect(attempt).rejects.toThrow(/no wallet can be opened or made: .*no such file.*no good: \*\*\*/);
    await expect(attempt).rejects.not.toThrow(MERCHANT.viewKey);
  });
});
