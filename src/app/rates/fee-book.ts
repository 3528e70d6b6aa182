/**
 * Sending costs, asked of the nodes in the background and quoted from memory when a payout is
 * accepted. A flat figure (network-fee.ts) serves where no node is asked: the sandbox, and a chain
 * that is not configured. Only a recipient's extra cost is asked for on demand (safety.md G1).
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import { flatNetworkFee } from '../../domain/rates/network-fee.ts';
import { fiatForUnits, priceE18, type Rates, unitsForFiat } from '../../domain/rates/rate.ts';
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import type { AskedPayment, FeeQuote, FeeQuoter, RecipientQuote } from '../../ports/rates/fee-quoter.ts';
import type { ChainSender, SendingPrice } from '../../ports/sending/chain-sender.ts';
import type { RecipientPrice } from '../../ports/sending/recipient-pricing.ts';
import type { AppDependencies } from '../dependencies.ts';
import { recipientPrices } from './recipient-prices.ts';

/** An older network price is not used for quotes. */
const FRESH_MS = 600_000;
/**
 * A token's price is asked for again at this age, or when the price of the chain's own coin has
 * moved by a tenth: many tokens must not cost many calls.
 */
const TOKEN_MS = 120_000;
export interface FeeBook extends FeeQuoter {
  /** Asks the nodes of all chains for their present prices. */
  refresh(): Promise<void>;
}

interface KnownPrice {
  readonly price: SendingPrice;
  readonly nativeAsset: string;
  /** The cost of sending the chain's own coin at that time; 0 if unknown. */
  readonly ownUnits: bigint;
  readonly at: number;
}

export interface FeeBookOptions {
  readonly senders: readonly ChainSender[];
  /** The wallet that pays on a chain; null if there is none. */
  readonly hotWalletOf: (chain: string) => string | null;
  /** The most that a payment may cost, as a multiple of an ordinary payment's cost. */
  readonly maxFeeFactor: bigint;
}

export function feeBook(
  deps: Pick<AppDependencies, 'clock' | 'logger' | 'catalog' | 'unscannedAssets'>,
  { senders, hotWalletOf, maxFeeFactor }: FeeBookOptions,
): FeeBook {
  const prices = new Map<string, KnownPrice>();
  const recipients = recipientPrices(deps.clock, { senders, hotWalletOf });
  const now = (): number => deps.clock.now().getTime();

  async function refreshChain(sender: ChainSender): Promise<void> {
    const { chain, nativeAsset } = sender;
    const from = hotWalletOf(chain);
    const usable = deps.catalog.all.filter(
      (asset) => asset.chain === chain && asset.enabled && !deps.unscannedAssets.has(asset.key),
    );
    const [own, tokens] = [usable.filter(isNative), usable.filter((asset) => !isNative(asset))];
    for (const { key } of [...own, ...tokens]) {
      const ownUnits = prices.get(nativeAsset)?.price.expectedUnits ?? 0n;
      const known = prices.get(key);
      if (key !== nativeAsset && known !== undefined && isAsGood(known, ownUnits)) continue;
      try {
        const price = await sender.price({ asset: key, to: null, ...(from === null ? {} : { from }) });
        prices.set(key, { price, nativeAsset, ownUnits, at: now() });
      } catch (error) {
        if (!(error instanceof ChainUnavailable)) throw error;
        deps.logger.warn('chain.fees_unknown', { chain, reason: error.message });
        return;
      }
    }
  }

  function isAsGood({ at, ownUnits: then }: KnownPrice, ownUnits: bigint): boolean {
    const moved = ownUnits > then ? ownUnits - then : then - ownUnits;
    return Math.abs(now() - at) < TOKEN_MS && moved * 10n < then;
  }

  function freshPrice(asset: Asset) {
    const known = prices.get(asset.key);
    return known !== undefined && Math.abs(now() - known.at) <= FRESH_MS ? known : null;
  }

  function quoteAsked(asset: Asset, rates: Rates, more?: RecipientPrice): FeeQuote | null {
    const known = freshPrice(asset);
    return known && quoteOf(asset, deps.catalog.require(known.nativeAsset), known.price, { rates, more });
  }

  function quote(asset: Asset, rates: Rates, { sandbox }: { sandbox: boolean }): FeeQuote | null {
    if (!sandbox && freshPrice(asset) !== null) return quoteAsked(asset, rates);
    const flat = flatNetworkFee(asset, rates);
    return flat && { ...flat, extraGas: 0n };
  }

  function recipientQuote({ asset }: AskedPayment, price: RecipientPrice, rates: Rates): RecipientQuote {
    const quoted = quoteAsked(asset, rates, price);
    if (quoted === null) return { kind: 'unpriced' };
    const { extraGas, extraUnits, ordinaryUnits } = price;
    const mostUnits = (maxFeeFactor - 1n) * ordinaryUnits;
    if (extraGas !== null && extraUnits <= mostUnits) return { kind: 'quoted', quote: quoted };
    const most = quoteAsked(asset, rates, { ...price, extraUnits: mostUnits });
    return {
      kind: 'too_dear',
      feeMicroUsd: extraGas === null ? null : quoted.feeMicroUsd,
      mostMicroUsd: most?.feeMicroUsd ?? 0n,
    };
  }

  return {
    refresh: async () => void (await Promise.all(senders.map(refreshChain))),
    quote,
    quoteAsked: (asset, rates) => quoteAsked(asset, rates),

    async quoteEach(payments, rates, scope) {
      const nothing = new Map<AskedPayment, RecipientPrice>();
      const more = scope.sandbox
        ? nothing
        : await recipients.told(
            payments.filter(({ asset }) => freshPrice(asset) !== null),
            scope.merchantId,
          );
      return payments.map((payment) => {
        const price = more.get(payment);
        if (price !== undefined) return recipientQuote(payment, price, rates);
        const ordinary = quote(payment.asset, rates, scope);
        return ordinary === null ? { kind: 'unpriced' } : { kind: 'quoted', quote: ordinary };
      });
    },
  };
}

const isNative = ({ type }: Asset): boolean => type === 'native';

/**
 * The network fee in micro-USD and in units of the sent asset, both rounded up. Null without both
 * prices.
 */
function quoteOf(
  asset: Asset,
  native: Asset,
  { expectedUnits, energyUnits, extraGas }: SendingPrice,
  { rates, more }: { rates: Rates; more: RecipientPrice | undefined },
): FeeQuote | null {
  const nativePrice = priceE18(rates, native, 'USD');
  const price = priceE18(rates, asset, 'USD');
  if (nativePrice === null || price === null || price <= 0n) return null;
  const nativeUnits = expectedUnits + (more?.extraUnits ?? 0n);
  const inMicroUsd = (units: bigint): bigint => fiatForUnits(units, nativePrice, native, 'ceil');
  const feeMicroUsd = inMicroUsd(nativeUnits);
  return {
    feeMicroUsd,
    feeUnits: asset.key === native.key ? nativeUnits : unitsForFiat(feeMicroUsd, price, asset, 'ceil'),
    energyFeeMicroUsd: energyUnits === undefined ? null : inMicroUsd(energyUnits),
    extraGas: more?.extraGas ?? extraGas ?? 0n,
  };
}
