/** /api/v2/assets and /api/v2/rates. */
import { Type } from '@sinclair/typebox';
import { type Asset, leastInvoiceMicroUsd } from '../../../domain/catalog/asset.ts';
import { FIAT_CURRENCIES } from '../../../domain/catalog/fiat.ts';
import { ratesUnavailable } from '../../../domain/errors.ts';
import { formatUnits, roundToDisplay } from '../../../domain/money/decimal.ts';
import { type ExactNumber, exactNumber } from '../../../domain/money/exact-number.ts';
import { priceE18, type Rates, unitsForFiat } from '../../../domain/rates/rate.ts';
import { err, ok } from '../../../domain/result.ts';
import { answer } from '../kit/answer.ts';
import { assetNames, choiceOr } from '../kit/input/query.ts';
import { boolean, number, oneOf, string, view } from '../kit/input/views.ts';
import { route } from '../kit/route.ts';

const tag = 'Catalog';
const RATE_DECIMALS = 18;

const AssetSchema = view('Asset', {
  asset: string('Key'),
  chain: string(),
  enabled: boolean('Usable with this key'),
  min_amount: number(
    'Minimum amount of an invoice with this key, in the asset, at the current rate; 0 while no rate is known',
  ),
  network_family: string(),
  symbol: string(),
  type: oneOf(['native', 'token']),
});

/**
 * The USD minimum of the asset and environment, in units of the asset, rounded up to its display
 * precision (decision 0006).
 */
function minAmount(asset: Asset, sandbox: boolean, rates: Rates): ExactNumber {
  const price = priceE18(rates, asset, 'USD');
  if (price === null || price <= 0n) return exactNumber(0n, 0);
  const units = unitsForFiat(leastInvoiceMicroUsd(asset, sandbox), price, asset, 'ceil');
  return exactNumber(roundToDisplay(units, asset, 'ceil'), asset.decimals);
}

const assets = route({
  operationId: 'listAssets',
  method: 'GET',
  path: '/api/v2/assets',
  tag,
  summary: 'List the assets',
  description:
    'Lists the whole catalog. New invoices of this key can be paid in the assets with `enabled: true`. An asset is disabled while payments on its chain are detected late.',
  success: {
    status: 200,
    description: 'The catalog',
    result: Type.Array(AssetSchema),
    examples: {
      'One asset': [
        {
          asset: 'usdt_tron',
          chain: 'tron',
          enabled: true,
          min_amount: 2,
          network_family: 'tron',
          symbol: 'USDT',
          type: 'token',
        },
      ],
    },
  },
  async handle({ caller }, { application }) {
    const { sandbox } = caller.scope;
    const rates = application.rates.usable({ sandbox }) ?? application.rates.latest().rates;
    return ok(
      answer(
        application.catalog.all.map((asset) => ({
          asset: asset.key,
          chain: asset.chain,
          enabled: application.isOffered(asset, sandbox),
          min_amount: minAmount(asset, sandbox, rates),
          network_family: asset.family,
          symbol: asset.symbol,
          type: asset.type,
        })),
      ),
    );
  },
});

const rates = route({
  operationId: 'getRates',
  method: 'GET',
  path: '/api/v2/rates',
  tag,
  summary: 'Read the exchange rates',
  description: 'Returns the price of one whole coin of each asset. Invoices are priced with the same rates.',
  query: {
    base: choiceOr('Fiat currency of the rates.', FIAT_CURRENCIES, 'USD'),
    assets: assetNames('Only these assets: keys separated by commas.'),
  },
  rejects: ['RATES_UNAVAILABLE'],
  success: {
    status: 200,
    description: 'Rates as decimal strings, by asset key',
    result: view('Rates', {
      base: oneOf(FIAT_CURRENCIES),
      rates: Type.Unsafe({
        type: 'object',
        additionalProperties: { type: 'string', pattern: '^\\d+(\\.\\d+)?$' },
      }),
    }),
    examples: { 'In USD': { base: 'USD', rates: { btc_bitcoin: '97123.45', usdt_tron: '1.0002' } } },
  },
  async handle({ caller, query }, { application }) {
    const current = application.rates.usable({ sandbox: caller.scope.sandbox });
    const keys = query.assets ?? application.catalog.all.map((asset) => asset.key);
    const entries = keys.flatMap((key) => {
      const price = current === null ? null : priceE18(current, application.catalog.require(key), query.base);
      return price === null || price <= 0n ? [] : [[key, formatUnits(price, RATE_DECIMALS)] as const];
    });
    if (current === null || (entries.length === 0 && query.assets === null)) {
      return err(ratesUnavailable());
    }
    return ok(answer({ base: query.base, rates: Object.fromEntries(entries) }));
  },
});

export const CATALOG_ROUTES = [assets, rates];
