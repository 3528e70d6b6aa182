/** Configuration for a process: the faults go to standard error, all of them, and the process ends with status 1. */
import { type Config, type ConfigFault, loadConfig } from '../config.ts';
import { BUILT_IN_ASSETS } from '../domain/asset.ts';
import { CHAINS } from '../domain/chain.ts';
import { FIAT_CURRENCIES } from '../domain/fiat.ts';

export function loadConfigOrExit(
  env: Readonly<Record<string, string | undefined>>,
  files: { read(path: string): string },
): Config {
  const result = loadConfig(env, files, {
    chains: CHAINS.map((chain) => chain.name),
    assetKeys: BUILT_IN_ASSETS.map((asset) => asset.key),
    fiats: FIAT_CURRENCIES,
  });
  if (result.ok) return result.config;
  return exitWithFaults(result.faults);
}

export function exitWithFaults(faults: readonly ConfigFault[]): never {
  console.error('The configuration has faults:');
  for (const fault of faults) console.error(`  ${fault.path}: ${fault.message}`);
  process.exit(1);
}
