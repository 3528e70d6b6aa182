/**
 * An operator found the transaction that paid a held payout, among the wallet's unknown
 * transactions (safety.md K4).
 */
import { isUtxo } from '../../domain/catalog/family.ts';
import { type AppError, appError } from '../../domain/errors.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Block } from '../../domain/sending/outgoing.ts';
import type { UnknownPayment } from '../../ports/chains/chain-scanner.ts';
import type { NotedTransaction } from '../../ports/chains/unknown-transactions.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { EventNeeds } from '../invoices/invoice-events.ts';
import { postCapital } from '../shared/capital-entry.ts';
import { applyPayoutEvent } from './apply-payout-event.ts';

type Needs = EventNeeds & Pick<AppDependencies, 'unitOfWork' | 'logger' | 'catalog' | 'liveDerivers'>;
type SoughtPayment = Pick<Payout, 'asset' | 'address' | 'sentUnits'>;

/** Whether all known facts of a payment match the payout. */
export function paysFor(
  { catalog, liveDerivers }: Pick<Needs, 'catalog' | 'liveDerivers'>,
  { asset, address, sentUnits }: SoughtPayment,
): (payment: UnknownPayment) => boolean {
  const to = liveDerivers.get(catalog.require(asset).family)?.normalize(address);
  return (payment) => payment.to === to && payment.asset === asset && payment.units === sentUnits;
}

/**
 * Records that the transaction paid the payout: its reserved balance is spent, as if this gateway
 * had sent it. Refused unless the transaction is final, pays exactly that, and no other payout was
 * found for the payment. What the transaction took from the wallet is booked by other means, its
 * network fee included: on account chains as a difference of the balance, from which this payment
 * is missing then, on UTXO chains output by output.
 */
export function payoutPaidBy(
  deps: Needs,
): (payoutId: string, txid: string) => Promise<Result<Payout, AppError>> {
  return (payoutId, txid) =>
    deps.unitOfWork.run(async (repositories) => {
      const payout = await repositories.payouts.lock(payoutId);
      if (!payout) return err(appError('NOT_FOUND', `No such payout: ${payoutId}`));
      if (payout.status !== 'pending' || payout.held === null)
        return err(appError('INVALID_TRANSITION', `The payout is ${payout.status} and not held.`));
      const { chain } = deps.catalog.require(payout.asset);
      const transaction = await repositories.unknown.lock(chain, txid);
      if (transaction === null)
        return err(appError('NOT_FOUND', `The wallet on ${chain} has no unknown transaction ${txid}.`));
      const found = await paymentFor(deps, repositories, payout, transaction);
      if (!found.ok) return found;
      const at = deps.clock.now();
      const paid = await applyPayoutEvent(deps, repositories, payout, { type: 'confirmed', txid, at });
      if (paid === null) throw new Error(`payout ${payoutId} is pending and could not be paid`);
      await repositories.unknown.found({ chain, txid, payoutId, at });
      await bookPaidOutput(deps, repositories, payout, { txid, ...found.value });
      deps.logger.info('payout.found_paid', { payoutId, chain, txid });
      return ok(paid);
    });
}

/** The payment that no other payout was found for. */
async function paymentFor(
  deps: Needs,
  { chains, unknown }: Repositories,
  payout: Payout,
  { chain, txid, block, payments }: NotedTransaction,
): Promise<Result<{ payment: UnknownPayment; block: Block }, AppError>> {
  const alike = payments.filter(paysFor(deps, payout));
  const taken = (await unknown.foundFor(chain, txid)).filter((other) => alike.some(paysFor(deps, other)));
  const payment = alike[taken.length];
  if (payment === undefined)
    return refused(
      `${txid} does not pay that amount to ${payout.address}, or is recorded for another payout.`,
    );
  if (block === null) return refused(`${txid} is not on the chain any more: its block was replaced.`);
  const cursor = await chains.cursor(chain);
  return (cursor?.finalizedHeight ?? -1) < block.height
    ? refused(`${txid} is not final yet: try again later.`)
    : ok({ payment, block });
}

/**
 * UTXO chains: what the transaction spent is booked out of the capital in full, and its change into
 * it. The part that paid for a merchant was no withdrawal of the operator's, and the payout's own
 * entry takes it from the treasury: so it goes back into the capital.
 */
async function bookPaidOutput(
  deps: Needs,
  repositories: Repositories,
  { id, asset, sentUnits: units }: Payout,
  { txid, payment: { vout }, block }: { txid: string; payment: UnknownPayment; block: Block },
): Promise<void> {
  const { chain, family } = deps.catalog.require(asset);
  if (!isUtxo(family)) return;
  if (vout === undefined) throw new Error(`nobody says which output of ${txid} paid the payout ${id}`);
  const note = `paid the payout ${id}: ${txid}:${vout}`;
  const place = { chain, asset, address: null, coin: { txid, vout } };
  await postCapital(deps, repositories, { ...place, units, block, note });
}

function refused(message: string): Result<never, AppError> {
  return err(appError('INVALID_TRANSITION', message));
}
