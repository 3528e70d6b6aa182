/**
 * What was signed on a chain of coins and cannot be mined, since a reorganisation took a coin that it spends (safety.md U7). While
 * that coin might come back nobody may be paid again: the coins that are left are moved to ourselves instead, and when that is final
 * the payments have failed for good.
 */
import { decideOutgoing } from '../domain/outgoing.ts';
import { failureOf } from '../domain/outgoing-failure.ts';
import { lockBundle, type SendingChain, type SendingNeeds } from './sending.ts';

/** Nothing happens when all its coins are in a block, or none of them is. */
export function giveUpLost(deps: SendingNeeds, { chain }: SendingChain, bundleId: string): Promise<void> {
  return deps.unitOfWork.run(async (repositories) => {
    const locked = await lockBundle(repositories, bundleId);
    if (locked === null) return;
    const { bundle } = locked;
    const [lead] = bundle;
    const lost = await repositories.coins.lostOf(bundleId);
    if (lead.purpose === 'bump' || lost.length === 0) return;
    const all = await repositories.coins.ofBundle(bundleId);
    const told = { chain, bundleId, coins: lost.map(({ txid, vout }) => `${txid}:${vout}`) };
    if (lost.length === all.length) {
      deps.logger.error('transfer.coins_lost', told);
      return;
    }
    for (const transfer of bundle) {
      const next = decideOutgoing(transfer, { type: 'voided', reason: failureOf('coin_lost') });
      if (next !== null) await repositories.outgoing.save({ ...transfer, ...next });
    }
    deps.logger.error('transfer.given_up_lost_coin', told);
  });
}
