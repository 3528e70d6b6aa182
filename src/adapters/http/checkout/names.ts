/** Names of coins and networks as wallets and exchanges write them; they are the same in every language. */
import type { Asset } from '../../../domain/asset.ts';
import { tickersOf } from '../../../domain/renamed-coins.ts';

const COINS: Readonly<Record<string, string>> = {
  BTC: 'Bitcoin',
  LTC: 'Litecoin',
  BCH: 'Bitcoin Cash',
  ETH: 'Ether',
  USDT: 'Tether',
  USDC: 'USD Coin',
  EURC: 'Euro Coin',
  DAI: 'Dai',
  PYUSD: 'PayPal USD',
  BNB: 'BNB',
  POL: 'Polygon',
  AVAX: 'Avalanche',
  TRX: 'Tron',
  SOL: 'Solana',
  XRP: 'XRP',
  TON: 'Toncoin',
  XMR: 'Monero',
};

const NETWORKS: Readonly<Record<string, string>> = {
  bitcoincash: 'Bitcoin Cash',
  bsc: 'BNB Smart Chain',
  ton: 'TON',
  xrp: 'XRP Ledger',
  avalanche: 'Avalanche C-Chain',
};

/** What exchanges call a token's network when they ask for it. */
const STANDARDS: Readonly<Record<string, string>> = {
  ethereum: 'ERC-20',
  bsc: 'BEP-20',
  tron: 'TRC-20',
  solana: 'SPL',
};

export function coinName({ symbol, name }: Pick<Asset, 'symbol' | 'name'>): string {
  return name ?? COINS[symbol] ?? symbol;
}

export function networkName({ chain }: Pick<Asset, 'chain'>): string {
  return NETWORKS[chain] ?? chain.charAt(0).toUpperCase() + chain.slice(1);
}

/** Null for a network's own coin, and where nobody uses such a name. */
export function tokenStandard({ chain, type }: Pick<Asset, 'chain' | 'type'>): string | null {
  return type === 'token' ? (STANDARDS[chain] ?? null) : null;
}

/** What the search of the page looks through, in lower case. */
export function searchText(asset: Asset): string {
  const standard = tokenStandard(asset) ?? '';
  return [
    ...[...tickersOf(asset.symbol), coinName(asset), networkName(asset), asset.chain],
    ...[standard, standard.replace('-', '')],
  ]
    .filter((word) => word !== '')
    .join(' ')
    .toLowerCase();
}
