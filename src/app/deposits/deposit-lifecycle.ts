/**
 * The life of a deposit after it was seen: final, gone before it was final, or gone after it was
 * credited.
 */
import type { Deposit } from '../../domain/deposits/deposit.ts';
import { accepts, isFinal } from '../../domain/invoices/invoice.ts';
import type { InvoiceEvent } from '../../domain/invoices/invoice-event.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import { unreachable } from '../../domain/result.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Logger } from '../../ports/runtime/logger.ts';
import { matchEarlierChoice } from '../invoices/earlier-choice.ts';
import { applyEvents, type EventNeeds } from '../invoices/invoice-events.ts';
import { hasEnded } from '../invoices/strand-payments.ts';
import { queueMail } from '../mails/queue-mail.ts';
import { compensate, type PostingNeeds, postArrival } from './deposit-postings.ts';

export type LifecycleNeeds = PostingNeeds & EventNeeds & { readonly logger: Logger };

/**
 * Locks a deposit's invoice, then the deposit, as every transaction does. Null if the deposit is
 * gone, or another invoice's.
 */
export async function lockWithInvoice(
  repositories: Repositories,
  deposit: Pick<Deposit, 'id' | 'invoiceId'>,
): Promise<{ deposit: Deposit; invoice: Invoice | null } | null> {
  const invoice = deposit.invoiceId === null ? null : await repositories.invoices.lock(deposit.invoiceId);
  const locked = await repositories.deposits.lock(deposit.id);
  // It may have lost its invoice since it was read (markBack). A new invoice is not locked: the
  // caller tries again later.
  if (locked === null || (locked.invoiceId !== null && invoice === null)) return null;
  return { deposit: locked, invoice: locked.invoiceId === null ? null : invoice };
}

/**
 * The deposit's block is final: the money is the gateway's. The caller credits it in the same
 * transaction (settle-in-block.ts), or screen-deposits.ts does later. Without an invoice, or with
 * one that ended meanwhile (a small deposit), it is a stray.
 */
export async function markFinal(
  deps: LifecycleNeeds,
  repositories: Repositories,
  deposit: Deposit,
  invoice: Invoice | null,
): Promise<void> {
  if (invoice !== null && !hasEnded(invoice)) {
    await repositories.deposits.save({ ...deposit, status: 'arrived' });
    await postArrival(deps, repositories, deposit);
    return;
  }
  const strayReason = invoice === null ? deposit.strayReason : 'invoice_ended';
  await repositories.deposits.save({ ...deposit, status: 'stray', strayReason });
  await postArrival(deps, repositories, deposit);
  deps.logger.warn('deposit.stray', { depositId: deposit.id, chain: deposit.chain, strayReason });
  if (strayReason === 'invoice_closed') await tellLateCustomer(deps, repositories, deposit);
}

/** By e-mail, if the invoice of the address has one of the customer. */
async function tellLateCustomer(
  deps: LifecycleNeeds,
  repositories: Repositories,
  { asset, address }: Deposit,
): Promise<void> {
  if (!repositories.customerMails.isOn) return;
  const { family } = deps.catalog.require(asset);
  const [issued] = await repositories.addresses.find(family, [address]);
  const late = issued?.invoiceId == null ? null : await repositories.invoices.find(issued.invoiceId);
  if (late !== null) await queueMail(deps, repositories, late, { kind: 'late_payment' });
}

/**
 * The deposit's transaction left the chain. A deposit that was not final is dropped, postings are
 * compensated, and the invoice returns to the state of its remaining payments (decision 0007;
 * safety.md U7). `at` decides whether its time is over.
 */
export async function markGone(
  deps: LifecycleNeeds,
  repositories: Repositories,
  deposit: Deposit,
  invoice: Invoice | null,
  at: Date = deps.clock.now(),
): Promise<void> {
  const gone = (status: 'dropped' | 'reversed') =>
    repositories.deposits.save({ ...deposit, status, block: null });
  const tell = async (event: InvoiceEvent) => {
    if (invoice !== null) await tellAndReopen(deps, repositories, invoice, event);
  };
  switch (deposit.status) {
    case 'confirming':
      await gone('dropped');
      await tell({ type: 'payment_dropped', units: deposit.units, at });
      return;
    case 'arrived':
    case 'stray':
      await gone('reversed');
      await compensate(deps, repositories, deposit, ['deposit_arrived']);
      await tell({ type: 'payment_dropped', units: deposit.units, at });
      return;
    case 'credited':
      await gone('reversed');
      await compensate(deps, repositories, deposit, ['income', 'deposit_arrived']);
      await repositories.utxos.removeDeposit(deposit);
      await tell({ type: 'payment_reversed', units: deposit.units, at });
      deps.logger.error('deposit.reversed', {
        depositId: deposit.id,
        merchantId: deposit.merchantId,
        invoiceId: deposit.invoiceId,
        txid: deposit.txid,
      });
      return;
    case 'held':
    case 'rejected':
      await gone('reversed');
      await compensate(deps, repositories, deposit, ['hold', 'deposit_arrived']);
      await tell({ type: 'hold_reversed', units: deposit.units, at });
      return;
    case 'dropped':
    case 'reversed':
      return;
    default:
      unreachable(deposit.status);
  }
}

/**
 * A deposit that was given up is on the chain again. It counts as if it had never left if its
 * invoice still takes it, or is `failed`. If the invoice ended otherwise meanwhile, or was paid in
 * another asset, it is a stray. Its first-seen time stays the one that decides.
 */
export async function markBack(
  deps: LifecycleNeeds,
  repositories: Repositories,
  back: { deposit: Deposit; invoice: Invoice | null } & Pick<Deposit, 'block' | 'lockedUntil' | 'units'>,
): Promise<void> {
  const { deposit, invoice } = back;
  const open = invoice !== null && (invoice.status === 'failed' || accepts(invoice, deposit.firstSeenAt));
  const taker = open
    ? await matchEarlierChoice(repositories, invoice, { ...deposit, units: back.units })
    : null;
  const paid = taker !== null && 'invoice' in taker ? taker.invoice : null;
  await repositories.deposits.save({
    ...deposit,
    units: back.units,
    block: back.block,
    lockedUntil: back.lockedUntil,
    status: 'confirming',
    invoiceId: paid ? deposit.invoiceId : null,
    strayReason: paid ? null : 'came_back_late',
  });
  if (paid === null) return;
  await tellAndReopen(deps, repositories, paid, {
    type: 'payment_seen',
    units: back.units,
    txid: deposit.txid,
    from: deposit.addressFrom,
    at: deps.clock.now(),
  });
}

/**
 * An invoice that a reorganisation or a failed refund reopens takes back the small deposits that
 * became stray at its end, or when what was held beside them was rejected.
 */
export async function tellAndReopen(
  deps: EventNeeds,
  repositories: Repositories,
  invoice: Invoice,
  event: InvoiceEvent,
): Promise<void> {
  const next = await applyEvents(deps, repositories, invoice, [event]);
  if (isFinal(invoice) && !hasEnded(next) && next.status !== invoice.status)
    await repositories.deposits.moveOfInvoices([invoice.id], {
      from: 'stray',
      to: 'arrived',
      strayReason: null,
    });
}
