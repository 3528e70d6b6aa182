/**
 * Drives a sandbox invoice into a status. It rewinds the earlier simulation (postings are
 * compensated, nothing is deleted), replays the history that leads to the target, and sends the
 * webhook immediately (decision 0010).
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import { FIAT_DECIMALS } from '../../domain/catalog/fiat.ts';
import { changedAt } from '../../domain/chains/last-change.ts';
import type { Deposit } from '../../domain/deposits/deposit.ts';
import { type AppError, appError, invoiceRejected, validationError } from '../../domain/errors.ts';
import { type InvoicePrice, isDelivered } from '../../domain/invoices/invoice.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import { simulated } from '../../domain/invoices/invoice-simulation.ts';
import { mulDiv, roundToDisplay, toUnits } from '../../domain/money/decimal.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { DeliveryReport, SimulateInput } from '../application.ts';
import type { Caller } from '../caller.ts';
import type { AppDependencies } from '../dependencies.ts';
import { compensateInvoice, postArrival, postIncome } from '../deposits/deposit-postings.ts';
import { assign, offeredAssets, priceOf } from '../invoices/choose-asset.ts';
import {
  type AddressSources,
  addressFor,
  type ChosenAddress,
  returnUnused,
} from '../invoices/chosen-address.ts';
import { enqueueSnapshot } from '../invoices/invoice-events.ts';
import { postRefund } from '../payouts/refunds/refund-invoice.ts';
import { usdPrice } from '../rates/usd-price.ts';
import { runResult } from '../shared/transaction-result.ts';
import type { WebhookDispatcher } from '../webhooks/deliver-webhooks.ts';

/** The chain name of simulated deposits. No scanner reads it. */
const SIMULATED_CHAIN = 'sandbox';
/** After this time the dispatcher sends the webhook, if the attempt made here did not happen. */
const TAKEOVER_SECONDS = 20;

interface SimulatedChoice {
  readonly asset: Asset;
  readonly address: ChosenAddress;
}
type PricedInvoice = Invoice & { readonly price: InvoicePrice };

export type SimulatorParts = AddressSources & { readonly dispatcher: WebhookDispatcher };
type SimulationResult = { readonly invoice: Invoice; readonly webhook: DeliveryReport | null };

export function simulateInvoice(
  deps: AppDependencies,
  parts: SimulatorParts,
): (caller: Caller, invoiceId: string, input: SimulateInput) => Promise<Result<SimulationResult, AppError>> {
  return async (caller, invoiceId, input) =>
    simulate(deps, parts, await deps.queries.invoice(caller.scope, invoiceId), input);
}

/**
 * `refuse` checks the invoice first without a lock and again under its lock, and may return why it
 * is not simulated.
 */
export async function simulate(
  deps: AppDependencies,
  parts: SimulatorParts,
  seen: Invoice | null,
  input: SimulateInput,
  refuse: (invoice: Invoice) => AppError | null = () => null,
): Promise<Result<SimulationResult, AppError>> {
  if (!seen) return err(appError('NOT_FOUND', 'No such invoice.'));
  if (!seen.sandbox) {
    return err(appError('SANDBOX_ONLY', 'Only sandbox invoices can be simulated. This invoice is live.'));
  }
  const refusedAtOnce = refuse(seen);
  if (refusedAtOnce) return err(refusedAtOnce);
  const choice = await choiceFor(deps, parts, seen);
  if (!choice.ok) return choice;

  const done = await runResult(deps.unitOfWork, async (repositories) => {
    const locked = await repositories.invoices.lock(seen.id);
    if (!locked) return err(appError('NOT_FOUND', 'No such invoice.'));
    // Its money was refunded or is being refunded, so it cannot be rewound.
    if ((await repositories.payouts.standingRefunds(seen.id)).length > 0) {
      return err(
        appError('INVALID_TRANSITION', 'This invoice was refunded, so it can no longer be simulated.'),
      );
    }
    const refused = refuse(locked);
    if (refused) return err(refused);
    const priced = await withPrice(deps, repositories, locked, choice.value);
    if (!priced.ok) return priced;
    return replay(deps, repositories, priced.value, input);
  });
  if (choice.value !== null)
    returnUnused(parts, choice.value.address, done.ok ? ok(done.value.invoice) : done);
  if (!done.ok) return done;
  const { invoice, deliveryId, told } = done.value;
  if (!told) return ok({ invoice, webhook: null });
  if (deliveryId === null) {
    const error = 'there is no URL to send to: give notify_url, or have a callback_url set for the merchant';
    return ok({ invoice, webhook: { url: null, delivered: false, statusCode: null, error } });
  }
  const report = await parts.dispatcher.deliverNow(deliveryId);
  return ok({ invoice, webhook: report });
}

/** An invoice without an asset is simulated as if the customer had chosen the first one offered. */
async function choiceFor(
  deps: AppDependencies,
  sources: AddressSources,
  invoice: Invoice,
): Promise<Result<SimulatedChoice | null, AppError>> {
  if (invoice.price !== null) return ok(null);
  const asset = offeredAssets(deps, invoice)[0];
  if (!asset)
    return err(invoiceRejected('no_asset_left', 'No enabled asset is available to simulate a payment in.'));
  const price = priceOf(deps, invoice, asset);
  if (!price.ok) return price;
  const address = await addressFor(deps, sources, invoice, asset);
  return address.ok ? ok({ asset, address: address.value }) : address;
}

async function withPrice(
  deps: AppDependencies,
  repositories: Repositories,
  invoice: Invoice,
  choice: SimulatedChoice | null,
): Promise<Result<PricedInvoice, AppError>> {
  if (invoice.price !== null) return ok({ ...invoice, price: invoice.price });
  if (choice === null) throw new Error('an invoice lost its asset under the simulation');
  const assigned = await assign(deps, repositories, invoice, choice.asset, choice.address);
  if (!assigned.ok) return assigned;
  if (assigned.value.price === null) throw new Error('assigning an asset left the invoice without a price');
  return ok({ ...assigned.value, price: assigned.value.price });
}

async function replay(
  deps: AppDependencies,
  repositories: Repositories,
  invoice: PricedInvoice,
  input: SimulateInput,
): Promise<Result<{ invoice: Invoice; deliveryId: string | null; told: boolean }, AppError>> {
  if (input.status === 'cancelled' && invoice.billingType === 'VARY') {
    return err(
      appError('INVALID_TRANSITION', 'A VARY invoice is never cancelled: a partial payment completes it.'),
    );
  }
  const paid = paidUnits(deps, invoice, input);
  if (!paid.ok) return paid;
  const at = deps.clock.now();
  const txid = deps.ids.uuid().replaceAll('-', '').repeat(2);
  await rewind(deps, repositories, invoice);
  const state = simulated(invoice, {
    status: input.status,
    paidUnits: paid.value,
    txid,
    from: 'simulated-sender',
    at,
    ttlSeconds: Math.floor((invoice.expiresAt.getTime() - invoice.createdAt.getTime()) / 1000),
  });
  const next: Invoice = { ...invoice, ...state, updatedAt: changedAt(invoice, at) };
  if (next.funds.creditedUnits > 0n) await creditSimulated(deps, repositories, next, txid);
  if (input.status === 'refunded') await postRefund(deps, repositories, next);
  await repositories.invoices.save(next);
  const told = input.sendWebhook && isDelivered(next.status);
  if (!told) return ok({ invoice: next, deliveryId: null, told });
  const queued = await enqueueSnapshot(deps, repositories, next, {
    invoiceVersion: next.version,
    notifyUrl: input.notifyUrl,
    delaySeconds: TAKEOVER_SECONDS,
  });
  return ok({ invoice: next, deliveryId: queued?.deliveryId ?? null, told });
}

/** paid_amount is in the invoice's fiat currency: initial_fiat_amount pays exactly `amount`. */
function paidUnits(
  deps: AppDependencies,
  invoice: PricedInvoice,
  input: SimulateInput,
): Result<bigint | null, AppError> {
  if (input.paidAmount === null) return ok(null);
  const micros = toUnits(input.paidAmount, FIAT_DECIMALS);
  if (micros === null) {
    return err(
      validationError([{ field: 'paid_amount', message: `must have at most ${FIAT_DECIMALS} decimals` }]),
    );
  }
  if (invoice.initialFiatMicros === 0n) return ok(null);
  const asset = deps.catalog.require(invoice.price.asset);
  if (micros === invoice.initialFiatMicros) return ok(invoice.price.dueUnits);
  const units = mulDiv(micros, invoice.price.dueUnits, invoice.initialFiatMicros, 'ceil');
  return ok(roundToDisplay(units, asset, 'ceil'));
}

async function rewind(deps: AppDependencies, repositories: Repositories, invoice: Invoice): Promise<void> {
  await compensateInvoice(deps, repositories, invoice.id);
  for (const deposit of await repositories.deposits.lockOfInvoice(invoice.id, ['credited'])) {
    await repositories.deposits.save({ ...deposit, status: 'reversed', block: null });
  }
}

async function creditSimulated(
  deps: AppDependencies,
  repositories: Repositories,
  invoice: PricedInvoice | Invoice,
  txid: string,
): Promise<void> {
  if (invoice.price === null || invoice.addressTo === null)
    throw new Error('a simulated payment needs an address');
  const asset = deps.catalog.require(invoice.price.asset);
  const price = usdPrice(deps, asset, true);
  if (price === null) throw new Error(`the static table has no price of ${asset.key}`);
  const deposit: Deposit = {
    id: deps.ids.id(),
    chain: SIMULATED_CHAIN,
    txid,
    output: 'simulated',
    asset: asset.key,
    address: invoice.addressTo,
    addressFrom: invoice.addressFrom,
    units: invoice.funds.creditedUnits,
    status: 'credited',
    block: null,
    firstSeenAt: deps.clock.now(),
    unexplained: false,
    lockedUntil: null,
    encumbered: false,
    merchantId: invoice.merchantId,
    sandbox: true,
    invoiceId: invoice.id,
    strayReason: null,
    note: null,
  };
  await repositories.deposits.insertAll([deposit]);
  await postArrival(deps, repositories, deposit);
  await postIncome(deps, repositories, { deposit, invoice, grossBefore: 0n, priceE18: price });
}
