/** Tables of the docs that are generated from the catalog of chains and assets. */
import { BUILT_IN_ASSETS } from '../../src/domain/catalog/asset.ts';
import { CHAINS, chainNamed } from '../../src/domain/catalog/chain.ts';
import { collectingCost, usualCostMicroUsd } from '../../src/domain/catalog/collecting-cost.ts';
import { FAMILY_ROWS, type Family } from '../../src/domain/catalog/family.ts';
import { UNLISTED_TOKENS } from '../../src/domain/catalog/unlisted-tokens.ts';
import { formatUnits } from '../../src/domain/money/decimal.ts';
import { head, row } from './markdown.ts';

const counted = (blocks: number): string => (blocks === 1 ? '1 block' : `${blocks} blocks`);

export function finalityTable(): readonly string[] {
  return [
    ...head(['chain', 'final when', 'without a `finalized` tag']),
    ...CHAINS.map(({ name, family, confirmations, evm }) =>
      row([name, finalWhen(family, confirmations), evm === null ? '' : counted(confirmations)]),
    ),
  ];
}

const finalWhen = (family: Family, blocks: number): string =>
  FAMILY_ROWS[family].finalWhen.replace('{blocks}', counted(blocks));

/** The cost of collecting each asset, and the least invoice of a live key. */
export function collectingTable(): readonly string[] {
  const usd = (micros: bigint): string => formatUnits((micros + 9_999n) / 10_000n, 2);
  return [
    ...head(['asset', 'collecting costs', 'because', 'in USD', 'least live invoice, USD']),
    ...BUILT_IN_ASSETS.map((asset) => {
      const { amount, how } = collectingCost(asset);
      const { coin } = chainNamed(asset.chain);
      const cost = usd(usualCostMicroUsd(asset));
      return row([`\`${asset.key}\``, `${amount} ${coin}`, how, cost, usd(asset.minAmountMicroUsd.live)]);
    }),
  ];
}

/** Known tokens that are not listed, with the values for a row of the configuration. */
export function unlistedTable(): readonly string[] {
  return [
    ...head(['key', 'symbol', 'decimals', 'contract']),
    ...UNLISTED_TOKENS.map(({ ticker, chain, symbol, decimals, contract }) =>
      row([`\`${ticker}_${chain}\``, symbol, String(decimals), `\`${contract}\``]),
    ),
  ];
}
