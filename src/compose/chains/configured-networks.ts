/** The networks of this gateway's chains, as signatures and payments name them. */
import type { ChainConfig, Config } from '../../config/types.ts';
import { chainNamed } from '../../domain/catalog/chain.ts';

/** EIP-155 ids by the chain's name: a test network's if one is configured; null outside EVM. */
export const chainIds =
  ({ chains }: Pick<Config, 'chains'>) =>
  (chain: string): number | null =>
    chains[chain]?.chainId ?? chainNamed(chain).chainId;

/** Outside EVM, whose networks have chain ids. */
export const networkNameOf = (settings: Pick<ChainConfig, 'network' | 'ownWallet'> | undefined): string =>
  settings?.ownWallet?.network ?? settings?.network ?? 'main';

/** Whether the chain is configured for its main network. */
export function isOnMainNetwork({ chains }: Pick<Config, 'chains'>, name: string): boolean {
  const settings = chains[name];
  const registered = chainNamed(name).chainId;
  return (settings?.chainId ?? registered) === registered && networkNameOf(settings) === 'main';
}

/**
 * What wallets in a browser call the networks: an EIP-155 id in hex on EVM, else as configured.
 * Null for fake chains, which no wallet knows.
 */
export const walletNetworks =
  (config: Pick<Config, 'chains' | 'fakeChains'>) =>
  (chain: string): string | null => {
    const settings = config.chains[chain];
    if (config.fakeChains || settings === undefined) return null;
    const chainId = chainIds(config)(chain);
    return chainId === null ? networkNameOf(settings) : `0x${chainId.toString(16)}`;
  };
