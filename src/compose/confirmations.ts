/** How many confirmations the checkout waits for with the customer. */
import type { Config } from '../config.ts';
import { chainNamed } from '../domain/chain.ts';

/** Blocks that make a payment final, its own included; null where the node's own word is awaited. */
export function confirmationsNeeded(config: Pick<Config, 'chains'>): (chain: string) => number | null {
  return (name) => {
    const chain = chainNamed(name);
    return config.chains[name]?.confirmations ?? (chain.finalityTag ? null : chain.confirmations);
  };
}
