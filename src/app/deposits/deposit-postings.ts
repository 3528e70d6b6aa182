/**
 * Ledger entries of deposits: arrival, credit, hold, and their compensation. Each runs inside the
 * caller's transaction.
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import { isUtxo } from '../../domain/catalog/family.ts';
import type { FiatCurrency } from '../../domain/catalog/fiat.ts';
import type { Deposit } from '../../domain/deposits/deposit.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import { depositArrived, type EntryKind, hold, income, reversed } from '../../domain/ledger.ts';
import { creditedOf } from '../../domain/money/fee.ts';
import { fiatForUnits, priceE18 } from '../../domain/rates/rate.ts';
import type { FeedLine, NewEntry } from '../../ports/ledger-repository.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { creditTerms } from '../invoices/credit-terms.ts';

export type PostingNeeds = Pick<AppDependencies, 'clock' | 'ids' | 'catalog' | 'rateBook'>;

/** USD price of the asset, x 10^18, to credit it at; null without a fresh one (safety.md P1). */
export function creditPrice(deps: PostingNeeds, asset: Asset, sandbox: boolean): bigint | null {
  return priceE18(deps.rateBook.crediting({ sandbox }), asset, 'USD');
}

export async function postArrival(
  deps: PostingNeeds,
  repositories: Repositories,
  deposit: Deposit,
): Promise<void> {
  await repositories.ledger.post(
    entry(deps, deposit, {
      kind: 'deposit_arrived',
      referenceId: deposit.invoiceId ?? deposit.id,
      postings: depositArrived(deposit.asset, deposit.units),
      feed: null,
    }),
  );
}

/**
 * Credits a deposit to its merchant. `grossBefore` is what the invoice had credited before, so that
 * several payments credit exactly as much as one payment of their sum (decision 0006).
 */
export async function postIncome(
  deps: PostingNeeds,
  repositories: Repositories,
  credit: { deposit: Deposit; invoice: Invoice; grossBefore: bigint; priceE18: bigint },
): Promise<void> {
  const { deposit, invoice, grossBefore } = credit;
  if (invoice.price === null) throw new Error('an invoice without an asset cannot be credited');
  const terms = creditTerms(invoice, invoice.price);
  const creditedUnits = creditedOf(grossBefore + deposit.units, terms) - creditedOf(grossBefore, terms);
  await postCredit(deps, repositories, deposit, {
    creditedUnits,
    priceE18: credit.priceE18,
    currency: invoice.fiatCurrency,
  });
}

/**
 * Credits `creditedUnits` of a deposit to its merchant; the rest of it is the fee. `currency`
 * appears in the ledger's feed.
 */
export async function postCredit(
  deps: PostingNeeds,
  repositories: Repositories,
  deposit: Deposit,
  credit: { creditedUnits: bigint; priceE18: bigint; currency: FiatCurrency },
): Promise<void> {
  const asset = deps.catalog.require(deposit.asset);
  if (isUtxo(asset.family)) await repositories.utxos.insertDeposits([deposit], asset.family);
  const { creditedUnits } = credit;
  const feeUnits = deposit.units - creditedUnits;
  const creditedMicroUsd = fiatForUnits(creditedUnits, credit.priceE18, asset, 'floor');
  const referenceId = deposit.invoiceId ?? deposit.id;
  await repositories.ledger.post(
    entry(deps, deposit, {
      kind: 'income',
      referenceId,
      postings: income({
        asset: asset.key,
        creditedUnits,
        feeUnits,
        receivedMicroUsd: fiatForUnits(deposit.units, credit.priceE18, asset, 'floor'),
        creditedMicroUsd,
      }),
      feed: {
        type: 'income',
        asset: asset.key,
        amountUnits: creditedUnits,
        feeUnits,
        currency: credit.currency,
        microUsd: creditedMicroUsd,
        referenceId,
      },
    }),
  );
}

export async function postHold(
  deps: PostingNeeds,
  repositories: Repositories,
  deposit: Deposit,
  price: bigint,
): Promise<void> {
  const asset = deps.catalog.require(deposit.asset);
  await repositories.ledger.post(
    entry(deps, deposit, {
      kind: 'hold',
      referenceId: deposit.invoiceId ?? deposit.id,
      postings: hold({
        asset: asset.key,
        units: deposit.units,
        microUsd: fiatForUnits(deposit.units, price, asset, 'floor'),
      }),
      feed: null,
    }),
  );
}

const COMPENSATION = {
  deposit_arrived: 'deposit_departed',
  income: 'income_reversed',
  hold: 'hold_reversed',
  refund: 'refund_reversed',
} as const satisfies Partial<Record<EntryKind, EntryKind>>;
type CompensableKind = keyof typeof COMPENSATION;

/**
 * Posts the opposite of the deposit's uncompensated entries of the given kinds, newest first.
 * Deletes nothing. A deposit that arrived before an invoice claimed it (earlier-choice.ts) has its
 * first entries under its own id.
 */
export async function compensate(
  deps: Pick<AppDependencies, 'clock' | 'ids'>,
  repositories: Repositories,
  deposit: Deposit,
  kinds: readonly CompensableKind[],
): Promise<void> {
  const { ledger } = repositories;
  const entries = [
    ...(await ledger.entriesOf(deposit.id)),
    ...(deposit.invoiceId === null ? [] : await ledger.entriesOf(deposit.invoiceId)),
  ];
  await postOpposites(
    deps,
    repositories,
    standing(entries).filter(
      (entry) => entry.depositId === deposit.id && kinds.some((kind) => kind === entry.kind),
    ),
  );
}

/** Posts the opposite of an invoice's uncompensated entries: for the sandbox simulator's rewind. */
export async function compensateInvoice(
  deps: Pick<AppDependencies, 'clock' | 'ids'>,
  repositories: Repositories,
  invoiceId: string,
): Promise<void> {
  await postOpposites(deps, repositories, standing(await repositories.ledger.entriesOf(invoiceId)));
}

async function postOpposites(
  deps: Pick<AppDependencies, 'clock' | 'ids'>,
  repositories: Repositories,
  entries: readonly NewEntry[],
): Promise<void> {
  for (const original of entries.toReversed()) {
    await repositories.ledger.post({
      ...original,
      id: deps.ids.id(),
      kind: COMPENSATION[original.kind as CompensableKind],
      postings: reversed(original.postings),
      feed: original.feed === null ? null : opposite(original.feed),
      at: deps.clock.now(),
    });
  }
}

/** The entries that no later entry compensated, oldest first. */
function standing(entries: readonly NewEntry[]): readonly NewEntry[] {
  const left: NewEntry[] = [];
  for (const entry of entries) {
    const undone = Object.entries(COMPENSATION).find(([, kind]) => kind === entry.kind);
    if (!undone) {
      left.push(entry);
      continue;
    }
    const index = left.findLastIndex(
      (earlier) => earlier.kind === undone[0] && earlier.depositId === entry.depositId,
    );
    if (index >= 0) left.splice(index, 1);
  }
  return left;
}

function opposite(feed: FeedLine): FeedLine {
  return {
    ...feed,
    amountUnits: -feed.amountUnits,
    feeUnits: feed.feeUnits === null ? null : -feed.feeUnits,
    microUsd: -feed.microUsd,
  };
}

function entry(
  deps: PostingNeeds,
  deposit: Deposit,
  part: Pick<NewEntry, 'kind' | 'referenceId' | 'postings' | 'feed'>,
): NewEntry {
  return {
    ...part,
    id: deps.ids.id(),
    merchantId: deposit.merchantId,
    sandbox: deposit.sandbox,
    depositId: deposit.id,
    at: deps.clock.now(),
  };
}
