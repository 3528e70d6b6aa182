/** Payments to permanent addresses: facts about those of a set, and which invoice takes each. */
import { isOlderThan } from '../../domain/chains/payment-time.ts';
import { accepts } from '../../domain/invoices/invoice.ts';
import type { PermanentAddress } from '../../domain/invoices/permanent-address.ts';
import { fiatForUnits } from '../../domain/rates/rate.ts';
import { ChainUnavailable, type Transfer } from '../../ports/chains/chain-scanner.ts';
import type { IssuedAddress } from '../../ports/invoices/address-repository.ts';
import type { PermanentPayment } from '../../ports/invoices/invoice-repository.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { type InvoiceMatch, matchEarlierChoice } from '../invoices/earlier-choice.ts';
import { openDepositInvoice } from '../invoices/open-deposit-invoice.ts';
import { usdPrice } from '../rates/usd-price.ts';
import type { LifecycleNeeds } from './deposit-lifecycle.ts';
import { permanentKey } from './gather-writes.ts';
import type { Observation, ObservedTransfer } from './observation.ts';

export interface PermanentRecords {
  /** By id. */
  readonly addresses: ReadonlyMap<string, PermanentAddress>;
  /** Ids of the invoices that waited for one of the payments. */
  readonly waiting: readonly string[];
}

/**
 * Reads what is needed of all payments of a set together: the addresses, their merchants, and the
 * invoices that wait on them. `gathered` remembers the latter two.
 */
export async function readPermanent(
  gathered: Repositories,
  observations: readonly ObservedTransfer[],
  issued: ReadonlyMap<string, IssuedAddress>,
): Promise<PermanentRecords> {
  const idOf = ({ transfer }: ObservedTransfer) => issued.get(transfer.to)?.permanentAddressId ?? null;
  const ids = new Set(observations.flatMap((observed) => idOf(observed) ?? []));
  if (ids.size === 0) return { addresses: new Map(), waiting: [] };
  const found = await gathered.permanentAddresses.findAll([...ids]);
  const addresses = new Map(found.map((address) => [address.id, address]));
  const active = found.filter((address) => address.active && !address.sandbox);
  if (active.length === 0) return { addresses, waiting: [] };
  await gathered.merchants.findAll([...new Set(active.map(({ merchantId }) => merchantId))]);
  const open = new Set(active.map(({ id }) => id));
  const payments = observations.flatMap((observed) => {
    const id = idOf(observed);
    return id !== null && open.has(id) ? [payingAt(id, observed)] : [];
  });
  const distinct = new Map(payments.map((payment) => [permanentKey(payment), payment]));
  const waiting = await gathered.invoices.waitingOnPermanentAddresses([...distinct.values()]);
  return { addresses, waiting: waiting.flatMap((id) => id ?? []) };
}

const payingAt = (permanentAddressId: string, { transfer, at }: ObservedTransfer): PermanentPayment => ({
  ...{ permanentAddressId, asset: transfer.asset, seenAt: at.seenAt, madeBefore: at.madeBefore },
});

/** What a payment is, for the choice that it may pay. */
export const paymentOf = ({ asset, units, to: address }: Transfer, { chain }: Observation) => ({
  ...{ chain, address, asset, units },
});

/**
 * Smaller payments to permanent addresses open no invoice, so that they cannot cause
 * thousands of them (safety.md U5).
 */
const LEAST_DEPOSIT_MICRO_USD = 2_000_000n;

/** The invoice that waits on the address, or a new one. */
export async function permanentTaker(
  deps: LifecycleNeeds,
  repositories: Repositories,
  address: PermanentAddress | undefined,
  { transfer, at: observation }: ObservedTransfer,
): Promise<InvoiceMatch> {
  if (!address?.active) return { stray: 'permanent_address_inactive' };
  if (isOlderThan(observation, address.createdAt)) return { stray: 'older_than_invoice' };
  const waiting = await repositories.invoices.lockWaitingOnPermanentAddress(
    payingAt(address.id, { transfer, at: observation }),
  );
  if (waiting !== null && accepts(waiting, observation.seenAt)) {
    const taker = await matchEarlierChoice(repositories, waiting, paymentOf(transfer, observation));
    if ('invoice' in taker) return taker;
  }
  if (!deps.catalog.isListed(transfer.asset)) return { stray: 'other_asset' };
  const asset = deps.catalog.require(transfer.asset);
  const price = usdPrice(deps, asset, false);
  if (price === null) {
    // Shortly after a start: the block is read again once prices are available.
    if (deps.rateBook.latest().ageSeconds === null)
      throw new ChainUnavailable('a payment to a permanent address waits for the first exchange rates');
    return { stray: 'no_rate' };
  }
  if (fiatForUnits(transfer.units, price, asset, 'ceil') < LEAST_DEPOSIT_MICRO_USD) {
    return { stray: 'below_minimum' };
  }
  return {
    invoice: await openDepositInvoice(deps, repositories, {
      address,
      asset,
      units: transfer.units,
      priceE18: price,
    }),
  };
}
