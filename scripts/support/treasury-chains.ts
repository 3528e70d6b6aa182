/** The chains and assets that a command of `bun run treasury` names. */
import type { TreasuryChain } from '../../src/app/sweeps/sweep-needs.ts';
import { treasuryChains } from '../../src/compose/treasury.ts';
import type { Asset, AssetCatalog } from '../../src/domain/catalog/asset.ts';
import { Refused, UsageError } from './failures.ts';
import type { CommandContext } from './program.ts';

export function known(catalog: AssetCatalog, key: string): Asset {
  const asset = catalog.get(key);
  if (!asset) throw new UsageError(`--asset ${key}: the catalog has no such asset`);
  return asset;
}

/** Null: all that have a sender here. */
export function chosen({ service }: CommandContext, chain: string): readonly [TreasuryChain];
export function chosen({ service }: CommandContext, chain: string | null): readonly TreasuryChain[];
export function chosen({ service }: CommandContext, chain: string | null): readonly TreasuryChain[] {
  const chains = treasuryChains(service.chains, service.dependencies);
  if (chain === null) return [...chains.values()];
  const on = chains.get(chain);
  if (on) return [on];
  const names = [...chains.keys()].join(', ') || 'none';
  throw new Refused({
    code: 'NOT_FOUND',
    message: `${chain} is not configured here (chains in CONFIG_FILE: ${names})`,
  });
}
