/**
 * The composed service on a database of its own, as production composes it, driven over HTTP.
 * Background jobs run when a test calls settle(), so that a journey is a nonce and not a race.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMerchant, type NewMerchant } from '../../src/app/merchants/manage-merchants.ts';
import { compose, type Service } from '../../src/compose/compose.ts';
import type { Overrides } from '../../src/compose/overrides.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { Config } from '../../src/config/types.ts';
import { BUILT_IN_ASSETS } from '../../src/domain/catalog/asset.ts';
import { CHAINS } from '../../src/domain/catalog/chain.ts';
import { FIAT_CURRENCIES } from '../../src/domain/catalog/fiat.ts';
import { testDatabase } from './postgres/postgres.ts';
import { silentLogger } from './runtime/silent-logger.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of many shapes, and assertions say what they expect
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly headers: Headers;
}

export interface TestService {
  readonly service: Service;
  readonly url: string;
  readonly databaseUrl: string;
  call(
    key: string | null,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  merchant(change?: Partial<NewMerchant>): Promise<{ id: string; live: string; sandbox: string }>;
  /** Runs one background job; throws if the service has none of this name. */
  run(job: string, stopping?: AbortSignal): Promise<void>;
  /** Runs every background job until a whole round changes nothing that another could act on. */
  settle(rounds?: number): Promise<void>;
  stop(): Promise<void>;
}

/** Jobs that take their time and hand on nothing: tests that are about them run them. */
const LEISURELY = /^(sweep:|forward:|reconcile$|check-clock$|forget-|fold-list-counts$)/;

/** Its second round would find the prices of the first. */
const ONCE = 'refresh-fees';

/** Whether a job is of one of the chains, or of none. */
function isOf(job: string, chains: readonly string[]): boolean {
  return !job.includes(':') || chains.some((chain) => job.endsWith(`:${chain}`));
}

/**
 * Each connection costs PostgreSQL as much as a database: enough for writers at once, fewer than
 * chains that open at once.
 */
const WRITERS_MAX = 4;

export const TEST_MASTER_KEY = '11'.repeat(32);

export const TEST_RATES = {
  source: 'static',
  usd: Object.fromEntries(
    BUILT_IN_ASSETS.map(({ key, symbol }) => [key, symbol.startsWith('USD') ? '1' : '2000']),
  ),
  fiat: Object.fromEntries(FIAT_CURRENCIES.filter((code) => code !== 'USD').map((code) => [code, '2'])),
};

/** Config as loadConfig makes it from `env` and the JSON `file`; throws with every fault. */
export function testConfig(env: Record<string, string>, file: unknown = {}): Config {
  const result = loadConfig(
    { PORT: '0', RATE_LIMIT_PER_MINUTE: '0', MASTER_KEY: TEST_MASTER_KEY, CONFIG_FILE: 'test.json', ...env },
    { read: () => JSON.stringify(file) },
    {
      chains: CHAINS.map((chain) => chain.name),
      assetKeys: BUILT_IN_ASSETS.map((asset) => asset.key),
      fiats: FIAT_CURRENCIES,
    },
  );
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.config;
}

/** What a stage's service is started with besides the stage's own settings. */
export interface MoreSettings {
  readonly env?: Record<string, string>;
  readonly file?: Readonly<Record<string, unknown>>;
}

/**
 * The wallet of the first service of this process that had a folder and a master key made for it:
 * the others have the same one, since to make one derives the keys of every family, which costs as
 * much as all else of a start.
 */
let wallet: string | null = null;

export async function startTestService(
  options: {
    env?: Record<string, string>;
    file?: unknown;
    overrides?: Overrides;
    /**
     * The only chains whose jobs `settle` runs: with fake chains there are fifteen. Default: all.
     */
    chains?: readonly string[];
    /** Shares another service's database (several instances). */
    databaseUrl?: string;
    dataDir?: string;
  } = {},
): Promise<TestService> {
  const database = options.databaseUrl === undefined ? await testDatabase() : null;
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const chains = options.chains ?? null;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'quittance-test-'));
  const config = testConfig(
    { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, WEBHOOK_ALLOWED_HOSTS: '127.0.0.1', ...options.env },
    { rates: TEST_RATES, ...(options.file as object | undefined) },
  );
  const shares = options.dataDir === undefined && options.env?.MASTER_KEY === undefined;
  const keystore = join(dataDir, 'keystore.json');
  if (shares && wallet !== null) writeFileSync(keystore, wallet, { mode: 0o600 });
  const service = await compose(config, {
    ...{ logger: silentLogger, schedule: false, writersMax: WRITERS_MAX },
    ...options.overrides,
  });
  const { port } = await service.start().catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  if (shares && existsSync(keystore)) wallet ??= readFileSync(keystore, 'utf8');
  const url = `http://127.0.0.1:${port}`;

  return {
    service,
    url,
    databaseUrl,
    async call(key, method, path, body, headers = {}) {
      const response = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(key === null ? {} : { 'x-api-key': key }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
    },
    async merchant(change = {}) {
      const { merchant, sandboxKey, liveKey } = await createMerchant(service.dependencies)({
        name: 'Test merchant',
        callbackUrl: null,
        allowedSubnets: ['127.0.0.1/32'],
        commissionPpm: null,
        live: true,
        ...change,
      });
      return { id: merchant.id, live: liveKey ?? '', sandbox: sandboxKey };
    },
    async run(job, stopping) {
      const found = service.jobs.find(({ name }) => name === job);
      if (found === undefined) throw new Error(`there is no job ${job}`);
      await found.run(stopping);
    },
    async settle(rounds = 2) {
      for (let round = 0; round < rounds; round += 1) {
        for (const { name, run } of service.jobs)
          if (
            !LEISURELY.test(name) &&
            !(round > 0 && name === ONCE) &&
            (chains === null || isOf(name, chains))
          )
            await run();
      }
    },
    async stop() {
      await service.stop();
      await database?.drop();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
