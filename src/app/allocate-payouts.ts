/**
 * Pending payouts become outgoing transfers of the hot wallet: the sequence is taken, and the transfer stored, in the
 * transaction that checks payout and purse once more. What may not go is held; what cannot go yet says why and waits.
 */
import { allocatedTransfer, type OutgoingTransfer } from '../domain/outgoing.ts';
import type { PayoutLimits } from '../domain/payout-limits.ts';
import type { Payout } from '../domain/payout-record.ts';
import { alreadyTold, hadItsTurn, type Waiting } from '../domain/waiting.ts';
import type { Repositories } from '../ports/repositories.ts';
import { letGo, letWait, mayGo } from './let-go.ts';
import { type Purse, purseOf, viewWallet, type WalletView } from './purse.ts';
import { hotWalletOf, type SendingChain, type SendingNeeds } from './sending.ts';

/** Answers how many transfers were made of the candidates. */
export function allocatePayouts(
  deps: SendingNeeds,
  on: SendingChain,
  limits: PayoutLimits,
): (candidates: readonly Payout[]) => Promise<number> {
  const { chain, sender } = on;
  const wallet = { chain, address: hotWalletOf(on) };

  async function purse(repositories: Repositories, view: WalletView): Promise<Purse> {
    const promised = await repositories.outgoing.promised({ ...wallet, from: view.sequence });
    return purseOf(view, promised, limits);
  }

  function allocate(id: string, view: WalletView, atLeast: bigint): Promise<boolean> {
    return deps.unitOfWork.run(async (repositories) => {
      const payout = await repositories.payouts.lock(id);
      if (!payout || !(await mayGo(deps, repositories, payout, limits))) return false;
      await repositories.outgoing.lockWallet(wallet);
      const lacking = whyNot(payout, view, await purse(repositories, view));
      if (lacking !== null) {
        await letWait(deps, repositories, payout, lacking);
        return false;
      }
      const sequence = await repositories.outgoing.takeSequence({ ...wallet, atLeast });
      await repositories.outgoing.insert(transferFor(payout, sequence));
      await letGo(deps, repositories, payout);
      return true;
    });
  }

  function transferFor(payout: Payout, sequence: bigint): OutgoingTransfer {
    const { id: referenceId, asset, address: to, sentUnits: units } = payout;
    return allocatedTransfer({
      ...{ id: deps.ids.id(), chain, wallet: wallet.address, sequence },
      ...{ purpose: 'payout', referenceId, asset, to, units, createdAt: deps.clock.now() },
    });
  }

  return async (candidates) => {
    if (candidates.length === 0) return 0;
    const assets = candidates.map(({ asset }) => asset);
    const view = await viewWallet(on, wallet.address, assets);
    const atLeast = await sender.nextSequence(wallet.address);
    const seen = await deps.unitOfWork.run((repositories) => purse(repositories, view));
    // What waited and still lacks the same is not worth a transaction each.
    const still = new Set(
      candidates.filter((payout) => {
        const lacking = whyNot(payout, view, seen);
        return lacking !== null && alreadyTold(payout.waiting, lacking);
      }),
    );
    await putOff(deps, [...still]);
    let made = 0;
    for (const candidate of candidates)
      if (!still.has(candidate) && (await allocate(candidate.id, view, atLeast))) made += 1;
    return made;
  };
}

/** What stands in the way of a payout that may go. */
function whyNot(payout: Payout, { unasked }: WalletView, purse: Purse): Omit<Waiting, 'at'> | null {
  const fault = unasked.get(payout.asset);
  if (fault !== undefined)
    return { code: 'asset', reason: `asset: ${payout.asset} cannot be sent at present: ${fault}` };
  const lacking = purse.lacking(payout);
  return lacking === null ? null : { code: 'liquidity', reason: lacking };
}

/** So that others that wait have their turn. */
async function putOff(deps: SendingNeeds, payouts: readonly Payout[]): Promise<void> {
  const at = deps.clock.now();
  const due = payouts.filter(({ waiting }) => waiting !== null && hadItsTurn(waiting, at));
  if (due.length === 0) return;
  const ids = due.map(({ id }) => id);
  await deps.unitOfWork.run((repositories) => repositories.payouts.putOff(ids, at));
}
