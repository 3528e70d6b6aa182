/**
 * Chains of coins (Bitcoin and its kind): pending payouts become a bundle that leaves in one transaction. Sequence, coins and
 * transfers are taken in the transaction that checks the payouts once more, under the lock of the wallet's row, so no coin is
 * promised twice (safety.md, 2).
 */
import {
  allocatedTransfer,
  type Bundle,
  type OutgoingTransfer,
  type SignedTransaction,
} from '../domain/outgoing.ts';
import type { PayoutLimits } from '../domain/payout-limits.ts';
import type { Payout } from '../domain/payout-record.ts';
import type { Coin, CoinSending } from '../ports/chain-sender.ts';
import type { Repositories } from '../ports/repositories.ts';
import { letGo, letWait, payoutTransfer, readyPayouts } from './let-go.ts';
import { hotWalletOf, hotWalletText, type SendingChain, type SendingNeeds } from './sending.ts';

/** Largest coins that a choice is made from: more would be no better, and slower under the wallet's lock. */
const CHOICE = 500;
/** This many coins lying about are made one when fees are low. */
const CONSOLIDATE_FROM = 100;
/** Satoshi for 1,000 virtual bytes: at most this is called a low fee. */
const LOW_FEE_RATE = 10_000n;

/** A purpose besides payouts for which coins are spent: everything goes to our own hot wallet. */
interface OwnSpending {
  readonly purpose: 'bump' | 'consolidation';
  readonly referenceId: string;
  readonly units: bigint;
  readonly coins: readonly Coin[];
}

/** Answers how many transfers were made of `candidates`. `open`: all transfers of the chain that are not settled. */
export function coinAllocator(
  deps: SendingNeeds,
  on: SendingChain,
  coins: CoinSending,
  limits: PayoutLimits,
): (candidates: readonly Payout[], open: readonly OutgoingTransfer[]) => Promise<number> {
  const { paymentsAtOnce } = on.sender.ways;
  return async (candidates, open) => {
    if (candidates.length === 0) return consolidate(deps, on, coins, open);
    const feeRate = await coins.feeRate();
    let made = 0;
    for (let from = 0; from < candidates.length; from += paymentsAtOnce) {
      const group = candidates.slice(from, from + paymentsAtOnce);
      made += await bundleUp(deps, on, coins, limits, { group, feeRate });
    }
    return made;
  };
}

function bundleUp(
  deps: SendingNeeds,
  on: SendingChain,
  coins: CoinSending,
  limits: PayoutLimits,
  { group, feeRate }: { group: readonly Payout[]; feeRate: bigint },
): Promise<number> {
  const { nativeAsset } = on.sender;
  const floor = limits.floorUnits.get(nativeAsset) ?? 0n;
  return deps.unitOfWork.run(async (repositories) => {
    const ready: Payout[] = [];
    for (const payout of await readyPayouts(deps, repositories, limits, group)) {
      if (coins.isDust({ to: payout.address, units: payout.sentUnits }))
        await letWait(deps, repositories, payout, { code: 'dust', reason: DUST });
      else ready.push(payout);
    }
    if (ready.length === 0) return 0;
    await repositories.outgoing.lockWallet({ chain: on.chain, address: hotWalletOf(on) });
    const free = await freeCoins(repositories, on.chain);
    const { paid, chosen } = affordable(coins, ready, { free, floor, feeRate });
    const reason = `liquidity: the hot wallet has too little ${nativeAsset}`;
    for (const payout of ready)
      if (!paid.includes(payout)) await letWait(deps, repositories, payout, { code: 'liquidity', reason });
    const [first, ...others] = paid.map((payout) => ({ id: deps.ids.id(), payout }));
    if (!first) return 0;
    const sequence = await takeSequence(repositories, on);
    for (const [position, { id, payout }] of [first, ...others].entries()) {
      const place = { chain: on.chain, wallet: hotWalletOf(on), sequence, bundleId: first.id, position };
      await repositories.outgoing.insert(payoutTransfer(deps, payout, { id, ...place }));
      await letGo(deps, repositories, payout);
    }
    await claim(repositories, on.chain, first.id, chosen);
    return paid.length;
  });
}

const DUST = 'dust: no node relays so small an output';

/** The first payouts that the coins pay for, and the coins. One that is too large does not stop those behind it. */
function affordable(
  coins: CoinSending,
  ready: readonly Payout[],
  { free, floor, feeRate }: { free: readonly Coin[]; floor: bigint; feeRate: bigint },
): { paid: readonly Payout[]; chosen: readonly Coin[] } {
  let left = free.reduce((sum, { units }) => sum + units, -floor);
  const fitting = ready.filter(({ sentUnits }) => {
    const fits = sentUnits <= left;
    if (fits) left -= sentUnits;
    return fits;
  });
  // Their fee may be what is lacking: half as many need half of it. The rest comes in the next step.
  for (let count = fitting.length; count > 0; count = Math.floor(count / 2)) {
    const paid = fitting.slice(0, count);
    const payments = paid.map(({ address, sentUnits }) => ({ to: address, units: sentUnits }));
    const chosen = coins.choose({ coins: free, payments, feeRate });
    if (chosen !== null) return { paid, chosen };
  }
  return { paid: [], chosen: [] };
}

/** Many small coins become one while fees are low: they would make payouts dear when fees are high. */
async function consolidate(
  deps: SendingNeeds,
  on: SendingChain,
  coins: CoinSending,
  open: readonly OutgoingTransfer[],
): Promise<number> {
  if (open.some(({ purpose }) => purpose === 'consolidation')) return 0;
  const free = await deps.unitOfWork.run((repositories) => freeCoins(repositories, on.chain));
  if (free.length < CONSOLIDATE_FROM) return 0;
  const feeRate = await coins.feeRate();
  if (feeRate > LOW_FEE_RATE) return 0;
  const smallest = free.toReversed().slice(0, CONSOLIDATE_FROM);
  const plan = coins.consolidate({ coins: smallest, feeRate });
  if (plan === null) return 0;
  const id = deps.ids.id();
  await spendOwn(deps, on, id, { purpose: 'consolidation', referenceId: id, ...plan, coins: smallest });
  return 1;
}

/**
 * Has a child spend the change of the bundle's newest transaction, with a fee that makes it worth a miner's while to take both
 * (CPFP). Nothing happens where there is no change, where it would not help, or where a child exists.
 */
export async function bumpBundle(
  deps: SendingNeeds,
  on: SendingChain,
  coins: CoinSending,
  bundle: Bundle,
  signed: readonly SignedTransaction[],
): Promise<void> {
  const [{ bundleId, purpose, sequence }] = bundle;
  const latest = signed.at(-1);
  if (latest === undefined || purpose === 'bump') return;
  const helped = await deps.unitOfWork.run(({ outgoing }) => outgoing.activeOf('bump', bundleId));
  if (helped !== null) return;
  const { raw, txid } = latest;
  const back = coins.changeOf({ raw, sequence });
  const change = back === null ? null : { txid, ...back };
  const plan =
    change === null
      ? null
      : coins.bump({ raw, paidFeeUnits: latest.maxFeeUnits, feeRate: await coins.feeRate(), change });
  if (change === null || plan === null) {
    deps.logger.warn('a transaction waits for a block and no child can help it', { chain: on.chain, txid });
    return;
  }
  await spendOwn(deps, on, deps.ids.id(), {
    purpose: 'bump',
    referenceId: bundleId,
    ...plan,
    coins: [change],
  });
}

async function spendOwn(
  deps: SendingNeeds,
  on: SendingChain,
  id: string,
  spending: OwnSpending,
): Promise<void> {
  const { coins, ...order } = spending;
  const wallet = hotWalletOf(on);
  await deps.unitOfWork.run(async (repositories) => {
    if (await repositories.outgoing.signingStopped()) return;
    if (await repositories.outgoing.activeOf(order.purpose, order.referenceId)) return;
    const sequence = await takeSequence(repositories, on);
    const place = {
      chain: on.chain,
      wallet,
      sequence,
      asset: on.sender.nativeAsset,
      to: hotWalletText(on),
    };
    await repositories.outgoing.insert(
      allocatedTransfer({ id, ...place, ...order, createdAt: deps.clock.now() }),
    );
    // The change that a child spends waits for a block itself.
    await claim(repositories, on.chain, id, coins, { waiting: order.purpose === 'bump' });
  });
}

/** Sequences are counted by ourselves: the chain knows none. */
function takeSequence(repositories: Repositories, on: SendingChain): Promise<bigint> {
  return repositories.outgoing.takeSequence({ chain: on.chain, address: hotWalletOf(on), atLeast: 0n });
}

async function freeCoins(repositories: Repositories, chain: string): Promise<readonly Coin[]> {
  const cursor = await repositories.chains.cursor(chain);
  return cursor === null ? [] : repositories.coins.free(chain, cursor.finalizedHeight, CHOICE);
}

async function claim(
  repositories: Repositories,
  chain: string,
  bundleId: string,
  coins: readonly Coin[],
  options: { waiting: boolean } = { waiting: false },
): Promise<void> {
  // Whoever claims holds the wallet's row: only a reorganisation or another bump of the same change can be in between.
  if (!(await repositories.coins.claim(chain, bundleId, coins, options)))
    throw new Error(`coins of ${chain} were taken while a bundle was made: the next step makes it again`);
}
