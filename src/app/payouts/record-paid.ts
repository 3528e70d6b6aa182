/**
 * An operator found the transaction that paid a held payout, among the wallet's unknown
 * transactions (safety.md K4).
 */
import { type AppError, appError } from '../../domain/errors.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { UnknownPayment } from '../../ports/chains/chain-scanner.ts';
import type { NotedTransaction } from '../../ports/chains/unknown-transactions.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { EventNeeds } from '../invoices/invoice-events.ts';
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
 * found for the payment. The operator still has to book its network fee.
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
      const refusal = await whyNot(deps, repositories, payout, transaction);
      if (refusal !== null) return err(appError('INVALID_TRANSITION', refusal));
      const at = deps.clock.now();
      const paid = await applyPayoutEvent(deps, repositories, payout, { type: 'confirmed', txid, at });
      if (paid === null) throw new Error(`payout ${payoutId} is pending and could not be paid`);
      await repositories.unknown.found({ chain, txid, payoutId, at });
      deps.logger.info('payout.found_paid', { payoutId, chain, txid });
      return ok(paid);
    });
}

async function whyNot(
  deps: Needs,
  { chains, unknown }: Repositories,
  payout: Payout,
  { chain, txid, block, payments }: NotedTransaction,
): Promise<string | null> {
  const alike = payments.filter(paysFor(deps, payout));
  const taken = (await unknown.foundFor(chain, txid)).filter((other) => alike.some(paysFor(deps, other)));
  if (alike.length <= taken.length)
    return `${txid} does not pay that amount to ${payout.address}, or is recorded for another payout.`;
  if (block === null) return `${txid} is not on the chain any more: its block was replaced.`;
  const cursor = await chains.cursor(chain);
  return (cursor?.finalizedHeight ?? -1) < block.height ? `${txid} is not final yet: try again later.` : null;
}
