/** Addresses whose owner changed on the chain (safety.md T5), asked by how they are shown. */
import type { Asset } from '../domain/asset.ts';
import { hasOwners } from '../domain/chain.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { AppDependencies } from './dependencies.ts';

/** Whether the owner of a live address of ours changed on this chain. */
export async function isFrozen(
  { liveDerivers }: Pick<AppDependencies, 'liveDerivers'>,
  { frozen }: Pick<Repositories, 'frozen'>,
  { family, chain }: Pick<Asset, 'family' | 'chain'>,
  display: string,
): Promise<boolean> {
  if (!hasOwners(family)) return false;
  const address = liveDerivers.get(family)?.normalize(display) ?? null;
  return address !== null && frozen.isFrozen({ chain, address });
}
