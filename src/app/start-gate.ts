/**
 * After a start, payouts that were there wait until the chain was read up to its tip: an older backup may have been put back, and
 * only then it is known what was paid since (safety.md K4). What of it is found on the way is held (note-unknown.ts). Payouts that are made
 * after the start leave at once, except on a chain of coins: they would spend the coins that tell what waits for a block.
 */
import { type Outpoint, outpointText } from '../domain/outpoint.ts';
import type { CoinSending } from '../ports/chain-sender.ts';
import type { Repositories } from '../ports/repositories.ts';
import { assetsOf, holdBack } from './note-unknown.ts';
import { hotWalletOf, type SendingChain, type SendingNeeds } from './sending.ts';

/** Which a restart takes: a database that saw nothing for no longer is no backup. */
const RESTART_MS = 60_000;
/** Which a restart seldom takes. */
const BACKUP_MS = 3_600_000;
const COINS_AT_ONCE = 500;

export interface StartGate {
  /** To be called in the transaction that looks for what is to be sent. */
  look(repositories: Repositories): Promise<void>;
  /** Opens when it is time; asks nodes where that is needed. */
  open(): Promise<void>;
  /** Whether the payout has to wait still. */
  keeps(payoutId: string): boolean;
  /** Whether no coin may be spent yet, whatever for. */
  keepsCoins(): boolean;
}

/** What was there when a process looked first, or when it found that the database had been put back under it. */
interface Kept {
  readonly payouts: ReadonlySet<string>;
  readonly at: Date;
  readonly reads: number;
  readonly coveredMs: number | null;
  /** For how long the database had seen nothing, by our clock. */
  readonly silentMs: number;
}

type Reads = NonNullable<Awaited<ReturnType<Repositories['chains']['reads']>>>;

export function startGate(deps: SendingNeeds, on: SendingChain): StartGate {
  const { chain, sender } = on;
  const { lifeSeconds = 0 } = sender.ways;
  let kept: Kept | null = null;
  /** Chain time up to which it waits; null while the chain was not read to its tip since. */
  let untilMs: number | null = null;
  /** For how long the database had seen nothing, by the clock that says longer. */
  let silentMs = 0;
  let isTime = false;
  /** How often the chain was read: less than before only in another database. */
  let known = 0;
  /** When the newest look at its tip began. */
  let readAt = 0;
  /** When nothing that waits was found to spend a coin of ours; null before. */
  let foundFree: number | null = null;

  async function keep({ payouts }: Repositories, reads: Reads | null, coveredMs: number | null) {
    const at = deps.clock.now();
    // Where the chain does not count, what has expired is signed anew.
    const processing = sender.ways.sequences === 'free';
    const all = { assets: assetsOf(deps, chain), madeBefore: null, now: at, processing };
    const silent = reads === null ? 0 : at.getTime() - reads.lastAt.getTime();
    const putBack = kept !== null;
    return {
      ...{ payouts: new Set(await payouts.pendingOf(all)), at, coveredMs, reads: reads?.count ?? 0 },
      silentMs: putBack ? Number.POSITIVE_INFINITY : silent,
    };
  }

  async function look(repositories: Repositories): Promise<void> {
    const { chains, unknown } = repositories;
    const cursor = await chains.cursor(chain);
    const coveredMs = cursor?.coveredUntil.getTime() ?? null;
    const reads = await chains.reads(chain);
    const count = reads?.count ?? 0;
    if (kept === null || count < known) {
      kept = await keep(repositories, reads, coveredMs);
      untilMs = null;
      foundFree = null;
    }
    known = count;
    readAt = reads?.lastAt.getTime() ?? 0;
    if (kept.payouts.size === 0 || coveredMs === null) return;
    if (untilMs === null && count > kept.reads) {
      silentMs = Math.max(kept.silentMs, coveredMs - (kept.coveredMs ?? coveredMs));
      // What was signed and is not known here may be mined for as long as it is valid. The watcher may have been first.
      const lately = new Date(kept.at.getTime() - BACKUP_MS);
      const waits = silentMs > BACKUP_MS || (await unknown.paidSince(chain, lately));
      untilMs = coveredMs + (waits ? lifeSeconds * 1000 : 0);
      if (untilMs > coveredMs)
        deps.logger.info('payouts.wait_for_chain', {
          ...{ chain, payouts: kept.payouts.size, seconds: lifeSeconds },
        });
    }
    isTime = untilMs !== null && coveredMs >= untilMs;
  }

  /** What was signed and is not known here may wait for a block for days on a chain of coins: its coins tell. */
  async function outputsSpent({ spentByWaiting }: CoinSending): Promise<readonly Outpoint[]> {
    const spent: Outpoint[] = [];
    // A deposit that is none of our coins yet was one of them, where it was final or credited before.
    for (const ours of ['standing', 'uncredited'] as const)
      for (let after: Outpoint | null = null; ; ) {
        const page: readonly Outpoint[] = await deps.unitOfWork.run(({ coins }) =>
          coins[ours](chain, { after, limit: COINS_AT_ONCE }),
        );
        const last = page.at(-1);
        if (last === undefined) break;
        const waiting = await spentByWaiting(page);
        spent.push(...page.filter((_, place) => waiting[place]));
        after = last;
      }
    return spent;
  }

  /** False as long as it must be waited for. What was mined just before its coins were looked at is known with the next look at the tip. */
  async function holdWaiting(payouts: ReadonlySet<string>): Promise<boolean> {
    if (sender.coins === null || silentMs <= RESTART_MS) return true;
    if (foundFree !== null) return readAt >= foundFree;
    const spent = await outputsSpent(sender.coins);
    if (spent.length === 0) {
      foundFree = deps.clock.now().getTime();
      return false;
    }
    const outpoints = spent.map(outpointText);
    const why = `what waits for a block, and is not known here, spends ${outpoints[0]} and may pay it`;
    const held = await deps.unitOfWork.run((repositories) => holdBack(repositories, [...payouts], why));
    deps.logger.error('wallet.used_elsewhere', {
      ...{ chain, wallet: hotWalletOf(on), coins: outpoints.slice(0, 20), heldPayouts: held.length },
    });
    return true;
  }

  const isClosed = (): boolean => kept !== null && kept.payouts.size > 0;
  const keepsCoins = (): boolean => sender.coins !== null && isClosed();

  return {
    look,
    keeps: (payoutId) => keepsCoins() || (kept?.payouts.has(payoutId) ?? false),
    keepsCoins,
    async open() {
      if (kept === null || !isClosed() || !isTime) return;
      if (await holdWaiting(kept.payouts)) kept = { ...kept, payouts: new Set() };
    },
  };
}
