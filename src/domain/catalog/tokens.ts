/**
 * The built-in assets: the coin of each chain, and the tokens of this table. A token's contract
 * comes from public lists, and its decimals are compared with the contract before it is used
 * (safety.md E9). The same address on another chain is another contract or none.
 */
import { CHAINS } from './chain.ts';
import type { ChainName, CoinOf, TokenChain } from './chain-rows.ts';
import type { CoinSymbol } from './coins.ts';

/** An asset's identity; its key is `<ticker>_<chain>`. */
export interface AssetRow {
  readonly symbol: string;
  readonly chain: ChainName;
  readonly decimals: number;
  /** Null for a chain's own coin. */
  readonly contract: string | null;
}

interface TokenFacts {
  readonly decimals: number;
  readonly contract: string;
}
type TokensOfChain = Readonly<Partial<Record<CoinSymbol, TokenFacts>>>;

const TOKENS = {
  ethereum: {
    USDT: { decimals: 6, contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7' },
    USDC: { decimals: 6, contract: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' },
    EURC: { decimals: 6, contract: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c' },
    DAI: { decimals: 18, contract: '0x6B175474E89094C44Da98b954EedeAC495271d0F' },
    PYUSD: { decimals: 6, contract: '0x6c3ea9036406852006290770BEdFcAbA0e23A0e8' },
  },
  bsc: {
    USDT: { decimals: 18, contract: '0x55d398326f99059fF775485246999027B3197955' },
    USDC: { decimals: 18, contract: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d' },
  },
  polygon: {
    USDT: { decimals: 6, contract: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F' },
    USDC: { decimals: 6, contract: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359' },
    DAI: { decimals: 18, contract: '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063' },
  },
  arbitrum: {
    USDT: { decimals: 6, contract: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9' },
    USDC: { decimals: 6, contract: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831' },
    DAI: { decimals: 18, contract: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1' },
  },
  base: {
    USDC: { decimals: 6, contract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
    EURC: { decimals: 6, contract: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42' },
    DAI: { decimals: 18, contract: '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb' },
  },
  optimism: {
    USDT: { decimals: 6, contract: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58' },
    USDC: { decimals: 6, contract: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85' },
    DAI: { decimals: 18, contract: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1' },
  },
  avalanche: {
    USDT: { decimals: 6, contract: '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7' },
    USDC: { decimals: 6, contract: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E' },
  },
  tron: {
    USDT: { decimals: 6, contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
  },
  solana: {
    USDC: { decimals: 6, contract: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
    USDT: { decimals: 6, contract: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB' },
    EURC: { decimals: 6, contract: 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr' },
  },
  ton: {
    USDT: { decimals: 6, contract: 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs' },
  },
} as const satisfies Readonly<Partial<Record<TokenChain, TokensOfChain>>>;

/** Keys of the built-in assets. */
export type AssetKey = NativeKey | TokenKey;
type NativeKey = { [C in ChainName]: Key<CoinOf<C>, C> }[ChainName];
type TokenKey = {
  [C in keyof typeof TOKENS]: Key<Extract<keyof (typeof TOKENS)[C], string>, C>;
}[keyof typeof TOKENS];
type Key<Symbol extends string, C extends string> = `${Lowercase<Symbol>}_${C}`;

const BY_CHAIN: Readonly<Partial<Record<ChainName, TokensOfChain>>> = TOKENS;

export const BUILT_IN_ROWS: readonly AssetRow[] = CHAINS.flatMap((chain) => {
  const { name, coin, decimals, coinBehindTokens } = chain;
  const own = { symbol: coin, chain: name, decimals, contract: null };
  const tokens = Object.entries(BY_CHAIN[name] ?? {}).map(([symbol, token]) => ({
    symbol,
    chain: name,
    ...token,
  }));
  return coinBehindTokens ? [...tokens, own] : [own, ...tokens];
});
