/**
 * Pending payouts become outgoing transfers of the hot wallet: the nonce is taken, and the transfer stored, in the
 * transaction that checks payout and spendable balance once more. What may not go is held; what cannot go yet says why and waits.
 */

import { isAlreadyRecorded, isRetryDue, type Waiting } from '../../domain/payouts/hold-reasons.ts';
import type { PayoutLimits } from '../../domain/payouts/payout-limits.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { OutgoingTransfer } from '../../domain/sending/outgoing.ts';
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { NonceFrom } from '../../ports/sending/outgoing-repository.ts';
import { nonceFinder } from './nonces/next-nonce.ts';
import { aheadOfUs } from './nonces/nonce-ahead.ts';
import { markDispatched, payoutTransfer, readyPayouts, recordHoldReason } from './payout-dispatch.ts';
import { hotWalletOf, type SendingChain, type SendingNeeds } from './sending-chain.ts';
import type { PayoutTrials } from './signing/try-payouts.ts';
import {
  type SpendableBalance,
  snapshotWallet,
  spendableBalanceOf,
  type WalletSnapshot,
} from './spendable-balance.ts';
import { undecidedUnits } from './unidentified-units.ts';

const NO_PLACE = {
  code: 'signing',
  reason: 'signing: what leaves the hot wallet already comes first',
} as const;

/** Answers how many transfers were made of the candidates. `open`: all transfers of the chain that are not settled. */
export function allocatePayouts(
  deps: SendingNeeds,
  on: SendingChain,
  limits: PayoutLimits,
  trials: Pick<PayoutTrials, 'passed'>,
): (candidates: readonly Payout[], open: readonly OutgoingTransfer[]) => Promise<number> {
  const { chain, sender } = on;
  const { ways } = sender;
  const wallet = { chain, address: hotWalletOf(on) };
  const nextNonce = nonceFinder(deps, on, { aheadOfUs: aheadOfUs(deps, on) });
  /** Asked for once before there is any payout: those that come later are then known to be none that was paid before. */
  let asked = sender.reportedNonces === undefined;

  /** Those of a group that may go and can be paid leave under one nonce; `from` is null where none is free, and they wait. */
  function allocate(group: readonly Payout[], view: WalletSnapshot, from: NonceFrom | null): Promise<number> {
    return deps.unitOfWork.run(async (repositories) => {
      const ready = await readyPayouts(deps, repositories, limits, group);
      if (ready.length === 0) return 0;
      await repositories.outgoing.lockWallet(wallet);
      const money = await spendableIn(repositories, on, view, limits);
      const paid: Payout[] = [];
      for (const payout of ready) {
        const lacking = whyNot(payout, view, money) ?? (from === null ? NO_PLACE : null);
        if (lacking !== null) await recordHoldReason(deps, repositories, payout, lacking);
        else {
          money.take(payout);
          paid.push(payout);
        }
      }
      const [lead, ...others] = paid.map((payout) => ({ id: deps.ids.id(), payout }));
      if (!lead || from === null) return 0;
      const nonce = await repositories.outgoing.takeNonce({ ...wallet, ...from });
      for (const [position, { id, payout }] of [lead, ...others].entries()) {
        const place = { chain, wallet: wallet.address, nonce, transferBatchId: lead.id, position };
        await repositories.outgoing.insert(payoutTransfer(deps, payout, { id, ...place }));
        await markDispatched(deps, repositories, payout);
      }
      return paid.length;
    });
  }

  return async (candidates, open) => {
    if (!asked) await nextNonce(wallet.address);
    asked = true;
    if (candidates.length === 0) return 0;
    // What has no place yet stays pending: it may leave together with what comes after it.
    const places =
      ways.paymentsAtOnce > 1
        ? ways.batchesAtOnce - batchesFrom(wallet.address, open)
        : Number.POSITIVE_INFINITY;
    const full = places <= 0;
    // The nodes are asked only for those that are new, or lacked something a while ago.
    const looked = full ? candidates.filter((each) => isWorthTelling(each, deps.clock.now())) : candidates;
    if (looked.length === 0) return 0;
    const assets = looked.map(({ asset }) => asset);
    const view = await snapshotWallet(on, wallet.address, assets, await heightRead(deps, on));
    const from = full ? null : await nextNonce(wallet.address);
    const seen = await deps.unitOfWork.run((repositories) => spendableIn(repositories, on, view, limits));
    // What waited and still lacks the same is not worth a transaction each.
    const still = new Set(
      looked.filter((payout) => {
        const lacking = whyNot(payout, view, seen);
        return lacking !== null && isAlreadyRecorded(payout.waiting, lacking);
      }),
    );
    await putOff(deps, [...still]);
    let made = 0;
    let batches = 0;
    const alone = from !== null && ways.paymentsAtOnce === 1;
    const moving = await trials.passed(
      looked.filter((candidate) => !still.has(candidate)),
      alone ? (payout) => allocate([payout], view, from) : null,
    );
    for (const group of groupsOf(moving, ways.paymentsAtOnce)) {
      if (!full && batches >= places) break;
      const allocated = await allocate(group, view, from);
      made += allocated;
      if (allocated > 0) batches += 1;
    }
    return made;
  };
}

/** How many batches of the wallet are on their way. */
function batchesFrom(wallet: string, open: readonly OutgoingTransfer[]): number {
  const own = open.filter((transfer) => transfer.wallet === wallet);
  return new Set(own.map(({ transferBatchId }) => transferBatchId)).size;
}

/** What may be spent of the wallet: without what was promised since it was looked at, and what is not ours yet. */
async function spendableIn(
  repositories: Repositories,
  on: SendingChain,
  view: WalletSnapshot,
  limits: PayoutLimits,
): Promise<SpendableBalance> {
  const { chain, sender } = on;
  const wallet = { chain, address: hotWalletOf(on) };
  const promised = await repositories.outgoing.promised({ ...wallet, since: view.since });
  const withheld = sender.ways.pooled ? await undecidedUnits(repositories, { ...view, chain }) : 0n;
  return spendableBalanceOf(view, promised, limits, withheld);
}

/** Where deposits lie in the hot wallet: as of the last block that was read, so that none of them is overlooked. */
async function heightRead(
  { unitOfWork }: Pick<SendingNeeds, 'unitOfWork'>,
  { chain, sender }: SendingChain,
): Promise<{ height: number } | undefined> {
  if (!sender.ways.pooled) return undefined;
  const cursor = await unitOfWork.run((repositories) => repositories.chains.cursor(chain));
  if (cursor === null) throw new ChainUnavailable(`${chain} has not been read yet`);
  return { height: cursor.height };
}

/** Of a payout that has no place at present: whether there may be something else to say of it than was said. */
function isWorthTelling({ waiting }: Payout, now: Date): boolean {
  return waiting === null || (waiting.code !== NO_PLACE.code && isRetryDue(waiting, now));
}

/**
 * A transaction moves one asset. In the order in which they came; where several leave together the asset has its turn of which one waits
 * longest, since there may be new ones of another all the time.
 */
function groupsOf(payouts: readonly Payout[], most: number): readonly (readonly Payout[])[] {
  if (most === 1) return payouts.map((payout) => [payout]);
  const oldest = (alike: readonly Payout[]) => Math.min(...alike.map(({ createdAt }) => createdAt.getTime()));
  const byAsset = [...Map.groupBy(payouts, ({ asset }) => asset).values()];
  return byAsset
    .toSorted((a, b) => oldest(a) - oldest(b))
    .flatMap((alike) =>
      Array.from({ length: Math.ceil(alike.length / most) }, (_, group) =>
        alike.slice(group * most, (group + 1) * most),
      ),
    );
}

/** What stands in the way of a payout that may go. */
function whyNot(
  payout: Payout,
  { unasked }: WalletSnapshot,
  spendable: SpendableBalance,
): Omit<Waiting, 'at'> | null {
  const fault = unasked.get(payout.asset);
  if (fault !== undefined)
    return { code: 'asset', reason: `asset: ${payout.asset} cannot be sent at present: ${fault}` };
  const lacking = spendable.lacking(payout);
  return lacking === null ? null : { code: 'liquidity', reason: lacking };
}

/** So that others that wait have their turn. */
async function putOff(deps: SendingNeeds, payouts: readonly Payout[]): Promise<void> {
  const at = deps.clock.now();
  const due = payouts.filter(({ waiting }) => waiting !== null && isRetryDue(waiting, at));
  if (due.length === 0) return;
  const ids = due.map(({ id }) => id);
  await deps.unitOfWork.run((repositories) => repositories.payouts.putOff(ids, at));
}
