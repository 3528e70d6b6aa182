/**
 * A statement as CSV (RFC 4180): the opening balance, a row for each line, and the closing balance.
 * Rows are read no faster than the client takes them. Amounts are exact decimals; coins below zero
 * left the balance.
 */
import type { Statement } from '../../../../app/console/statement.ts';
import type { AssetCatalog } from '../../../../domain/catalog/asset.ts';
import { FIAT_DECIMALS } from '../../../../domain/catalog/fiat.ts';
import { startOfDay } from '../../../../domain/console/day-figure.ts';
import {
  daysOfMonth,
  grossMicroUsd,
  type StatementLine,
  statementKind,
} from '../../../../domain/console/statement.ts';
import { exactNumber } from '../../../../domain/money/exact-number.ts';
import { type CsvRow, csvBody } from '../../kit/documents/csv.ts';

export const STATEMENT_COLUMNS = [
  ...['line', 'booked_at', 'kind', 'entry', 'reference_id', 'asset', 'amount'],
  ...['gross_usd', 'fee_usd', 'net_usd', 'balance_usd'],
] as const;

/** Rejects when the first rows cannot be read. Later failures go to `onFailure`. */
export function statementCsv(
  statement: Statement,
  catalog: AssetCatalog,
  on: { readonly signal: AbortSignal; readonly onFailure: (thrown: unknown) => void },
): Promise<ReadableStream<Uint8Array>> {
  return csvBody({ columns: STATEMENT_COLUMNS }, statementRows(statement, catalog), on);
}

async function* statementRows(
  statement: Statement,
  catalog: AssetCatalog,
): AsyncGenerator<readonly CsvRow[], void> {
  const { month, isComplete, madeAt, openingMicroUsd, closingMicroUsd } = statement;
  const { first, last } = daysOfMonth(month);
  let balance = openingMicroUsd;
  let number = 0;
  yield [balanceRow('opening_balance', startOfDay(first), openingMicroUsd)];
  for await (const lines of statement.lines())
    yield lines.map((line) => {
      balance += line.netMicroUsd;
      number += 1;
      return { line: number, ...lineRow(line, catalog), balance_usd: usd(balance) };
    });
  const [kind, at] = isComplete
    ? (['closing_balance', startOfDay(last + 1)] as const)
    : (['balance_so_far', madeAt] as const);
  yield [balanceRow(kind, at, closingMicroUsd)];
}

const usd = (microUsd: bigint) => exactNumber(microUsd, FIAT_DECIMALS);
const seconds = (at: Date) => Math.floor(at.getTime() / 1_000);

const balanceRow = (kind: string, at: Date, microUsd: bigint): CsvRow => ({
  ...{ booked_at: seconds(at), kind, balance_usd: usd(microUsd) },
});

function lineRow(line: StatementLine, catalog: AssetCatalog): CsvRow {
  const { at, entry, referenceId, asset, units, feeMicroUsd, netMicroUsd } = line;
  const size = units < 0n ? -units : units;
  return {
    ...{ booked_at: seconds(at), kind: statementKind(entry), entry, reference_id: referenceId, asset },
    amount: exactNumber(netMicroUsd < 0n ? -size : size, catalog.require(asset).decimals),
    ...{ gross_usd: usd(grossMicroUsd(line)), fee_usd: usd(feeMicroUsd), net_usd: usd(netMicroUsd) },
  };
}
