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
import { SET_LOCKS, tryTogether } from '../shared/try-together.ts';
import { type AllocationPlan, type AllocationPlanner, NOTHING_TO_ALLOCATE } from './allocation-plan.ts';
import { nonceFinder } from './nonces/next-nonce.ts';
import { aheadOfUs } from './nonces/nonce-ahead.ts';
import {
  dispatchAll,
  holdBackPayouts,
  insertBatches,
  lockToDispatch,
  type PayoutBatch,
  readyPayouts,
  recordWaitingReason,
} from './payout-dispatch.ts';
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

/** What allocates the payouts of a chain. */
interface Allocating {
  readonly deps: SendingNeeds;
  readonly on: SendingChain;
  readonly limits: PayoutLimits;
  readonly trials: Pick<PayoutTrials, 'split'>;
  readonly nextNonce: (wallet: string) => Promise<NonceFrom>;
  /**
   * Whether the nodes were asked for the wallet's nonces. The first run asks even without payouts:
   * transactions that it finds were made before later payouts, and hold none of them.
   */
  asked: boolean;
}

/** The hot wallet before it is locked. */
interface SeenWallet {
  readonly view: WalletSnapshot;
  /** Where its nonces continue; null where it has no place for another batch. */
  readonly from: NonceFrom | null;
}

export function payoutAllocator(
  deps: SendingNeeds,
  on: SendingChain,
  limits: PayoutLimits,
  trials: Pick<PayoutTrials, 'split'>,
): AllocationPlanner {
  const nextNonce = nonceFinder(deps, on, { aheadOfUs: aheadOfUs(deps, on) });
  const asked = on.sender.reportedNonces === undefined;
  const allocating: Allocating = { deps, on, limits, trials, nextNonce, asked };
  return (candidates, open) => plan(allocating, candidates, open);
}

async function plan(
  allocating: Allocating,
  candidates: readonly Payout[],
  open: readonly OutgoingTransfer[],
): Promise<AllocationPlan> {
  const { deps, on, trials, nextNonce } = allocating;
  const wallet = hotWalletOf(on);
  if (!allocating.asked) await nextNonce(wallet);
  allocating.asked = true;
  const places = placesLeft(on, open);
  // The nodes are asked only about payouts that are new, or that lacked something a while ago.
  const now = deps.clock.now();
  const looked = places > 0 ? candidates : candidates.filter((payout) => needsAnotherLook(payout, now));
  if (looked.length === 0) return NOTHING_TO_ALLOCATE;
  const assets = looked.map(({ asset }) => asset);
  const at = await heightRead(deps, on);
  const { forPayouts = (work) => work() } = on.sender;
  const view = await forPayouts(() => snapshotWallet(on, wallet, assets, at));
  const from = places > 0 ? await nextNonce(wallet) : null;
  const seen = { view, from };
  const { ready, toTry } = await trials.split(await putOffUnchanged(allocating, looked, seen));
  // Where many leave together, one that passed its trial waits for the next run, to leave with
  // others; where there is no place, it waits for one.
  const leavesAlone = from !== null && on.sender.capabilities.paymentsAtOnce === 1;
  const take = leavesAlone
    ? (payout: Payout) => allocateGroups(allocating, [[payout]], { seen, places: 1 })
    : null;
  return {
    allocate: () => allocateReady(allocating, ready, { seen, places }),
    trials: { payouts: toTry, take },
  };
}

/** Payouts that are allocated in one transaction, if each leaves alone. */
const SET_MAX = 100;

/**
 * Allocates payouts in groups, as far as there are places; returns how many. A group that fails
 * does not stop the others; the first failure is thrown last.
 */
async function allocateReady(
  allocating: Allocating,
  ready: readonly Payout[],
  { seen, places }: { seen: SeenWallet; places: number },
): Promise<number> {
  const { paymentsAtOnce } = allocating.on.sender.capabilities;
  const atOnce = Math.ceil(SET_MAX / paymentsAtOnce);
  const failures: unknown[] = [];
  let made = 0;
  let left = places;
  const work = async (groups: readonly (readonly Payout[])[]): Promise<void> => {
    const allocated = await allocateGroups(allocating, groups, { seen, places: left });
    made += allocated.made;
    left -= allocated.batches;
  };
  const all = groupsOf(ready, paymentsAtOnce);
  for (let nth = 0; nth < all.length; nth += atOnce) {
    // Without any place each payout still records what it waits for.
    if (seen.from !== null && left <= 0) break;
    const groups = all.slice(nth, nth + atOnce);
    await tryTogether(groups, { work, failed: (_, error) => failures.push(error), stopping: undefined });
  }
  if (failures.length > 0) throw failures[0];
  return made;
}

/**
 * Allocates the payouts of groups that may leave and can be paid, each group under one nonce, in
 * one transaction. The others record why they wait: all of them where no place is left.
 */
function allocateGroups(
  { deps, on, limits }: Allocating,
  groups: readonly (readonly Payout[])[],
  { seen: { view, from }, places }: { seen: SeenWallet; places: number },
): Promise<{ readonly made: number; readonly batches: number }> {
  return deps.unitOfWork.run(async (repositories) => {
    const ids = groups.flat().map(({ id }) => id);
    const among = await lockToDispatch(deps, repositories, limits, ids);
    const { holding, flush } = holdBackPayouts(repositories, among);
    await repositories.outgoing.lockWallet({ chain: on.chain, address: hotWalletOf(on) });
    const money = await spendableIn(repositories, on, view, limits);
    const batches: PayoutBatch[] = [];
    for (const group of groups) {
      if (from !== null && batches.length >= places) break;
      const paid: Payout[] = [];
      for (const payout of await readyPayouts(deps, holding, limits, { among, group })) {
        const missing = whyNot(payout, view, money) ?? (from === null ? NO_PLACE : null);
        if (missing !== null) await recordWaitingReason(deps, holding, payout, missing);
        else {
          money.reserve(payout);
          paid.push(payout);
        }
      }
      await dispatchAll(deps, holding, paid);
      const [first, ...others] = paid;
      if (first !== undefined) batches.push([first, ...others]);
    }
    if (from !== null && batches.length > 0) await insertBatches(deps, holding, on, batches, from);
    await flush();
    return { made: batches.flat().length, batches: batches.length };
  }, SET_LOCKS);
}

/**
 * How many more batches may leave. Where a batch pays many, a payout without a place stays pending:
 * it may leave together with later ones. Where each leaves alone, it takes its nonce and waits.
 */
function placesLeft(on: SendingChain, open: readonly OutgoingTransfer[]): number {
  const { paymentsAtOnce, batchesAtOnce } = on.sender.capabilities;
  if (paymentsAtOnce === 1) return Number.POSITIVE_INFINITY;
  return batchesAtOnce - batchesFrom(hotWalletOf(on), open);
}

/**
 * Moves payouts that still lack what is recorded behind the others that wait: all in one
 * transaction, not each in one of its own. Returns the others.
 */
async function putOffUnchanged(
  { deps, on, limits }: Allocating,
  looked: readonly Payout[],
  { view }: SeenWallet,
): Promise<readonly Payout[]> {
  const money = await deps.unitOfWork.run((repositories) => spendableIn(repositories, on, view, limits));
  const unchanged = new Set(
    looked.filter((payout) => {
      const missing = whyNot(payout, view, money);
      return missing !== null && isAlreadyRecorded(payout.waiting, missing);
    }),
  );
  const at = deps.clock.now();
  const due = [...unchanged].filter(({ waiting }) => waiting !== null && isRetryDue(waiting, at));
  const ids = due.map(({ id }) => id);
  if (ids.length > 0) await deps.unitOfWork.run(({ payouts }) => payouts.putOff(ids, at));
  return looked.filter((payout) => !unchanged.has(payout));
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
  const withheld = sender.capabilities.pooled ? await undecidedUnits(repositories, { ...view, chain }) : 0n;
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
  if (!sender.capabilities.pooled) return undefined;
  const cursor = await unitOfWork.run((repositories) => repositories.chains.cursor(chain));
  if (cursor === null) throw new ChainUnavailable(`${chain} has not been read yet`);
  return { height: cursor.height };
}

/** Whether a payout without a place may wait for something else than what is recorded. */
function needsAnotherLook({ waiting }: Payout, now: Date): boolean {
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
