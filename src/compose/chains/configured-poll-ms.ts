/** The pause of a chain's watcher between polls. */
import { hasPlan } from '../../adapters/chains/shared/nodes/node-endpoint.ts';
import type { ChainConfig } from '../../config/types.ts';
import type { Chain } from '../../domain/catalog/chain.ts';
import { isUtxo } from '../../domain/catalog/family.ts';

/** Electrum servers announce changes: a poll asks them nothing. */
const ELECTRUM_POLL_MS = 4_000;
/**
 * For nodes with a plan that only report blocks, which come every few minutes. The pause must stay
 * below a minute, which distinguishes a restart (app/sending/restart/start-gate.ts).
 */
const BLOCKS_OF_PLAN_POLL_MS = 40_000;

export function pollMsOf(
  chain: Chain,
  { rpc, electrum, pollMs }: Pick<ChainConfig, 'electrum' | 'pollMs'> & { readonly rpc: readonly Planned[] },
): number {
  if (pollMs !== null) return pollMs;
  if (electrum.length > 0) return ELECTRUM_POLL_MS;
  const onPlans = isUtxo(chain.family) && rpc.length > 0 && rpc.every(hasPlan);
  return onPlans ? BLOCKS_OF_PLAN_POLL_MS : chain.pollMs;
}

type Planned = Parameters<typeof hasPlan>[0];
