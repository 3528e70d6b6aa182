/**
 * Environment and CONFIG_FILE become one frozen Config, or the list of all their faults, so that an
 * operator can correct them together.
 */

import type { ConfigError } from './config-error.ts';
import { readEnvironment } from './environment.ts';
import { readConfigFile } from './file.ts';
import type { Catalog } from './file-schema.ts';
import type { Config } from './types.ts';

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly faults: readonly ConfigError[] };

/** `files.read` throws if a path cannot be read; the names in the file must be in the catalog. */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  files: { read(path: string): string },
  catalog: Catalog,
): ConfigResult {
  const faults: ConfigError[] = [];
  const environment = readEnvironment(env, faults);
  const { configFile, ...settings } = environment;
  const fromFile = readConfigFile(configFile, files, catalog, faults);
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, config: deepFreeze({ ...settings, ...fromFile }) };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
