/**
 * Transactions of the hot wallets without this gateway, and the payouts that each may have paid
 * (safety.md K4): an operator who looks at a held payout sees what to compare it with.
 */
import { isRestored } from '../../domain/payouts/held.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { NotedTransaction } from '../../ports/chains/unknown-transactions.ts';
import type { AppDependencies } from '../dependencies.ts';
import { paysFor } from './record-paid.ts';

const LIMIT = 200;

/** On the chains of payouts that are held for it; empty where none is. */
export async function unknownBeside(
  { catalog, operatorQueries }: Pick<AppDependencies, 'catalog' | 'operatorQueries'>,
  payouts: readonly Payout[],
): Promise<readonly NotedTransaction[]> {
  const held = payouts.filter((payout) => payout.held !== null && isRestored(payout.held));
  const chains = new Set(held.map(({ asset }) => catalog.require(asset).chain));
  if (chains.size === 0) return [];
  return operatorQueries.unknownTransactions({ chains: [...chains], limit: LIMIT });
}

/** Transactions that pay exactly what a held payout orders. */
export function perhapsPaidBy(
  deps: Pick<AppDependencies, 'catalog' | 'liveDerivers'>,
  payout: Payout,
  unknown: readonly NotedTransaction[],
): readonly string[] {
  if (payout.held === null || !isRestored(payout.held)) return [];
  const pays = paysFor(deps, payout);
  return unknown.filter(({ payments }) => payments.some(pays)).map(({ txid }) => txid);
}
