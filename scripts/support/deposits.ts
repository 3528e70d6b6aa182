/**
 * Deposits for operators: one table and one JSON shape for unmatched deposits and held payments.
 */
import type { AssetCatalog } from '../../src/domain/catalog/asset.ts';
import type { Deposit, DepositStatus } from '../../src/domain/deposits/deposit.ts';
import { STRAY_REASONS } from '../../src/domain/deposits/stray-reason.ts';
import { formatUnits } from '../../src/domain/money/decimal.ts';
import type { CommandContext, CommandReport } from './program.ts';
import { shownTime, table } from './table.ts';

const LIMIT = 1_000;
const UNLISTED = 'a token that is not listed: docs/operations/tokens.md says how it is sent back';

/** Of both environments. A list that was cut short says so. */
export async function depositList(
  { service, progress }: CommandContext,
  statuses: readonly DepositStatus[],
  empty: string,
): Promise<CommandReport> {
  const { operatorQueries, catalog } = service.dependencies;
  const found = await operatorQueries.deposits({ statuses, sandbox: null, limit: LIMIT + 1 });
  const deposits = found.slice(0, LIMIT);
  if (found.length > LIMIT) progress(`only the first ${LIMIT} are shown: there are more`);
  return {
    json: { deposits: deposits.map((deposit) => depositJson(deposit, catalog)), more: found.length > LIMIT },
    text: table(
      [
        { title: 'ID', cell: (deposit) => deposit.id },
        { title: 'SEEN', cell: (deposit) => shownTime(deposit.firstSeenAt) },
        { title: 'CHAIN', cell: (deposit) => deposit.chain },
        { title: 'AMOUNT', align: 'right', cell: (deposit) => amountOf(deposit, catalog) },
        { title: 'ASSET', cell: (deposit) => deposit.asset },
        { title: 'ADDRESS', cell: (deposit) => deposit.address },
        { title: 'TXID', cell: (deposit) => deposit.txid },
        { title: 'MERCHANT', cell: (deposit) => deposit.merchantId },
        { title: 'INVOICE', cell: (deposit) => deposit.invoiceId ?? '' },
        { title: 'NOTE', cell: (deposit) => noteOf(deposit, catalog) ?? '' },
      ],
      deposits,
      { empty },
    ),
  };
}

export function depositJson(deposit: Deposit, catalog: AssetCatalog) {
  return {
    deposit_id: deposit.id,
    status: deposit.status,
    chain: deposit.chain,
    asset: deposit.asset,
    listed: catalog.isListed(deposit.asset),
    amount: amountOf(deposit, catalog),
    address: deposit.address,
    address_from: deposit.addressFrom,
    txid: deposit.txid,
    output: deposit.output,
    merchant_id: deposit.merchantId,
    invoice_id: deposit.invoiceId,
    sandbox: deposit.sandbox,
    stray_reason: deposit.strayReason,
    note: noteOf(deposit, catalog),
    first_seen_at: Math.floor(deposit.firstSeenAt.getTime() / 1000),
  };
}

/** For display: what was decided about it, or why no invoice takes it. */
function noteOf({ asset, note, strayReason }: Deposit, catalog: AssetCatalog): string | null {
  if (!catalog.isListed(asset)) return UNLISTED;
  return note ?? (strayReason === null ? null : STRAY_REASONS[strayReason]);
}

/** One line: what became of a deposit. */
export function depositLine(deposit: Deposit, catalog: AssetCatalog): string {
  return `deposit ${deposit.id} is ${deposit.status}: ${amountOf(deposit, catalog)} ${deposit.asset}, merchant ${deposit.merchantId}`;
}

/** Exact, in units of the asset. */
function amountOf(deposit: Deposit, catalog: AssetCatalog): string {
  return formatUnits(deposit.units, catalog.require(deposit.asset).decimals);
}
