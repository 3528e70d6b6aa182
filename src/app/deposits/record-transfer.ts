/**
 * Records a transfer to one of the gateway's addresses as a deposit: of an invoice, of a permanent
 * address, or a stray.
 */

import { isOlderThan, type Moment, timeOfPayment } from '../../domain/chains/payment-time.ts';
import { type Deposit, outputKey } from '../../domain/deposits/deposit.ts';
import { accepts } from '../../domain/invoices/invoice.ts';
import type { ScannedBlock, Transfer } from '../../ports/chains/chain-scanner.ts';
import type { IssuedAddress } from '../../ports/invoices/address-repository.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { type InvoiceMatch, matchEarlierChoice } from '../invoices/earlier-choice.ts';
import { applyEvents } from '../invoices/invoice-events.ts';
import { type LifecycleNeeds, lockWithInvoice, markBack, markGone } from './deposit-lifecycle.ts';
import { balanceKeyOf, isUnrecorded } from './explained-money.ts';
import { gatherWrites } from './gather-writes.ts';
import type { Observation, ObservedTransfer } from './observation.ts';
import { type PermanentRecords, paymentOf, permanentTaker, readPermanent } from './permanent-payments.ts';
import { pooledOutput } from './pooled-output.ts';

/** Every transfer of `blocks`, with its block; `now`: when they were read. */
export function observationsIn(
  place: Pick<Observation, 'chain' | 'family' | 'hotWallet'>,
  blocks: readonly ScannedBlock[],
  now: Moment,
): ObservedTransfer[] {
  return blocks.flatMap(({ height, hash, time, transfers }) => {
    const at = { ...place, ...timeOfPayment(place.family, time, now), block: { height, hash } };
    return transfers.map((transfer) => ({ transfer, at }));
  });
}

/**
 * All transfers are of one chain. The gateway's own transfers (gas for a sweep) are no payments:
 * their transactions were stored before they could be seen. Facts about the others are read, locked
 * and written together, because there may be thousands (safety.md U5). Returns the waiting,
 * unrecorded transfers that are late by the gateway's clock: their block decides (safety.md K7).
 * Needs the locked cursor.
 */
export async function recordTransfers(
  deps: LifecycleNeeds,
  repositories: Repositories,
  observations: readonly ObservedTransfer[],
): Promise<readonly Transfer[]> {
  const [first] = observations;
  if (first === undefined) return [];
  const { chain, family } = first.at;
  const ours = await repositories.outgoing.ours(observations.map(({ transfer }) => transfer.txid));
  const payments = observations.filter(({ transfer }) => !ours.has(transfer.txid));
  const transfers = payments.map(({ transfer }) => transfer);
  const keys = [...transfers, ...payments.flatMap((each) => balanceKeyOf(each) ?? [])];
  const known = await repositories.deposits.findByKeys(chain, keys);
  const issued = await repositories.addresses.find(family, [...new Set(transfers.map(({ to }) => to))]);
  const { gathered, flush } = gatherWrites(repositories);
  const knownByOutput = new Map(known.map((deposit) => [outputKey(deposit), deposit]));
  const issuedByAddress = new Map(issued.map((address) => [address.address, address]));
  const fresh = payments.filter(({ transfer }) => !knownByOutput.has(outputKey(transfer)));
  const records: DepositRecords = {
    known: knownByOutput,
    issued: issuedByAddress,
    frozen: await repositories.frozen.among({ chain, addresses: issued.map(({ address }) => address) }),
    permanent: await readPermanent(gathered, fresh, issuedByAddress),
  };
  const invoiceIds = new Set([
    ...[...known, ...issued].flatMap(({ invoiceId }) => invoiceId ?? []),
    ...records.permanent.waiting,
  ]);
  await gathered.invoices.lockAll([...invoiceIds]);
  await gathered.deposits.lockAll(known.map(({ id }) => id));
  const late: Transfer[] = [];
  for (const observed of payments) {
    const { transfer, at } = observed;
    if (await isFunding(repositories, records, observed))
      await recordFunding(deps, repositories, transfer, at);
    else if (await isUnrecorded(deps, gathered, records.known, observed))
      if (!(await recordTransfer(deps, gathered, records, observed))) late.push(transfer);
  }
  await flush();
  return late;
}

interface DepositRecords {
  /** By output; includes those recorded meanwhile. */
  readonly known: Map<string, Deposit>;
  /** By address. */
  readonly issued: ReadonlyMap<string, IssuedAddress>;
  /** The frozen ones among them. */
  readonly frozen: ReadonlySet<string>;
  readonly permanent: PermanentRecords;
}

/**
 * Whether the transfer is the operator's funding of the hot wallet. Where deposits are pooled, an
 * operator may have assigned such a payment (pooled-funding.ts); one from before its tag was issued
 * stays funding.
 */
async function isFunding(
  { utxos }: Repositories,
  { known }: DepositRecords,
  { transfer, at: { chain, hotWallet } }: ObservedTransfer,
): Promise<boolean> {
  const vout = pooledOutput(transfer.output);
  if (hotWallet === null || vout === null) return transfer.to === hotWallet;
  if (known.has(outputKey(transfer))) return false;
  return transfer.to === hotWallet || utxos.isFunding(chain, { txid: transfer.txid, vout });
}

/**
 * Records funding by the operator, or money without an owner where deposits are pooled, once it is
 * in a block (book-funding.ts).
 */
async function recordFunding(
  deps: Pick<LifecycleNeeds, 'logger'>,
  repositories: Repositories,
  { txid, output, units, encumbered }: Transfer,
  { chain, block, hotWallet: address }: Observation,
): Promise<void> {
  const coin = /^vout:(\d+)$/.exec(output)?.[1];
  const vout = coin === undefined ? pooledOutput(output) : Number(coin);
  if (block === null || vout === null || encumbered || address === null) return;
  await repositories.utxos.insertFunding(chain, { txid, vout, address, units }, block);
  if (coin === undefined) deps.logger.warn('deposit.parked', { chain, txid });
}

/**
 * Idempotent by the credit key (chain, txid, output): another sighting only updates where the
 * transfer is. Returns false for a waiting transfer that only its block can decide.
 */
async function recordTransfer(
  deps: LifecycleNeeds,
  repositories: Repositories,
  records: DepositRecords,
  { transfer, at: observation }: ObservedTransfer,
): Promise<boolean> {
  const known = records.known.get(outputKey(transfer));
  if (known) {
    await seenAgain(deps, repositories, known, transfer, observation);
    return true;
  }
  const issued = records.issued.get(transfer.to);
  if (!issued) return true;
  const taker = await matchInvoice(
    deps,
    repositories,
    { issued, frozen: records.frozen, permanent: records.permanent },
    transfer,
    observation,
  );
  // Its block decides by the chain's time whether it is late: the gateway's clock may be ahead
  // (safety.md K7).
  if (observation.block === null && 'stray' in taker && taker.stray === 'invoice_closed') return false;
  const deposit: Deposit = {
    id: deps.ids.id(),
    chain: observation.chain,
    txid: transfer.txid,
    output: transfer.output,
    asset: transfer.asset,
    address: transfer.to,
    addressFrom: transfer.from,
    units: transfer.units,
    status: 'confirming',
    block: observation.block,
    firstSeenAt: observation.seenAt,
    unexplained: transfer.kind === 'unexplained',
    lockedUntil: transfer.lockedUntil ?? null,
    encumbered: transfer.encumbered ?? false,
    merchantId: issued.merchantId,
    // Real money sent to a sandbox address is real: an operator finds it among the live strays.
    sandbox: false,
    invoiceId: 'invoice' in taker ? taker.invoice.id : null,
    strayReason: 'invoice' in taker ? null : taker.stray,
    note: 'stray' in taker && taker.stray === 'invoice_removed' ? `invoice ${issued.invoiceId}` : null,
  };
  await repositories.deposits.insertAll([deposit]);
  records.known.set(outputKey(deposit), deposit);
  if ('invoice' in taker) {
    await applyEvents(deps, repositories, taker.invoice, [
      {
        type: 'payment_seen',
        units: deposit.units,
        txid: deposit.txid,
        from: deposit.addressFrom,
        at: deps.clock.now(),
      },
    ]);
  }
  return true;
}

async function seenAgain(
  deps: LifecycleNeeds,
  repositories: Repositories,
  known: Deposit,
  transfer: Transfer,
  observation: Observation,
): Promise<void> {
  const locked = await lockWithInvoice(repositories, known);
  if (!locked) return;
  const { deposit, invoice } = locked;
  const seen = whereSeen(deposit, transfer, observation);
  if (deposit.status === 'dropped' || deposit.status === 'reversed') {
    await markBack(deps, repositories, { deposit, invoice, ...seen, units: transfer.units });
    return;
  }
  if (deposit.units !== transfer.units) {
    // All nodes showed its units in that block before it was final, so one node's answer now
    // changes nothing.
    if (deposit.status !== 'confirming' && seen.block?.hash === deposit.block?.hash) return;
    // The same output pays another amount on the new branch: the old payment is gone, and this one
    // counts.
    await markGone(deps, repositories, deposit, invoice);
    const again = await lockWithInvoice(repositories, known);
    if (again) await markBack(deps, repositories, { ...again, ...seen, units: transfer.units });
    return;
  }
  if (seen.block?.hash === deposit.block?.hash) return;
  const moved = { ...deposit, ...seen };
  await repositories.deposits.save(moved);
  // Its UTXO can be spent once this block is final.
  if (moved.status === 'credited') await repositories.utxos.insertDeposits([moved], observation.family);
}

/** Facts that only a block has: a waiting transaction lacks them, and another branch may differ. */
function whereSeen(
  deposit: Deposit,
  transfer: Transfer,
  { block }: Observation,
): Pick<Deposit, 'block' | 'lockedUntil'> {
  return block
    ? { block, lockedUntil: transfer.lockedUntil ?? null }
    : { block: deposit.block, lockedUntil: deposit.lockedUntil };
}

async function matchInvoice(
  deps: LifecycleNeeds,
  repositories: Repositories,
  { issued, frozen, permanent }: { issued: IssuedAddress } & Pick<DepositRecords, 'frozen' | 'permanent'>,
  transfer: Transfer,
  observation: Observation,
): Promise<InvoiceMatch> {
  if (transfer.kind === 'unexplained') return { stray: 'unexplained_balance' };
  if (issued.sandbox) return { stray: 'sandbox_address' };
  if (frozen.has(issued.address)) return { stray: 'frozen_address' };
  // Its address was issued earlier, to another invoice: a backup was restored (safety.md K6).
  if (issued.issuedAt !== null && isOlderThan(observation, issued.issuedAt))
    return { stray: 'older_than_invoice' };
  if (issued.permanentAddressId !== null) {
    const address = permanent.addresses.get(issued.permanentAddressId);
    return permanentTaker(deps, repositories, address, { transfer, at: observation });
  }
  if (issued.invoiceId === null) return { stray: 'no_invoice' };
  const invoice = await repositories.invoices.lock(issued.invoiceId);
  // Its address takes payments for its merchant for ever.
  if (!invoice) return { stray: 'invoice_removed' };
  if (isOlderThan(observation, invoice.createdAt)) return { stray: 'older_than_invoice' };
  if (!accepts(invoice, observation.seenAt)) return { stray: 'invoice_closed' };
  // An invoice has one address per family, so the asset identifies the paid choice.
  return matchEarlierChoice(repositories, invoice, paymentOf(transfer, observation));
}
