/**
 * Frozen addresses take no more payments: their owner changed on the chain (safety.md T5), or their
 * wallet was replaced.
 */
import type { Family } from '../../domain/catalog/family.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Whether one of the gateway's addresses is frozen on any of these chains of its family. */
export async function isFrozen(
  { liveDerivers }: Pick<AppDependencies, 'liveDerivers'>,
  { frozen }: Pick<Repositories, 'frozen'>,
  { family, chains }: { readonly family: Family; readonly chains: readonly string[] },
  display: string,
): Promise<boolean> {
  const address = liveDerivers.get(family)?.normalize(display) ?? null;
  return address !== null && frozen.isFrozen({ chains, address });
}
