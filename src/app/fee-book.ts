/**
 * What sending costs, asked of the nodes in the background and quoted from memory when a payout is accepted. Where no node
 * is asked (the sandbox, a chain that is not configured) a flat figure serves (network-fee.ts).
 */
import type { Asset } from '../domain/asset.ts';
import { flatNetworkFee } from '../domain/network-fee.ts';
import { fiatForUnits, priceE18, type Rates, unitsForFiat } from '../domain/rate.ts';
import { ChainUnavailable } from '../ports/chain-scanner.ts';
import type { ChainSender, SendingPrice } from '../ports/chain-sender.ts';
import type { FeeQuote, FeeQuoter } from '../ports/fee-quoter.ts';
import type { AppDependencies } from './dependencies.ts';

/** A price of the network older than this is not quoted from. */
const FRESH_MS = 600_000;

export interface FeeBook extends FeeQuoter {
  /** Asks the nodes of all chains for their present prices. */
  refresh(): Promise<void>;
}

export function feeBook(
  deps: Pick<AppDependencies, 'clock' | 'logger' | 'catalog'>,
  senders: readonly ChainSender[],
): FeeBook {
  const prices = new Map<string, { price: SendingPrice; nativeAsset: string; at: number }>();

  async function refreshChain(sender: ChainSender): Promise<void> {
    for (const asset of deps.catalog.all.filter(({ chain, enabled }) => chain === sender.chain && enabled)) {
      try {
        const price = await sender.price({ asset: asset.key, to: null });
        const { nativeAsset } = sender;
        prices.set(asset.key, { price, nativeAsset, at: deps.clock.now().getTime() });
      } catch (error) {
        if (!(error instanceof ChainUnavailable)) throw error;
        deps.logger.warn('chain.fees_unknown', {
          chain: sender.chain,
          reason: error.message,
        });
        return;
      }
    }
  }

  function quoteAsked(asset: Asset, rates: Rates): FeeQuote | null {
    const known = freshPrice(asset);
    return known && quoteOf(asset, deps.catalog.require(known.nativeAsset), known.price, rates);
  }

  function freshPrice(asset: Asset) {
    const known = prices.get(asset.key);
    return known !== undefined && deps.clock.now().getTime() - known.at <= FRESH_MS ? known : null;
  }

  return {
    refresh: async () => void (await Promise.all(senders.map(refreshChain))),

    quote(asset, rates, { sandbox }) {
      return sandbox || freshPrice(asset) === null ? flatNetworkFee(asset, rates) : quoteAsked(asset, rates);
    },
    quoteAsked,
  };
}

/** The native fee in micro-USD and in units of the asset that is sent, both rounded up. Null without both prices. */
function quoteOf(
  asset: Asset,
  native: Asset,
  { expectedUnits: nativeUnits, energyUnits }: SendingPrice,
  rates: Rates,
): FeeQuote | null {
  const nativePrice = priceE18(rates, native, 'USD');
  const price = priceE18(rates, asset, 'USD');
  if (nativePrice === null || price === null || price <= 0n) return null;
  const inMicroUsd = (units: bigint): bigint => fiatForUnits(units, nativePrice, native, 'ceil');
  const feeMicroUsd = inMicroUsd(nativeUnits);
  return {
    feeMicroUsd,
    feeUnits: asset.key === native.key ? nativeUnits : unitsForFiat(feeMicroUsd, price, asset, 'ceil'),
    energyFeeMicroUsd: energyUnits === undefined ? null : inMicroUsd(energyUnits),
  };
}
