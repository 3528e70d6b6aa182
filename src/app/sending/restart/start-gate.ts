/**
 * After a start, payouts that were there wait until the chain was read up to its tip: an older backup may have been put back, and
 * only then it is known what was paid since (safety.md K4). What of it is found on the way is held (record-unknown-transactions.ts). Payouts that are made
 * after the start leave at once, except on a UTXO chain: they would spend the UTXOs that tell what waits for a block.
 */
import { type Outpoint, outpointText } from '../../../domain/chains/outpoint.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { UtxoSpending } from '../../../ports/sending/utxo-spending.ts';
import { assetsOf } from '../../catalog/assets-of-chain.ts';
import { owedPayments } from '../../payouts/owed-payments.ts';
import { foreignNonces } from '../nonces/foreign-nonces.ts';
import { hotWalletOf, type SendingChain, type SendingNeeds } from '../sending-chain.ts';
import { holdBack } from './hold-restored.ts';

/** Which a restart takes: a database that saw nothing for no longer is no backup. */
export const RESTART_MS = 60_000;
/** Of what was noted so lately another process may have been told first, after the same start. */
const LATELY_MS = 3_600_000;
const OUTPUTS_AT_ONCE = 500;
/** By which a machine behind the address of a node may be behind the one that was asked what waits (safety.md R10). */
const LAG_MS = 5_000;

export interface StartGate {
  /** To be called in the transaction that looks for what is to be sent. */
  look(repositories: Repositories): Promise<void>;
  /** To be called before anything takes a place in the wallet; opens when it is time. Rejects with ChainUnavailable where no node can be asked. */
  open(): Promise<void>;
  /** Whether the payout has to wait still, or the sweep that gas is sent for. */
  keeps(referenceId: string): boolean;
  /** Whether no UTXO may be spent yet, whatever for. */
  keepsUtxos(): boolean;
}

interface ReadSoFar {
  /** How often the chain was read to its tip. */
  readonly count: number;
  /** When that was begun last, by our clock. */
  readonly readMs: number | null;
  /** The time of that tip. */
  readonly coveredMs: number | null;
  /** After a long silence, in chain time; null when nothing is to be waited for. */
  readonly resumedAt: Date | null;
}

/** What was there when a process looked first, or when it found that the database had been put back under it. */
interface Start extends ReadSoFar {
  readonly payouts: ReadonlySet<string>;
  readonly at: Date;
  /** Under a process that was running. */
  readonly isPutBack: boolean;
}

/** What was signed, and is not known here, may be mined until then, in chain time. `isOlder`: the database may be an older one. */
interface Waits {
  readonly kind: 'waits';
  readonly untilMs: number;
  readonly isOlder: boolean;
}

type Phase =
  /** The chain was not read to its tip since. */
  | { readonly kind: 'unread' }
  | Waits
  /** `isUnspent`: no UTXO of ours is spent by what waits, as nodes said; not asked again while they are asked for the rest. */
  | { readonly kind: 'due'; readonly isOlder: boolean; readonly isUnspent?: true }
  /** Nothing that waits spends a UTXO of ours: what was mined just before is known with the next look at the tip that no machine answers too late. */
  | { readonly kind: 'free'; readonly askedAt: number }
  | { readonly kind: 'open' };

export function startGate(deps: SendingNeeds, on: SendingChain): StartGate {
  const { chain, sender } = on;
  const lifeMs = (sender.ways.lifeSeconds ?? 0) * 1000;
  const nonces = foreignNonces(deps, on);
  let start: Start | null = null;
  let phase: Phase = { kind: 'unread' };
  /** Whether nodes were asked since the start what uses the wallet's nonces: what is signed before would hide it. */
  let asked = false;
  /** What is over for all processes once this gate opens. */
  let resumed: Date | null = null;
  /** How often the chain was read, which is less than before only in another database, and when that was begun last. */
  let reads = { count: 0, at: 0 };

  async function look(repositories: Repositories): Promise<void> {
    const read = await readSoFar(repositories, chain);
    const { count, coveredMs } = read;
    if (start === null || count < reads.count) {
      const at = deps.clock.now();
      const payouts = await payoutsThere(deps, on, repositories, at);
      start = { ...read, payouts, at, isPutBack: start !== null };
      phase = { kind: payouts.size === 0 ? 'open' : 'unread' };
      nonces.forget();
      asked = false;
    }
    reads = { count, at: read.readMs ?? 0 };
    if (coveredMs === null) return;
    if (phase.kind === 'unread' && count > start.count) {
      resumed = read.resumedAt;
      phase = await waitAfter(repositories, chain, start, { coveredMs, resumedAt: resumed, lifeMs });
      const seconds = (phase.untilMs - coveredMs) / 1000;
      if (seconds > 0)
        deps.logger.info('payouts.wait_for_chain', { chain, payouts: start.payouts.size, seconds });
    }
    if (phase.kind === 'waits' && coveredMs >= phase.untilMs) phase = { ...phase, kind: 'due' };
  }

  const payoutsBefore = (): ReadonlySet<string> => start?.payouts ?? new Set();

  /** Once nothing more is to be waited for: holds what may be paid by what waits for a block. */
  async function whenDue(due: Extract<Phase, { kind: 'due' }>): Promise<Phase> {
    const used = await nonces.unexplained();
    if (used !== null)
      await hold(deps, on, payoutsBefore(), {
        what: `uses nonces ${used} of the wallet`,
        told: { nonces: used },
      });
    if (sender.utxos === null || !due.isOlder) return { kind: 'open' };
    const utxos = due.isUnspent ? [] : (await outputsSpent(deps, chain, sender.utxos)).map(outpointText);
    if (utxos.length > 0) {
      await hold(deps, on, payoutsBefore(), {
        what: `waits for a block, spends ${utxos[0]}`,
        told: { utxos: utxos.slice(0, 20) },
      });
      return { kind: 'open' };
    }
    phase = { ...due, isUnspent: true };
    const { ids, txids } = await paidByWaiting(deps, on, sender.utxos, payoutsBefore());
    if (ids.length > 0)
      await hold(deps, on, ids, {
        what: `waits for a block as ${txids[0]}`,
        told: { txids: txids.slice(0, 20) },
      });
    return { kind: 'free', askedAt: deps.clock.now().getTime() };
  }

  const isClosed = (): boolean => start !== null && phase.kind !== 'open';
  const keepsUtxos = (): boolean => sender.utxos !== null && isClosed();

  return {
    look,
    keeps: (id) => keepsUtxos() || (isClosed() && (!asked || start?.payouts.has(id) === true)),
    keepsUtxos,
    async open() {
      if (!isClosed()) return;
      // From the first step on: later payouts may take the nonces that tell.
      await nonces.ask();
      asked = true;
      if (phase.kind === 'due') phase = await whenDue(phase);
      else if (phase.kind === 'free' && reads.at >= phase.askedAt + LAG_MS) phase = { kind: 'open' };
      const over = resumed;
      if (over !== null && !isClosed())
        await deps.unitOfWork.run(({ chains }) => chains.forgetResumed(chain, over));
    },
  };
}

/**
 * Up to when the database had seen the chain, whose newest block is of `nowMs`: a block may come long after the one before it, while
 * it was looked for. A clock that was ahead of that block is not believed.
 */
function seenUntil({ readMs, coveredMs }: Start, nowMs: number): number {
  const tipMs = coveredMs ?? nowMs;
  return readMs !== null && readMs <= nowMs + RESTART_MS ? Math.max(tipMs, readMs) : tipMs;
}

async function readSoFar({ chains }: Repositories, chain: string): Promise<ReadSoFar> {
  const cursor = await chains.cursor(chain);
  const { count = 0, lastAt = null, resumedAt = null } = (await chains.reads(chain)) ?? {};
  const coveredMs = cursor?.coveredUntil.getTime() ?? null;
  return { count, readMs: lastAt?.getTime() ?? null, coveredMs, resumedAt };
}

/** Those that are there at the start. Where the chain does not count, what has expired is signed anew. */
async function payoutsThere(
  deps: SendingNeeds,
  { chain, sender }: SendingChain,
  { payouts }: Repositories,
  now: Date,
): Promise<ReadonlySet<string>> {
  const processing = sender.ways.nonces === 'free';
  const all = { assets: assetsOf(deps, chain), madeBefore: null, now, processing };
  return new Set(await payouts.pendingOf(all));
}

/** How long to wait once the chain was read to its tip, by the clock that says longer. What another process waits for since then, this one waits for as well. */
async function waitAfter(
  { unknown }: Repositories,
  chain: string,
  start: Start,
  { coveredMs, resumedAt, lifeMs }: { coveredMs: number; resumedAt: Date | null; lifeMs: number },
): Promise<Waits> {
  const silentMs = coveredMs - seenUntil(start, coveredMs);
  const lately = new Date(start.at.getTime() - LATELY_MS);
  const isOlder = start.isPutBack || silentMs > RESTART_MS || (await unknown.paidSince(chain, lately));
  const sinceMs = isOlder ? coveredMs : resumedAt?.getTime();
  const untilMs = sinceMs === undefined ? coveredMs : sinceMs + lifeMs;
  return { kind: 'waits', untilMs, isOlder: sinceMs !== undefined };
}

/** Holds payouts that may be paid by what is not known here; `what` says what that does. */
async function hold(
  deps: SendingNeeds,
  on: SendingChain,
  payouts: Iterable<string>,
  {
    what,
    told,
  }: {
    what: string;
    told: { utxos: readonly string[] } | { nonces: string } | { txids: readonly string[] };
  },
): Promise<void> {
  const why = `what is not known here ${what}, and may pay it`;
  const held = await deps.unitOfWork.run((repositories) => holdBack(repositories, [...payouts], why));
  deps.logger.error('wallet.used_elsewhere', {
    ...{ chain: on.chain, wallet: hotWalletOf(on), ...told, heldPayouts: held.length },
  });
}

/** What was signed and is not known here may wait for a block for days on a UTXO chain: its UTXOs tell. */
async function outputsSpent(
  deps: SendingNeeds,
  chain: string,
  { spentByWaiting }: UtxoSpending,
): Promise<readonly Outpoint[]> {
  const spent: Outpoint[] = [];
  // A deposit that is none of our UTXOs yet was one of them, where it was final or credited before.
  for (const ours of ['standing', 'uncredited'] as const)
    for (let after: Outpoint | null = null; ; ) {
      const page: readonly Outpoint[] = await deps.unitOfWork.run(({ utxos }) =>
        utxos[ours](chain, { after, limit: OUTPUTS_AT_ONCE }),
      );
      const last = page.at(-1);
      if (last === undefined) break;
      const waiting = await spentByWaiting(page);
      spent.push(...page.filter((_, place) => waiting[place]));
      after = last;
    }
  return spent;
}

/** The payouts of before the start that something pays which waits for a block and was not signed here, and what does. */
async function paidByWaiting(
  deps: SendingNeeds,
  on: SendingChain,
  { waitingPaying }: UtxoSpending,
  payouts: ReadonlySet<string>,
): Promise<{ ids: string[]; txids: string[] }> {
  const all = await owedPayments(deps, on.chain, (address) => on.deriver.normalize(address));
  const owed = all.filter(({ id }) => payouts.has(id));
  const paying = await waitingPaying(owed);
  const ours = await deps.unitOfWork.run(({ outgoing }) => outgoing.ours(paying.flat()));
  const strange = paying.map((txids) => txids.filter((txid) => !ours.has(txid)));
  const paid = owed.filter((_, place) => (strange[place] ?? []).length > 0);
  return { ids: paid.map(({ id }) => id), txids: [...new Set(strange.flat())] };
}
