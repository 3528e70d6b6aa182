/**
 * The risk check of every final payment before its credit: the network first, then transactions of
 * many invoices each.
 */
import type { Deposit } from '../../domain/deposits/deposit.ts';
import { isDeferred, isLeftBehind } from '../../domain/invoices/invoice.ts';
import type { InvoiceToScreen } from '../../ports/deposits/deposit-repository.ts';
import { StorageUnavailable } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { hasEnded, strand } from '../invoices/strand-payments.ts';
import { pricedAssets, priceWatch } from '../rates/price-watch.ts';
import { byMerchant, type MerchantFailures, merchantFailures } from '../shared/merchant-failures.ts';
import { SET_LOCKS, tryTogether } from '../shared/try-together.ts';
import type { LifecycleNeeds } from './deposit-lifecycle.ts';
import { gatherWrites } from './gather-writes.ts';
import { settleDeposits, tellHeld, type Verdicts, verdictsOn } from './settle-deposit.ts';

export type ScreenNeeds = LifecycleNeeds & Pick<AppDependencies, 'unitOfWork' | 'riskScreener'>;

/** Invoices per page, and how many of them are screened at a time. */
const PAGE = 500;
const AT_ONCE = 8;
/**
 * Deposits of one invoice per transaction: thousands (safety.md U5) would exceed its deadline.
 * Those credited as they become final have a limit of their own (FINAL_AT_ONCE in
 * follow-deposits.ts), whether of one invoice or of many.
 */
const DEPOSITS_AT_ONCE = 50;
/** Invoices, and deposits of all of them, per transaction: for the same reason. */
const SETTLED_AT_ONCE = 200;
const SETTLED_DEPOSITS_AT_ONCE = 500;

/** The verdicts on an invoice's deposits, by their ids. */
interface ScreenedInvoice {
  readonly invoiceId: string;
  readonly merchantId: string;
  readonly verdicts: Verdicts;
}

/**
 * Screens and credits everything that is due; returns how many invoices changed. One that cannot be
 * settled (its provider is unavailable, a fault) waits for the next run and blocks no other; after
 * three of a merchant its others wait, too. One without a fresh price is skipped (safety.md P1).
 */
export function screenDeposits(deps: ScreenNeeds): (stopping?: AbortSignal) => Promise<number> {
  const watch = priceWatch(deps);
  return async (stopping) => {
    let moved = 0;
    const priced = pricedAssets(deps);
    await watch(priced);
    const failures = merchantFailures();
    let after: InvoiceToScreen | null = null;
    for (;;) {
      const page: readonly InvoiceToScreen[] = await deps.unitOfWork.run((repositories) =>
        repositories.deposits.invoicesToScreen({ limit: PAGE, after, priced }),
      );
      const invoiceIds = page.map(({ invoiceId }) => invoiceId);
      moved += await screenPage(deps, invoiceIds, { failures, stopping });
      after = page.at(-1) ?? null;
      if (page.length < PAGE || stopping?.aborted) return moved;
    }
  };
}

/** Settles screened invoices together, while others are being screened. */
async function screenPage(
  deps: ScreenNeeds,
  invoiceIds: readonly string[],
  { failures, stopping }: { failures: MerchantFailures; stopping: AbortSignal | undefined },
): Promise<number> {
  const arrived = await deps.unitOfWork.run(({ deposits }) =>
    deposits.ofInvoices(invoiceIds, { statuses: ['arrived'], most: DEPOSITS_AT_ONCE }),
  );
  const ofInvoice = Map.groupBy(arrived, ({ invoiceId }) => invoiceId);
  const notSettled = (invoiceId: string, error: unknown) =>
    deps.logger.error('invoice.not_settled', { invoiceId, error: String(error) });
  const notScreened = (invoiceId: string, error: unknown) => {
    if (error instanceof StorageUnavailable) throw error;
    notSettled(invoiceId, error);
  };
  const left = invoiceIds.values();
  const screened: ScreenedInvoice[] = [];
  let moved = 0;
  let settling = false;
  let failed = false;
  const settleScreened = async () => {
    settling = true;
    for (let group = takeGroup(screened); group.length > 0; group = takeGroup(screened))
      await tryTogether(byMerchant(group).flat(), {
        async work(some) {
          const tried = failures.left(some);
          if (tried.length > 0) moved += await settleGroup(deps, tried);
        },
        failed({ invoiceId, merchantId }, error) {
          failures.note(merchantId);
          notSettled(invoiceId, error);
        },
        stopping,
      });
    settling = false;
  };
  const lane = async () => {
    for (const invoiceId of left) {
      if (failed || stopping?.aborted) return;
      const due = ofInvoice.get(invoiceId) ?? [];
      const verdicts = await verdictsOn(deps, due).catch((error: unknown) => notScreened(invoiceId, error));
      const merchantId = due[0]?.merchantId ?? invoiceId;
      if (verdicts) screened.push({ invoiceId, merchantId, verdicts });
      // The running settlement also takes what is added meanwhile.
      if (!settling) await settleScreened();
    }
  };
  const lanes = Array.from({ length: AT_ONCE }, () =>
    lane().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  await Promise.all(lanes);
  return moved;
}

/** Removes the next ones that may share a transaction. */
function takeGroup(screened: ScreenedInvoice[]): readonly ScreenedInvoice[] {
  let deposits = 0;
  const over = screened.findIndex(({ verdicts }, place) => {
    deposits += verdicts.size;
    return place === SETTLED_AT_ONCE || (place > 0 && deposits > SETTLED_DEPOSITS_AT_ONCE);
  });
  return screened.splice(0, over < 0 ? screened.length : over);
}

/**
 * Settles them in one transaction with a few statements. One that is locked elsewhere waits for the
 * next run; where a balance is, the set fails soon. Returns how many changed.
 */
async function settleGroup(deps: ScreenNeeds, group: readonly ScreenedInvoice[]): Promise<number> {
  const { moved, held } = await deps.unitOfWork.run(async (repositories) => {
    const { gathered, flush } = gatherWrites(repositories);
    const invoices = await gathered.invoices.lockFree(group.map(({ invoiceId }) => invoiceId));
    const byId = new Map(invoices.map((invoice) => [invoice.id, invoice]));
    const arrived = await repositories.deposits.lockOfInvoices([...byId.keys()], ['arrived']);
    // An operator who decides about one locks its invoice first.
    const held = await repositories.deposits.ofInvoices([...byId.keys()], { statuses: ['held'], most: 1 });
    const withHeld = new Set(held.map(({ invoiceId }) => invoiceId));
    const ofInvoice = Map.groupBy(arrived, ({ invoiceId }) => invoiceId);
    const ended: string[] = [];
    const done: { moved: number; held: Deposit[] } = { moved: 0, held: [] };
    for (const { invoiceId, verdicts } of group) {
      const invoice = byId.get(invoiceId);
      if (!invoice) continue;
      let current = invoice;
      const isLeft = isLeftBehind(invoice, { held: withHeld.has(invoiceId) });
      if (!hasEnded(invoice) && !isLeft) {
        if (isDeferred(invoice)) continue;
        const due = ofInvoice.get(invoiceId) ?? [];
        const settled = await settleDeposits(deps, gathered, invoice, due, verdicts);
        if (settled.invoice === invoice) continue;
        current = settled.invoice;
        done.held.push(...settled.held);
      }
      done.moved += 1;
      if (isLeft || hasEnded(current)) ended.push(invoiceId);
    }
    await flush();
    await strand(repositories, ended);
    return done;
  }, SET_LOCKS);
  tellHeld(deps, held);
  return moved;
}
