/** Network fees quoted to merchants where no node was asked: a flat USD figure per chain, set to cover usual conditions. */
import type { Asset } from './asset.ts';
import { priceE18, type Rates, unitsForFiat } from './rate.ts';

const FLAT_MICRO_USD: Readonly<Record<string, bigint>> = {
  bitcoin: 2_000_000n,
  litecoin: 20_000n,
  bitcoincash: 20_000n,
  ethereum: 2_000_000n,
  bsc: 100_000n,
  polygon: 20_000n,
  arbitrum: 50_000n,
  base: 50_000n,
  optimism: 50_000n,
  avalanche: 50_000n,
  tron: 1_500_000n,
  solana: 20_000n,
  xrp: 10_000n,
  ton: 100_000n,
  monero: 50_000n,
};

/** The fee in micro-USD and in the asset's base units (rounded up). Null without a price. On tron all of it pays for energy. */
export function flatNetworkFee(
  asset: Asset,
  rates: Rates,
): { feeUnits: bigint; feeMicroUsd: bigint; energyFeeMicroUsd: bigint | null } | null {
  const price = priceE18(rates, asset, 'USD');
  if (price === null || price <= 0n) return null;
  const feeMicroUsd = FLAT_MICRO_USD[asset.chain] ?? 0n;
  return {
    feeMicroUsd,
    feeUnits: unitsForFiat(feeMicroUsd, price, asset, 'ceil'),
    energyFeeMicroUsd: asset.chain === 'tron' ? feeMicroUsd : null,
  };
}
