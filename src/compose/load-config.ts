/**
 * The configuration of a process. It prints all faults to standard error and ends the process with
 * status 1.
 */
import { loadConfig } from '../config/config.ts';
import type { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/types.ts';
import { BUILT_IN_ASSETS } from '../domain/catalog/asset.ts';
import { CHAINS } from '../domain/catalog/chain.ts';
import { FIAT_CURRENCIES } from '../domain/catalog/fiat.ts';
import { catalogFaults } from './catalog.ts';

/** Checked against the built-in catalog. */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  files: { read(path: string): string },
): ReturnType<typeof loadConfig> {
  const read = loadConfig(env, files, {
    chains: CHAINS.map((chain) => chain.name),
    assetKeys: BUILT_IN_ASSETS.map((asset) => asset.key),
    fiats: FIAT_CURRENCIES,
  });
  const faults = read.ok ? catalogFaults(read.config) : [];
  return faults.length > 0 ? { ok: false, faults } : read;
}

export function loadConfigOrExit(
  env: Readonly<Record<string, string | undefined>>,
  files: { read(path: string): string },
): Config {
  const result = readConfig(env, files);
  if (result.ok) return result.config;
  return exitWithFaults(result.faults);
}

export function exitWithFaults(faults: readonly ConfigError[]): never {
  console.error(configFaults(faults));
  process.exit(1);
}

/** One line each. */
export function configFaults(faults: readonly ConfigError[]): string {
  return [
    'The configuration has faults:',
    ...faults.map(({ path, message }) => `  ${path}: ${message}`),
  ].join('\n');
}
