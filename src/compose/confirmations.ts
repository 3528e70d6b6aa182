/** How many confirmations the checkout waits for with the customer. */
import type { Config } from '../config.ts';
import { CHAINS } from '../domain/chain.ts';

/** Blocks that make a payment final, its own included; null where the node's own word is awaited, and for simulated payments. */
export function confirmationsNeeded(config: Pick<Config, 'chains'>): (chain: string) => number | null {
  return (name) => {
    const chain = CHAINS.find((one) => one.name === name);
    const usual = chain === undefined || chain.finalityTag ? null : chain.confirmations;
    return config.chains[name]?.confirmations ?? usual;
  };
}
