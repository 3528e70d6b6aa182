/**
 * Tokens that are not offered, but that customers confuse with offered ones: other contracts of the
 * same name. They are read, so that an operator sees what arrives, and never credited. No row is
 * ever removed, because records may name it.
 */

import type { TokenChain } from './chain-rows.ts';
import type { AssetRow } from './tokens.ts';

export interface UnlistedToken extends AssetRow {
  /** Unique among the tickers of its chain. */
  readonly ticker: string;
  readonly chain: TokenChain;
  readonly contract: string;
}

function unlisted(symbol: string, chain: TokenChain, decimals: number, contract: string): UnlistedToken {
  return { ticker: symbol.toLowerCase().replace('.', ''), symbol, chain, decimals, contract };
}

export const UNLISTED_TOKENS: readonly UnlistedToken[] = [
  unlisted('WETH', 'ethereum', 18, '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'),
  unlisted('WBTC', 'ethereum', 8, '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599'),
  unlisted('USDS', 'ethereum', 18, '0xdC035D45d973E3EC169d2276DDab16f1e407384F'),
  unlisted('USDe', 'ethereum', 18, '0x4c9EDD5852cd905f086C759E8383e09bff1E68B3'),
  unlisted('FDUSD', 'ethereum', 18, '0xc5f0f7b66764F6ec8C8Dff7BA683102295E16409'),
  unlisted('WBNB', 'bsc', 18, '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c'),
  unlisted('DAI', 'bsc', 18, '0x1AF3F329e8BE154074D8769D1FFa4eE058B1DBc3'),
  unlisted('BUSD', 'bsc', 18, '0xe9e7CEA3DedcA5984780Bafc599bD69ADd087D56'),
  unlisted('FDUSD', 'bsc', 18, '0xc5f0f7b66764F6ec8C8Dff7BA683102295E16409'),
  unlisted('WPOL', 'polygon', 18, '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270'),
  unlisted('USDC.e', 'polygon', 6, '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174'),
  unlisted('WETH', 'arbitrum', 18, '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1'),
  unlisted('USDC.e', 'arbitrum', 6, '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8'),
  unlisted('USDT', 'base', 6, '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2'),
  unlisted('USDbC', 'base', 6, '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA'),
  unlisted('USDT0', 'optimism', 6, '0x01bFF41798a0BcF287b996046Ca68b395DbC1071'),
  unlisted('USDC.e', 'optimism', 6, '0x7F5c764cBc14f9669B88837ca1490cCa17c31607'),
  unlisted('WAVAX', 'avalanche', 18, '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7'),
  unlisted('USDT.e', 'avalanche', 6, '0xc7198437980c041c805A1EDcbA50c1Ce5db95118'),
  unlisted('USDC.e', 'avalanche', 6, '0xA7D7079b0FEaD91F3e65f86E8915Cb59c1a4C664'),
  unlisted('DAI.e', 'avalanche', 18, '0xd586E7F844cEa2F87f50152665BCbc2C279D8d70'),
];
