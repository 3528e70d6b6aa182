/**
 * Pending payouts become outgoing transfers of the hot wallet, oldest first: the sequence is taken, and the transfer stored,
 * in the transaction that checks the payout once more. What may not go is held; what cannot go yet says why and waits.
 */
import { allocatedTransfer, type OutgoingTransfer } from '../domain/outgoing.ts';
import { limitExceeded, type PayoutLimits } from '../domain/payout-limits.ts';
import type { Payout } from '../domain/payout-record.ts';
import type { Repositories } from '../ports/repositories.ts';
import { hotWalletOf, type SendingChain, type SendingNeeds } from './sending.ts';

const DAY_MS = 86_400_000;

/** `open`: all transfers of the chain that are not settled. Answers how many transfers were made. */
export function allocatePayouts(
  deps: SendingNeeds,
  on: SendingChain,
  limits: PayoutLimits,
): (candidates: readonly Payout[], open: readonly OutgoingTransfer[]) => Promise<number> {
  const wallet = hotWalletOf(on);

  return async (candidates, open) => {
    if (candidates.length === 0) return 0;
    const purse = await openPurse(on, wallet, candidates, open, limits);
    const atLeast = await on.sender.nextSequence(wallet);
    let made = 0;
    for (const candidate of candidates) {
      const done = await deps.unitOfWork.run(async (repositories) => {
        const payout = await repositories.payouts.lock(candidate.id);
        if (!payout || !(await mayGo(deps, repositories, payout, limits))) return false;
        const lacking = purse.lacking(payout);
        if (lacking !== null) {
          if (payout.waiting !== lacking) await repositories.payouts.save({ ...payout, waiting: lacking });
          return false;
        }
        const sequence = await repositories.outgoing.takeSequence({
          chain: on.chain,
          address: wallet,
          atLeast,
        });
        await repositories.outgoing.insert(transferFor(deps, on, wallet, payout, sequence));
        if (payout.waiting !== null) await repositories.payouts.save({ ...payout, waiting: null });
        return true;
      });
      if (!done) continue;
      purse.take(candidate);
      made += 1;
    }
    return made;
  };
}

/** Asked again under the lock: since the list was read it may have been held, cancelled, taken by another worker, or signing stopped. */
async function mayGo(
  deps: SendingNeeds,
  repositories: Repositories,
  payout: Payout,
  limits: PayoutLimits,
): Promise<boolean> {
  if (payout.status !== 'pending' || payout.held !== null) return false;
  if (await repositories.outgoing.signingStopped()) return false;
  if (await repositories.outgoing.activeOf('payout', payout.id)) return false;
  const since = new Date(deps.clock.now().getTime() - DAY_MS);
  const dayMicroUsd =
    limits.dayMicroUsd === null ? 0n : await repositories.payouts.microUsdUpTo(payout, since);
  const held = limitExceeded(payout, deps.catalog.require(payout.asset), limits, dayMicroUsd);
  if (held === null) return true;
  await repositories.payouts.save({ ...payout, held, waiting: null });
  deps.logger.warn('a payout is over a limit and waits for an operator', { payoutId: payout.id, held });
  return false;
}

function transferFor(
  deps: SendingNeeds,
  on: SendingChain,
  wallet: string,
  payout: Payout,
  sequence: bigint,
): OutgoingTransfer {
  return allocatedTransfer({
    id: deps.ids.id(),
    chain: on.chain,
    wallet,
    sequence,
    purpose: 'payout',
    referenceId: payout.id,
    asset: payout.asset,
    to: payout.address,
    units: payout.sentUnits,
    createdAt: deps.clock.now(),
  });
}

export interface Purse {
  /** Why the wallet cannot pay this now; null when it can. */
  lacking(order: Order): string | null;
  take(order: Order): void;
}

type Order = Pick<Payout, 'asset' | 'sentUnits'>;

/** What the wallet has on the chain, less what is on its way out, less the floor. Careful: what was mined just now counts twice. */
export async function openPurse(
  on: Pick<SendingChain, 'sender'>,
  wallet: string,
  candidates: readonly Pick<Payout, 'asset'>[],
  open: readonly OutgoingTransfer[],
  limits: Pick<PayoutLimits, 'floorUnits'>,
): Promise<Purse> {
  const { sender } = on;
  const native = sender.nativeAsset;
  const wanted = [...new Set([native, ...candidates.map((payout) => payout.asset)])];
  const { units } = await sender.balances(wallet, wanted);
  const fees = new Map<string, bigint>();
  for (const asset of wanted) fees.set(asset, (await sender.price({ asset, to: null })).maxUnits);
  const free = new Map(
    wanted.map((asset) => [asset, (units.get(asset) ?? 0n) - (limits.floorUnits.get(asset) ?? 0n)]),
  );
  const spend = (asset: string, amount: bigint) => free.set(asset, (free.get(asset) ?? 0n) - amount);
  const take = (asset: string, amount: bigint) => {
    spend(asset, amount);
    spend(native, fees.get(asset) ?? fees.get(native) ?? 0n);
  };
  for (const transfer of open) if (transfer.wallet === wallet) take(transfer.asset, transfer.units);
  return {
    lacking({ asset, sentUnits }) {
      const fee = fees.get(asset) ?? 0n;
      const needed = asset === native ? sentUnits + fee : sentUnits;
      if ((free.get(asset) ?? 0n) < needed) return `liquidity: the hot wallet has too little ${asset}`;
      if ((free.get(native) ?? 0n) < fee)
        return `liquidity: the hot wallet has too little ${native} for the fee`;
      return null;
    },
    take: (payout) => take(payout.asset, payout.sentUnits),
  };
}
