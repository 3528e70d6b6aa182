/**
 * An operator's refund: a payout of kind `refund` to who paid the invoice, from the merchant's balance. The invoice ends
 * refunded in the same transaction, once; a refund that fails takes both back (settle-payout.ts). No webhook.
 */
import type { Asset } from '../domain/asset.ts';
import { type Decimal, formatUnits, mulDiv, toUnits } from '../domain/decimal.ts';
import { type AppError, appError, payoutRejected } from '../domain/errors.ts';
import { FIAT_DECIMALS } from '../domain/fiat.ts';
import { isRefundable } from '../domain/invoice.ts';
import type { Invoice } from '../domain/invoice-record.ts';
import { availableMicroUsd, refund } from '../domain/ledger.ts';
import type { Payout } from '../domain/payout-record.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { FeeQuote } from '../ports/fee-quoter.ts';
import type { NewEntry, Repositories } from '../ports/repositories.ts';
import { ratesUnavailable } from './create-invoice.ts';
import type { AppDependencies } from './dependencies.ts';
import { applyEvents, type EventNeeds } from './invoice-events.ts';
import { refusedDestination } from './payout-destination.ts';
import { runOrRollBack } from './rolled-back.ts';
import { reserveEntry } from './settle-payout.ts';

export type RefundNeeds = EventNeeds &
  Pick<AppDependencies, 'unitOfWork' | 'rateBook' | 'feeQuoter' | 'liveDerivers' | 'sendingChains'>;

export interface RefundOrder {
  /** Null: who paid, if that is one known address. */
  readonly to: string | null;
  /** In the invoice's asset; null: all that the merchant was credited for it. */
  readonly amount: Decimal | null;
  /** The operator, as merchant and audit are told. */
  readonly by: string;
  /** Also when it takes the merchant's balance below zero (safety.md G8). */
  readonly force?: boolean;
  /** Nothing is written: what would be done is answered. */
  readonly dryRun?: boolean;
}

export interface Refunded {
  /** As it is now; in a trial run as it was. */
  readonly invoice: Invoice;
  readonly refund: Payout;
  /** What the merchant has, in micro-USD. */
  readonly availableBeforeMicroUsd: bigint;
  readonly availableAfterMicroUsd: bigint;
}

interface Credit {
  /** Base units of the invoice's asset, and what they were worth when they were credited. */
  readonly units: bigint;
  readonly microUsd: bigint;
}

/**
 * Refused for an invoice that is not paid or was refunded before, for a destination or an amount that will not do, and unless forced
 * when it takes the merchant's balance below zero.
 */
export function refundInvoice(
  deps: RefundNeeds,
): (invoiceId: string, input: RefundOrder) => Promise<Result<Refunded, AppError>> {
  return (invoiceId, input) =>
    runOrRollBack(deps.unitOfWork, async (repositories) => {
      const invoice = await repositories.invoices.lock(invoiceId);
      if (!invoice) return err(appError('NOT_FOUND', `No such invoice: ${invoiceId}`));
      if (!isRefundable(invoice) || invoice.price === null) {
        return err(
          appError('INVALID_TRANSITION', `An invoice that is ${invoice.status} cannot be refunded.`),
        );
      }
      const asset = deps.catalog.require(invoice.price.asset);
      if (!invoice.sandbox && !deps.sendingChains.has(asset.chain)) {
        return err(payoutRejected('chain_not_sent_on', `Nothing can be sent on ${asset.chain} from here.`));
      }
      const credited = creditOf(await repositories.ledger.entriesOf(invoice.id), asset.key);
      const part = partOf(credited, asset, input.amount);
      if (!part.ok) return part;
      const to = await destinationOf(deps, repositories, { invoice, asset, to: input.to });
      if (!to.ok) return to;
      const rates = deps.rateBook.usable({ sandbox: invoice.sandbox });
      const quote = rates === null ? null : deps.feeQuoter.quote(asset, rates, invoice);
      if (quote === null) return err(ratesUnavailable());

      const balance = await repositories.ledger.lockBalance(invoice.merchantId, invoice.sandbox);
      const before = availableMicroUsd(balance);
      const covered = before >= part.value.microUsd + quote.feeMicroUsd;
      const place = { address: to.value, orderedBy: input.by };
      const payout = refundFrom(deps, invoice, part.value, { ...place, fee: covered ? quote : NO_FEE });
      const after = before - payout.reservedMicroUsd;
      if (after < 0n && input.force !== true) return err(belowZero(before, after));
      const told = { refund: payout, availableBeforeMicroUsd: before, availableAfterMicroUsd: after };
      if (input.dryRun === true) return ok({ invoice, ...told });
      await repositories.payouts.insert(payout);
      await repositories.ledger.post({
        ...reserveEntry(payout),
        id: deps.ids.id(),
        merchantId: payout.merchantId,
        sandbox: payout.sandbox,
        depositId: null,
        at: payout.createdAt,
      });
      const refunded = await applyEvents(deps, repositories, invoice, [
        { type: 'refunded', at: payout.createdAt },
      ]);
      return ok({ invoice: refunded, ...told });
    });
}

function belowZero(beforeMicroUsd: bigint, afterMicroUsd: bigint): AppError {
  const usd = (micros: bigint): string => formatUnits(micros, FIAT_DECIMALS);
  return payoutRejected(
    'insufficient_balance',
    `It takes the merchant's balance below zero, from ${usd(beforeMicroUsd)} to ${usd(afterMicroUsd)} USD: with --force it is done all the same.`,
  );
}

/** What is given back: at most what was credited, and worth something. A part takes its share of the value, rounded up. */
function partOf(credited: Credit, asset: Asset, amount: Decimal | null): Result<Credit, AppError> {
  const units = amount === null ? credited.units : toUnits(amount, asset.decimals);
  if (units === null)
    return err(payoutRejected('amount', `${asset.key} has ${asset.decimals} decimals at most.`));
  if (units > credited.units) {
    const most = formatUnits(credited.units, asset.decimals);
    return err(
      payoutRejected('amount', `The merchant was credited ${most} ${asset.key} for it: no more goes back.`),
    );
  }
  const microUsd = units <= 0n ? 0n : mulDiv(credited.microUsd, units, credited.units, 'ceil');
  if (microUsd === 0n) {
    return err(payoutRejected('below_minimum', 'It is worth less than a millionth of a US dollar.'));
  }
  return ok({ units, microUsd });
}

/** Who paid, if it was one address, unless the operator names another. In the sandbox nothing is sent to who "paid". */
async function destinationOf(
  deps: RefundNeeds,
  repositories: Repositories,
  { invoice, asset, to }: { invoice: Invoice; asset: Asset; to: string | null },
): Promise<Result<string, AppError>> {
  const address = to ?? (await onlySender(deps, repositories, invoice, asset));
  if (address === null) {
    return err(
      payoutRejected(
        'destination_unknown',
        'It was paid from several addresses or from an unknown one: say where the money goes, with --to.',
      ),
    );
  }
  if (to === null && invoice.sandbox) return ok(address);
  const refused = await refusedDestination(deps, repositories, asset, address);
  return refused ? err(refused) : ok(address);
}

async function onlySender(
  deps: RefundNeeds,
  repositories: Repositories,
  invoice: Invoice,
  asset: Asset,
): Promise<string | null> {
  const deriver = deps.liveDerivers.get(asset.family);
  const deposits = await repositories.deposits.lockOfInvoice(invoice.id, ['credited']);
  const senders = new Map<string | null, string | null>(
    deposits.map(({ addressFrom }) => [
      addressFrom === null ? null : (deriver?.normalize(addressFrom) ?? addressFrom),
      addressFrom,
    ]),
  );
  const [only = null] = senders.values();
  return senders.size === 1 ? only : null;
}

const NO_FEE: FeeQuote = { feeUnits: 0n, feeMicroUsd: 0n, energyFeeMicroUsd: null };

function refundFrom(
  deps: RefundNeeds,
  invoice: Invoice,
  part: Credit,
  { address, orderedBy, fee }: Pick<Payout, 'address' | 'orderedBy'> & { readonly fee: FeeQuote },
): Payout {
  if (invoice.price === null) throw new Error('an invoice without an asset was never paid');
  return {
    id: deps.ids.id(),
    merchantId: invoice.merchantId,
    sandbox: invoice.sandbox,
    kind: 'refund',
    invoiceId: invoice.id,
    orderedBy,
    batchId: null,
    status: 'pending',
    txid: null,
    txHashes: [],
    failure: null,
    processedAt: null,
    asset: invoice.price.asset,
    address,
    amountUnits: part.units,
    sentUnits: part.units,
    ...fee,
    wastedFeeUnits: 0n,
    wastedFeeMicroUsd: 0n,
    feeBearer: 'merchant',
    amountMicroUsd: part.microUsd,
    reservedMicroUsd: part.microUsd + fee.feeMicroUsd,
    ref: null,
    held: null,
    released: false,
    merchantWaived: false,
    waiting: null,
    letGoAt: null,
    createdAt: deps.clock.now(),
  };
}

/** For the sandbox simulator: takes back from the merchant what the invoice's standing income entries credited. Nothing is sent. */
export async function postRefund(
  deps: Pick<AppDependencies, 'clock' | 'ids'>,
  repositories: Repositories,
  invoice: Invoice,
): Promise<void> {
  if (invoice.price === null) throw new Error('an invoice without an asset was never paid');
  const credited = creditOf(await repositories.ledger.entriesOf(invoice.id), invoice.price.asset);
  // A credit too small to be worth a millionth of a dollar leaves nothing to take back.
  if (credited.microUsd === 0n) return;
  await repositories.ledger.post({
    id: deps.ids.id(),
    merchantId: invoice.merchantId,
    sandbox: invoice.sandbox,
    kind: 'refund',
    referenceId: invoice.id,
    depositId: null,
    postings: refund(credited.microUsd),
    feed: {
      type: 'refund',
      asset: invoice.price.asset,
      amountUnits: credited.units,
      feeUnits: null,
      currency: invoice.fiatCurrency,
      microUsd: credited.microUsd,
      referenceId: invoice.id,
    },
    at: deps.clock.now(),
  });
}

/** What an invoice's income entries come to, less what later entries took back. */
function creditOf(entries: readonly NewEntry[], asset: string): Credit {
  let units = 0n;
  let microUsd = 0n;
  for (const { feed } of entries) {
    if (feed === null || feed.type === 'payout' || feed.asset !== asset) continue;
    const sign = feed.type === 'income' ? 1n : -1n;
    units += sign * feed.amountUnits;
    microUsd += sign * feed.microUsd;
  }
  return { units, microUsd };
}
