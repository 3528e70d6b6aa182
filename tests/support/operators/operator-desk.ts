/** A service on the fake chains and an operator beside it, who runs scripts on its database. */
import { expect } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { type Json, startTestService, TEST_MASTER_KEY, type TestService } from '../test-service.ts';
import { type ProgramName, runHere, type ScriptEnd } from './run-script.ts';

export const BAD_SENDER = `0x${'bad0'.repeat(10)}`;
export const UNKNOWN_ID = 'ffffffffffffffffffffffff';

export interface OperatorDesk {
  readonly it: TestService;
  readonly clock: TestClock;
  readonly dataDir: string;
  /** The environment of its scripts. */
  readonly env: Readonly<Record<string, string>>;
  run(script: ProgramName, ...args: string[]): Promise<ScriptEnd>;
  /** With another environment, in part. */
  runIn(change: Readonly<Record<string, string>>, script: ProgramName, ...args: string[]): Promise<ScriptEnd>;
  /** The one line of JSON of a script that must succeed. */
  json(script: ProgramName, ...args: string[]): Promise<Json>;
  /** The one line of a script that must be refused. */
  refusal(script: ProgramName, ...args: string[]): Promise<string>;
  invoice(key: string, body?: Json): Promise<Json>;
  payToFinality(to: string, amount: string, from?: string): Promise<string>;
  close(): Promise<void>;
}

export async function openOperatorDesk(): Promise<OperatorDesk> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quittance-test-'));
  // the scripts go by the real clock, so what they queue must be due for this service
  const clock = testClock(new Date());
  const it = await startTestService({
    env: { CHAINS: 'fake' },
    file: { risk: { deny: [BAD_SENDER] } },
    dataDir,
    overrides: { clock },
  });
  const configFile = join(dataDir, 'config.json');
  writeFileSync(
    configFile,
    JSON.stringify({ rates: { source: 'static', usd: { usdt_ethereum: '1' } }, commission_percent: '2.5' }),
  );
  const env = {
    DATABASE_URL: it.databaseUrl,
    MASTER_KEY: TEST_MASTER_KEY,
    DATA_DIR: dataDir,
    CONFIG_FILE: configFile,
  };
  await it.settle();
  const run = (script: ProgramName, ...args: string[]): Promise<ScriptEnd> => runHere(script, args, env);
  const chain = () => {
    const fake = it.service.chains.fakes?.get('ethereum');
    if (!fake) throw new Error('the fake chains are not there');
    return fake.control;
  };

  return {
    it,
    clock,
    dataDir,
    env,
    run,
    runIn: (change, script, ...args) => runHere(script, args, { ...env, ...change }),
    async json(script, ...args) {
      const { code, stdout, stderr } = await run(script, ...args, '--json');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.trimEnd().split('\n')).toHaveLength(1);
      return JSON.parse(stdout);
    },
    async refusal(script, ...args) {
      const { code, stdout, stderr } = await run(script, ...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      return stderr;
    },
    async invoice(key, body = {}) {
      const answer = await it.call(key, 'POST', '/api/v2/invoices', {
        amount: 25,
        fiat_currency: 'USD',
        asset: 'usdt_ethereum',
        ...body,
      });
      expect(answer.status).toBe(201);
      return answer.body.result;
    },
    async payToFinality(to, amount, from) {
      const { txid } = chain().pay({
        to,
        asset: 'usdt_ethereum',
        units: unitsOf(amount, 6),
        ...(from === undefined ? {} : { from }),
      });
      chain().mine(13);
      await it.settle();
      return txid;
    },
    async close() {
      await it.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
