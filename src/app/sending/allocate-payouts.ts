/**
 * Pending payouts become outgoing transfers of the hot wallet. The transaction that takes the nonce
 * and stores the transfer checks payout and spendable balance once more. A payout over a limit is
 * held; one that cannot leave yet says why and waits.
 */

import type { PayoutLimits } from '../../domain/payouts/payout-limits.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import { isAlreadyRecorded, isRetryDue, type Waiting } from '../../domain/payouts/waiting-reasons.ts';
import type { OutgoingTransfer } from '../../domain/sending/outgoing.ts';
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { NonceFrom } from '../../ports/sending/outgoing-repository.ts';
import { nonceFinder } from './nonces/next-nonce.ts';
import { aheadOfUs } from './nonces/nonce-ahead.ts';
import { insertBatch, readyPayouts, recordWaitingReason } from './payout-dispatch.ts';
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

/**
 * Returns how many transfers were made of the candidates. `open`: all transfers of the chain that
 * are not settled.
 */
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
  /**
   * Whether the nodes were asked for the wallet's nonces. The first step asks even without payouts:
   * what it finds cannot have paid those that come later.
   */
  let asked = sender.reportedNonces === undefined;

  /**
   * Allocates the payouts of a group that may leave and can be paid, under one nonce. Where `from`
   * is null no nonce is free, and they wait.
   */
  function allocate(group: readonly Payout[], view: WalletSnapshot, from: NonceFrom | null): Promise<number> {
    return deps.unitOfWork.run(async (repositories) => {
      const ready = await readyPayouts(deps, repositories, limits, group);
      if (ready.length === 0) return 0;
      await repositories.outgoing.lockWallet(wallet);
      const money = await spendableIn(repositories, on, view, limits);
      const paid: Payout[] = [];
      for (const payout of ready) {
        const missing = whyNot(payout, view, money) ?? (from === null ? NO_PLACE : null);
        if (missing !== null) await recordWaitingReason(deps, repositories, payout, missing);
        else {
          money.reserve(payout);
          paid.push(payout);
        }
      }
      const [first, ...others] = paid;
      if (!first || from === null) return 0;
      await insertBatch(deps, repositories, on, [first, ...others], from);
      return paid.length;
    });
  }

  return async (candidates, open) => {
    if (!asked) await nextNonce(wallet.address);
    asked = true;
    if (candidates.length === 0) return 0;
    // A payout without a place stays pending: it may leave together with later ones.
    const places =
      ways.paymentsAtOnce > 1
        ? ways.batchesAtOnce - batchesFrom(wallet.address, open)
        : Number.POSITIVE_INFINITY;
    const full = places <= 0;
    // The nodes are asked only about payouts that are new, or that lacked something a while ago.
    const looked = full ? candidates.filter((each) => isWorthTelling(each, deps.clock.now())) : candidates;
    if (looked.length === 0) return 0;
    const assets = looked.map(({ asset }) => asset);
    const view = await snapshotWallet(on, wallet.address, assets, await heightRead(deps, on));
    const from = full ? null : await nextNonce(wallet.address);
    const seen = await deps.unitOfWork.run((repositories) => spendableIn(repositories, on, view, limits));
    // Payouts that still lack the same are written together, not in a transaction each.
    const still = new Set(
      looked.filter((payout) => {
        const missing = whyNot(payout, view, seen);
        return missing !== null && isAlreadyRecorded(payout.waiting, missing);
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

/** What may be spent: without what was committed since the snapshot, and what is not ours yet. */
async function spendableIn(
  repositories: Repositories,
  on: SendingChain,
  view: WalletSnapshot,
  limits: PayoutLimits,
): Promise<SpendableBalance> {
  const { chain, sender } = on;
  const wallet = { chain, address: hotWalletOf(on) };
  const committed = await repositories.outgoing.commitmentsSince({ ...wallet, since: view.since });
  const withheld = sender.ways.pooled ? await undecidedUnits(repositories, { ...view, chain }) : 0n;
  return spendableBalanceOf(view, committed, limits, withheld);
}

/**
 * The last block that was read, where deposits lie in the hot wallet: a later block may have a
 * deposit that is not known yet. Undefined elsewhere, for the best block.
 */
async function heightRead(
  { unitOfWork }: Pick<SendingNeeds, 'unitOfWork'>,
  { chain, sender }: SendingChain,
): Promise<{ height: number } | undefined> {
  if (!sender.ways.pooled) return undefined;
  const cursor = await unitOfWork.run((repositories) => repositories.chains.cursor(chain));
  if (cursor === null) throw new ChainUnavailable(`${chain} has not been read yet`);
  return { height: cursor.height };
}

/** Whether a payout without a place may wait for something else than is recorded. */
function isWorthTelling({ waiting }: Payout, now: Date): boolean {
  return waiting === null || (waiting.code !== NO_PLACE.code && isRetryDue(waiting, now));
}

/**
 * Payouts that may leave together: of one asset, and at most `most`. The asset of the payout that
 * waits longest comes first, or new payouts of another could keep it waiting for ever.
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

/** Why the wallet cannot pay a payout that may leave; null when it can. */
function whyNot(
  payout: Payout,
  { unasked }: WalletSnapshot,
  spendable: SpendableBalance,
): Omit<Waiting, 'at'> | null {
  const fault = unasked.get(payout.asset);
  if (fault !== undefined)
    return { code: 'asset', reason: `asset: ${payout.asset} cannot be sent at present: ${fault}` };
  const missing = spendable.shortfall(payout);
  return missing === null ? null : { code: 'liquidity', reason: missing };
}

/** Moves payouts behind the others that wait. */
async function putOff(deps: SendingNeeds, payouts: readonly Payout[]): Promise<void> {
  const at = deps.clock.now();
  const due = payouts.filter(({ waiting }) => waiting !== null && isRetryDue(waiting, at));
  if (due.length === 0) return;
  const ids = due.map(({ id }) => id);
  await deps.unitOfWork.run((repositories) => repositories.payouts.putOff(ids, at));
}
