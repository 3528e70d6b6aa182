/**
 * Transactions of the hot wallets without this gateway, and the payouts that each may have paid
 * (safety.md K4).
 */
import { paysFor } from '../../src/app/payouts/record-paid.ts';
import { formatUnits } from '../../src/domain/money/decimal.ts';
import { isRestored } from '../../src/domain/payouts/held.ts';
import type { Payout } from '../../src/domain/payouts/payout-record.ts';
import type { UnknownPayment } from '../../src/ports/chains/chain-scanner.ts';
import type { NotedTransaction } from '../../src/ports/chains/unknown-transactions.ts';
import type { CommandContext } from './program.ts';
import { shownTime, table } from './table.ts';

const LIMIT = 200;

type ServiceDependencies = CommandContext['service']['dependencies'];

/** On the chains of payouts that are held for it; empty where none is. */
export async function unknownBeside(
  deps: ServiceDependencies,
  payouts: readonly Payout[],
): Promise<readonly NotedTransaction[]> {
  const held = payouts.filter((payout) => payout.held !== null && isRestored(payout.held));
  const chains = new Set(held.map(({ asset }) => deps.catalog.require(asset).chain));
  if (chains.size === 0) return [];
  return deps.operatorQueries.unknownTransactions({ chains: [...chains], limit: LIMIT });
}

/** Transactions that pay exactly what a held payout orders. */
export function perhapsPaidBy(
  deps: ServiceDependencies,
  payout: Payout,
  unknown: readonly NotedTransaction[],
): readonly string[] {
  if (payout.held === null || !isRestored(payout.held)) return [];
  const pays = paysFor(deps, payout);
  return unknown.filter(({ payments }) => payments.some(pays)).map(({ txid }) => txid);
}

export function unknownJson({ catalog }: ServiceDependencies, transaction: NotedTransaction) {
  const { chain, txid, wallet, nonce, block, minedAt, payments } = transaction;
  return {
    ...{ chain, txid, wallet, nonce: nonce === null ? null : nonce.toString() },
    block_height: block?.height ?? null,
    mined_at: Math.floor(minedAt.getTime() / 1000),
    payments: payments.map((payment) => {
      const { to, asset } = payment;
      return { to, asset, amount: amountOf(catalog, payment) };
    }),
  };
}

/** A line for each payment, and one for a transaction without known payments. */
export function unknownTable(
  { catalog }: ServiceDependencies,
  transactions: readonly NotedTransaction[],
): string {
  const rows = transactions.flatMap((transaction) =>
    (transaction.payments.length === 0 ? [null] : transaction.payments).map((payment) => ({
      ...transaction,
      payment,
    })),
  );
  return table(
    [
      { title: 'MINED', cell: (row) => shownTime(row.minedAt) },
      { title: 'CHAIN', cell: (row) => row.chain },
      { title: 'SEQUENCE', align: 'right', cell: (row) => row.nonce?.toString() ?? '' },
      {
        title: 'AMOUNT',
        align: 'right',
        cell: ({ payment }) => (payment === null ? 'unknown' : amountOf(catalog, payment)),
      },
      { title: 'ASSET', cell: ({ payment }) => payment?.asset ?? '' },
      { title: 'TO', cell: ({ payment }) => payment?.to ?? '' },
      { title: 'TXID', cell: (row) => row.txid },
    ],
    rows,
    { empty: '' },
  );
}

/** In base units if the asset is no longer configured. */
function amountOf(catalog: ServiceDependencies['catalog'], { asset, units }: UnknownPayment): string {
  const known = catalog.get(asset);
  return known ? formatUnits(units, known.decimals) : `${units} base units`;
}
