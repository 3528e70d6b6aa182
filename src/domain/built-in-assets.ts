/**
 * The assets that need no configuration. A token's contract stands in public lists, and its decimals are held against the contract
 * before it is used (safety.md E9). The same address on another chain is another contract or none.
 */
import type { ChainOfCosts, TokenChain } from './collecting-cost.ts';

/** What tells an asset apart; its key is `<ticker>_<chain>`. */
export interface AssetRow {
  readonly symbol: string;
  readonly chain: ChainOfCosts;
  readonly decimals: number;
  /** Null for a chain's own coin. */
  readonly contract: string | null;
}

function native(symbol: string, chain: ChainOfCosts, decimals: number): AssetRow {
  return { symbol, chain, decimals, contract: null };
}

function token(symbol: string, chain: TokenChain, decimals: number, contract: string): AssetRow {
  return { symbol, chain, decimals, contract };
}

export const BUILT_IN_ROWS: readonly AssetRow[] = [
  native('BTC', 'bitcoin', 8),
  native('LTC', 'litecoin', 8),
  native('BCH', 'bitcoincash', 8),
  native('ETH', 'ethereum', 18),
  token('USDT', 'ethereum', 6, '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
  token('USDC', 'ethereum', 6, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
  token('EURC', 'ethereum', 6, '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c'),
  token('DAI', 'ethereum', 18, '0x6B175474E89094C44Da98b954EedeAC495271d0F'),
  token('PYUSD', 'ethereum', 6, '0x6c3ea9036406852006290770BEdFcAbA0e23A0e8'),
  native('BNB', 'bsc', 18),
  token('USDT', 'bsc', 18, '0x55d398326f99059fF775485246999027B3197955'),
  token('USDC', 'bsc', 18, '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d'),
  native('POL', 'polygon', 18),
  token('USDT', 'polygon', 6, '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
  token('USDC', 'polygon', 6, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
  token('DAI', 'polygon', 18, '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063'),
  native('ETH', 'arbitrum', 18),
  token('USDT', 'arbitrum', 6, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'),
  token('USDC', 'arbitrum', 6, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
  token('DAI', 'arbitrum', 18, '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1'),
  native('ETH', 'base', 18),
  token('USDC', 'base', 6, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
  token('EURC', 'base', 6, '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42'),
  token('DAI', 'base', 18, '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb'),
  native('ETH', 'optimism', 18),
  token('USDT', 'optimism', 6, '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58'),
  token('USDC', 'optimism', 6, '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),
  token('DAI', 'optimism', 18, '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1'),
  native('AVAX', 'avalanche', 18),
  token('USDT', 'avalanche', 6, '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'),
  token('USDC', 'avalanche', 6, '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
  native('TRX', 'tron', 6),
  token('USDT', 'tron', 6, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'),
  token('USDC', 'solana', 6, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  token('USDT', 'solana', 6, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
  token('EURC', 'solana', 6, 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr'),
  native('SOL', 'solana', 9),
  native('XRP', 'xrp', 6),
  native('TON', 'ton', 9),
  token('USDT', 'ton', 6, 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'),
  native('XMR', 'monero', 12),
];
