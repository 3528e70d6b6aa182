/** How scripts show the transactions of the hot wallets without this gateway (safety.md K4). */
import { formatUnits } from '../../src/domain/money/decimal.ts';
import type { UnknownPayment } from '../../src/ports/chains/chain-scanner.ts';
import type { NotedTransaction } from '../../src/ports/chains/unknown-transactions.ts';
import type { CommandContext } from './program.ts';
import { shownTime, table } from './table.ts';

type ServiceDependencies = CommandContext['service']['dependencies'];

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
