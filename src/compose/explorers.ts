/** Where the checkout links to for a transaction. The pages are only linked; nothing of ours asks them. */
import { isWebLink } from '../adapters/http/fields.ts';
import type { Config } from '../config.ts';
import { CHAINS, type Chain } from '../domain/chain.ts';

/** Of the main networks. */
const WELL_KNOWN: Readonly<Record<string, string>> = {
  bitcoin: 'https://mempool.space/tx/{txid}',
  litecoin: 'https://litecoinspace.org/tx/{txid}',
  bitcoincash: 'https://blockchair.com/bitcoin-cash/transaction/{txid}',
  ethereum: 'https://etherscan.io/tx/{txid}',
  bsc: 'https://bscscan.com/tx/{txid}',
  polygon: 'https://polygonscan.com/tx/{txid}',
  arbitrum: 'https://arbiscan.io/tx/{txid}',
  base: 'https://basescan.org/tx/{txid}',
  optimism: 'https://optimistic.etherscan.io/tx/{txid}',
  avalanche: 'https://snowtrace.io/tx/{txid}',
  tron: 'https://tronscan.org/#/transaction/{txid}',
  solana: 'https://explorer.solana.com/tx/{txid}',
  xrp: 'https://livenet.xrpl.org/transactions/{txid}',
  ton: 'https://tonviewer.com/transaction/{txid}',
  monero: 'https://xmrchain.net/tx/{txid}',
};

export type Explorers = (chain: string, txid: string) => string | null;

/** What is configured, otherwise the well-known one of a chain's main network; null where there is none. */
export function explorers(config: Pick<Config, 'chains' | 'checkout' | 'fakeChains'>): Explorers {
  const templates = new Map(
    CHAINS.map((chain) => {
      const given = config.checkout.explorers[chain.name];
      const usual = isMain(chain, config) ? (WELL_KNOWN[chain.name] ?? null) : null;
      return [chain.name, given === undefined ? usual : given] as const;
    }),
  );
  return (chain, txid) => {
    const link = templates.get(chain)?.replace('{txid}', () => encodeURIComponent(txid)) ?? null;
    return link !== null && isWebLink(link) ? link : null;
  };
}

function isMain({ name, chainId }: Chain, config: Pick<Config, 'chains' | 'fakeChains'>): boolean {
  const settings = config.chains[name];
  if (config.fakeChains) return false;
  if (!settings) return true;
  const network = settings.monero?.network ?? settings.network ?? 'main';
  return network === 'main' && (settings.chainId ?? chainId) === chainId;
}
