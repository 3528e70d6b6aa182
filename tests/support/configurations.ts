/**
 * Loads configurations in tests: of an environment, with a CONFIG_FILE that is given as a value or
 * as text.
 */
import { loadConfig } from '../../src/config/config.ts';
import type { Config } from '../../src/config/types.ts';

const catalog = {
  chains: ['bitcoin', 'ethereum', 'tron', 'solana', 'xrp', 'ton'],
  assetKeys: ['btc_bitcoin', 'eth_ethereum', 'usdt_tron'],
  fiats: ['USD', 'EUR', 'GBP'],
};
export const KEY = '0123456789abcdef'.repeat(4);
export const NO_PAYOUT_SETTINGS = {
  maxUsd: null,
  maxUsdPerDay: null,
  max: {},
  floor: {},
  sweepCostPercent: '2',
  maxFeeFactor: 5,
};

function load(env: Record<string, string | undefined>, file?: unknown) {
  const read = (path: string): string => {
    if (path !== 'quittance.json') throw new Error(`ENOENT: no such file, open '${path}'`);
    return typeof file === 'string' ? file : JSON.stringify(file);
  };
  return loadConfig(file === undefined ? env : { CONFIG_FILE: 'quittance.json', ...env }, { read }, catalog);
}

export function loaded(env: Record<string, string | undefined>, file?: unknown): Config {
  const result = load(env, file);
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.config;
}

export function faults(env: Record<string, string | undefined>, file?: unknown): Record<string, string> {
  const result = load(env, file);
  if (result.ok) throw new Error('the configuration was accepted');
  return Object.fromEntries(result.faults.map(({ path, message }) => [path, message]));
}
