/** Payouts and refunds for operators: one table and one JSON shape. */
import { perhapsPaidBy, unknownBeside } from '../../src/app/payouts/unknown-payments.ts';
import type { AssetCatalog } from '../../src/domain/catalog/asset.ts';
import { FIAT_DECIMALS } from '../../src/domain/catalog/fiat.ts';
import { formatUnits } from '../../src/domain/money/decimal.ts';
import type { Payout } from '../../src/domain/payouts/payout-record.ts';
import { operatorChoices } from '../../src/domain/sending/operator-choices.ts';
import type { OperatorPayout, OperatorPayoutFilter } from '../../src/ports/operator-queries.ts';
import type { CommandContext, CommandReport } from './program.ts';
import { shownTime, table } from './table.ts';
import { unknownJson, unknownTable } from './unknown-transactions.ts';

const LIMIT = 1_000;

/**
 * Of both environments, the newest first. The first line says whether signing is stopped. A list
 * that was cut short says so.
 */
export async function payoutList(
  { service, progress }: CommandContext,
  filter: Omit<OperatorPayoutFilter, 'limit'>,
): Promise<CommandReport> {
  const { operatorQueries, catalog } = service.dependencies;
  const stop = await operatorQueries.signingStopped();
  const found = await operatorQueries.payouts({ ...filter, limit: LIMIT + 1 });
  const payouts = found.slice(0, LIMIT);
  const { dependencies } = service;
  const unknown = await unknownBeside(
    dependencies,
    payouts.map(({ payout }) => payout),
  );
  const restored = await dependencies.unitOfWork.run((r) => r.payouts.heldFor('restored'));
  const perhaps = ({ payout }: OperatorPayout) => perhapsPaidBy(dependencies, payout, unknown);
  if (found.length > LIMIT) progress(`only the youngest ${LIMIT} are shown: there are more`);
  const rows = table(
    [
      { title: 'ID', cell: ({ payout }) => payout.id },
      { title: 'KIND', cell: ({ payout }) => (payout.sandbox ? `sandbox ${payout.kind}` : payout.kind) },
      { title: 'CREATED', cell: ({ payout }) => shownTime(payout.createdAt) },
      { title: 'STATUS', cell: ({ payout }) => payout.status },
      { title: 'AMOUNT', align: 'right', cell: ({ payout }) => amountOf(payout, catalog) },
      { title: 'ASSET', cell: ({ payout }) => payout.asset },
      { title: 'TO', cell: ({ payout }) => payout.address },
      { title: 'MERCHANT', cell: ({ payout }) => payout.merchantId },
      { title: 'TRANSFER', cell: ({ transfer }) => shownTransfer(transfer) },
      { title: 'TXID', cell: ({ payout }) => payout.txid ?? '' },
      { title: 'CAN', cell: (row) => choicesOf(row, catalog).join(' ') },
      { title: 'WHY', cell: ({ payout, transfer }) => whyOf(payout, transfer) },
      ...(unknown.length === 0
        ? []
        : [{ title: 'PERHAPS PAID BY', cell: (row: OperatorPayout) => perhaps(row).join(' ') }]),
    ],
    payouts,
    { empty: 'no such payouts' },
  );
  const beside =
    unknown.length === 0
      ? ''
      : `\n\nSent by the hot wallets, and not known here:\n${unknownTable(dependencies, unknown)}`;
  return {
    json: {
      signing_stopped: stop === null ? null : { at: seconds(stop.at), note: stop.note },
      payouts: payouts.map((row) => ({
        ...operatorPayoutJson(row, catalog),
        ...(unknown.length === 0 ? {} : { perhaps_paid_by: perhaps(row) }),
      })),
      ...(unknown.length === 0
        ? {}
        : { unknown_transactions: unknown.map((transaction) => unknownJson(dependencies, transaction)) }),
      held_restored: restored.length,
      more: found.length > LIMIT,
    },
    text: [
      ...(stop === null ? [] : [`SIGNING IS STOPPED since ${shownTime(stop.at)}: ${stop.note || 'no note'}`]),
      `${rows}${beside}`,
      ...(restored.length === 0 ? [] : [`\n${aboutRestored(restored.length)}`]),
    ].join('\n'),
  };
}

const aboutRestored = (count: number): string =>
  `Held since they may have been paid already: ${count}. If none of them was: bun run payouts release --restored ${count}`;

function choicesOf({ payout, transfer }: OperatorPayout, catalog: AssetCatalog) {
  return operatorChoices(payout, transfer, catalog.require(payout.asset).family);
}

function operatorPayoutJson(row: OperatorPayout, catalog: AssetCatalog) {
  const { payout, transfer } = row;
  return {
    ...payoutJson(payout, catalog),
    can: choicesOf(row, catalog),
    transfer:
      transfer === null
        ? null
        : {
            transfer_id: transfer.id,
            status: transfer.status,
            given_up: transfer.voided,
            failure: transfer.failure?.text ?? null,
            failure_code: transfer.failure?.code ?? null,
            chain: transfer.chain,
            wallet: transfer.wallet,
            nonce: String(transfer.nonce),
            tx_hashes: transfer.txids,
          },
  };
}

export function payoutJson(payout: Payout, catalog: AssetCatalog) {
  const { decimals } = catalog.require(payout.asset);
  return {
    payout_id: payout.id,
    kind: payout.kind,
    invoice_id: payout.invoiceId,
    ordered_by: payout.orderedBy,
    batch_id: payout.batchId,
    merchant_id: payout.merchantId,
    sandbox: payout.sandbox,
    status: payout.status,
    asset: payout.asset,
    amount: formatUnits(payout.amountUnits, decimals),
    sent: formatUnits(payout.sentUnits, decimals),
    address: payout.address,
    amount_usd: formatUnits(payout.amountMicroUsd, FIAT_DECIMALS),
    fee_usd: formatUnits(payout.feeMicroUsd, FIAT_DECIMALS),
    reserved_usd: formatUnits(payout.reservedMicroUsd, FIAT_DECIMALS),
    held: payout.held?.text ?? null,
    held_code: payout.held?.code ?? null,
    released: payout.released,
    waiting: payout.waiting?.reason ?? null,
    waiting_code: payout.waiting?.code ?? null,
    failure: payout.failure,
    txid: payout.txid,
    tx_hashes: payout.txHashes,
    created_at: seconds(payout.createdAt),
    processed_at: payout.processedAt === null ? null : seconds(payout.processedAt),
  };
}

/** One line: the present state of a payout. */
export function payoutLine(payout: Payout, catalog: AssetCatalog): string {
  const why = whyOf(payout);
  return `${payout.kind} ${payout.id} is ${payout.status}${why === '' ? '' : ` (${why})`}: ${payoutSum(payout, catalog)}`;
}

/** What is sent, and to which address. */
export function payoutSum(payout: Payout, catalog: AssetCatalog): string {
  return `${amountOf(payout, catalog)} ${payout.asset} to ${payout.address}`;
}

function whyOf({ held, waiting, failure }: Payout, transfer: OperatorPayout['transfer'] = null): string {
  if (held !== null) return `held: ${held.text}`;
  if (transfer?.voided && transfer.status === 'signed')
    return `given up, the chain decides: ${transfer.failure?.text ?? ''}`;
  if (waiting !== null) return `waits: ${waiting.reason}`;
  return failure ?? '';
}

function shownTransfer(transfer: OperatorPayout['transfer']): string {
  if (transfer === null) return '';
  return `${transfer.status}${transfer.voided ? ', given up' : ''}, ${transfer.chain} #${transfer.nonce}`;
}

/** Exact, in units of the asset. */
function amountOf(payout: Payout, catalog: AssetCatalog): string {
  return formatUnits(payout.amountUnits, catalog.require(payout.asset).decimals);
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
