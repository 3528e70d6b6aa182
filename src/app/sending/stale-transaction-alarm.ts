/**
 * What is signed on a chain where transactions expire ends within minutes: in a block, or dead and signed anew. One that no node
 * has after hours, and that is not proven dead either, needs a person: the time of a node was believed that was not the chain's,
 * or a node that answers has no history. It is told again and again, and shown beside its payouts.
 */

import { alreadyTold } from '../../domain/payouts/hold-reasons.ts';
import type { Bundle, SignedTransaction } from '../../domain/sending/outgoing.ts';
import { boundedMap, NOTES_MAX } from '../shared/bounded-map.ts';
import { lockBundle, type SendingChain, type SendingNeeds } from './sending-chain.ts';
import { mayBePaid } from './signing/refused-payout.ts';

const UNSEEN_MS = 2 * 60 * 60 * 1000;

/** To be called with the newest transaction of a bundle whenever no node has any of its transactions. */
export function unseenAlarm(
  deps: SendingNeeds,
  { chain }: Pick<SendingChain, 'chain'>,
): (bundle: Bundle, latest: SignedTransaction) => Promise<void> {
  const told = boundedMap<string, number>(NOTES_MAX);

  return async ([{ bundleId, purpose, voided }], { txid, signedAt, validUntil }) => {
    const now = deps.clock.now();
    const since = Math.max(signedAt.getTime(), told.get(bundleId) ?? 0);
    if (now.getTime() - since < UNSEEN_MS) return;
    told.set(bundleId, now.getTime());
    deps.logger.error('transfer.unseen', {
      ...{ chain, bundleId, purpose, voided, txid },
      ...{ signedAt: signedAt.toISOString(), validUntil: String(validUntil) },
    });
    const reason = `no node has ${txid} since ${signedAt.toISOString()}, and it is not proven dead`;
    const waiting = { code: 'signing', reason } as const;
    await deps.unitOfWork.run(async (repositories) => {
      const locked = await lockBundle(repositories, bundleId);
      for (const payout of locked?.payouts ?? [])
        if (mayBePaid(payout) && !alreadyTold(payout.waiting, waiting))
          await repositories.payouts.save({ ...payout, waiting: { ...waiting, at: now } });
    });
  };
}
