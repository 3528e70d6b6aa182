/**
 * After a start, payouts that were there wait until the chain was read up to its tip: an older
 * backup may have been put back, and only then it is known what was paid since (safety.md K4).
 * Those that may have been paid are held on the way (record-unknown-transactions.ts). Payouts made
 * after the start leave at once, unless they pay a claim of before it (safety.md L3), or spend
 * UTXOs, which show what waits for a block.
 */
import { type Outpoint, outpointText } from '../../../domain/chains/outpoint.ts';
import { type GateEvent, type GatePhase, gateAfter } from '../../../domain/sending/start-gate.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { UtxoSpending } from '../../../ports/sending/utxo-spending.ts';
import { assetsOf } from '../../catalog/assets-of-chain.ts';
import { owedPayments } from '../../payouts/owed-payments.ts';
import { type ForeignNonces, foreignNonces } from '../nonces/foreign-nonces.ts';
import { hotWalletOf, type SendingChain, type SendingNeeds } from '../sending-chain.ts';
import { holdBack } from './hold-back.ts';

/** Downtime up to this long counts as a restart, not as a restored backup. */
export const RESTART_MS = 60_000;
/** Another process may have noted an unknown transaction so long ago, after the same start. */
const LATELY_MS = 3_600_000;
const OUTPUTS_AT_ONCE = 500;

export interface StartGate {
  /** To be called in the transaction that looks for what is to be sent. */
  look(repositories: Repositories): Promise<void>;
  /**
   * To be called before anything takes a nonce of the wallet; opens when it is time. Rejects with
   * ChainUnavailable where no node answers.
   */
  open(): Promise<void>;
  /** Whether the payout still has to wait, or the sweep that gas is sent for. */
  keeps(referenceId: string): boolean;
  /** Whether no UTXO may be spent yet, whatever for. */
  keepsUtxos(): boolean;
  /**
   * Whether anything may have left the wallet that is not known here: nothing is forwarded, since
   * that can wait (safety.md G12). Also before the first look.
   */
  isShut(): boolean;
}

interface ReadSoFar {
  /** How often the chain was read to its tip. */
  readonly count: number;
  /** When that was begun last, by our clock. */
  readonly readMs: number | null;
  /** The time of that tip. */
  readonly coveredMs: number | null;
  /** When the chain was read again after a long silence, in chain time; null where that is over. */
  readonly resumedAt: Date | null;
}

/** What was there when a process looked first, or found the database put back under it. */
interface Start extends ReadSoFar {
  readonly payouts: ReadonlySet<string>;
  readonly at: Date;
  /** The database was put back under a running process. */
  readonly isPutBack: boolean;
}

/** `forwards`: money of the chain is forwarded, so it is shut at the start without payouts, too. */
export function startGate(
  deps: SendingNeeds,
  on: SendingChain,
  { forwards }: { readonly forwards: boolean } = { forwards: false },
): StartGate {
  const { chain, sender } = on;
  const nonces = foreignNonces(deps, on);
  let start: Start | null = null;
  let phase: GatePhase = { kind: 'unread' };
  const move = (event: GateEvent): void => {
    phase = gateAfter(phase, event);
  };
  /**
   * Whether nodes were asked since the start which nonces of the wallet are used: what is signed
   * before would hide it.
   */
  let asked = false;
  /**
   * How often the chain was read, which is less than before only in another database, and when that
   * was begun last.
   */
  let reads = { count: 0, begunMs: 0 };

  async function look(repositories: Repositories): Promise<void> {
    const read = await readSoFar(repositories, chain);
    const { count, coveredMs } = read;
    if (start === null || count < reads.count) {
      const at = deps.clock.now();
      const payouts = await payoutsThere(deps, on, repositories, at);
      start = { ...read, payouts, at, isPutBack: start !== null };
      const claims = await repositories.refundClaims.countOpen(assetsOf(deps, chain));
      const unsigned = await repositories.outgoing.unsignedForwards(assetsOf(deps, chain));
      const waiting = payouts.size + claims + unsigned.length + Number(forwards);
      move({ type: 'started', waiting });
      nonces.forget();
      asked = false;
    } else if (phase.kind !== 'open') {
      const claimed = await repositories.payouts.pendingOfClaims(assetsOf(deps, chain), start.at);
      start = { ...start, payouts: new Set([...start.payouts, ...claimed]) };
    }
    reads = { count, begunMs: read.readMs ?? 0 };
    if (coveredMs === null) return;
    if (phase.kind === 'unread' && count > start.count) {
      start = { ...start, resumedAt: read.resumedAt };
      const wait = await waitAfter(repositories, on, start, coveredMs);
      move({ type: 'read_to_tip', ...wait });
      const seconds = (wait.untilMs - coveredMs) / 1000;
      if (seconds > 0)
        deps.logger.info('payouts.wait_for_chain', { chain, payouts: start.payouts.size, seconds });
    }
    move({ type: 'covered', untilMs: coveredMs });
  }

  const is = (kind: GatePhase['kind']): boolean => phase.kind === kind;
  const isClosed = (): boolean => start !== null && !is('open');
  const keepsUtxos = (): boolean => sender.utxos !== null && isClosed();

  return {
    look,
    keeps: (id) => keepsUtxos() || (isClosed() && (!asked || start?.payouts.has(id) === true)),
    keepsUtxos,
    isShut: () => !is('open'),
    async open() {
      if (!isClosed()) return;
      // Asked in every phase: later payouts may take the nonces in question.
      await nonces.ask();
      asked = true;
      move({ type: 'read_again', begunMs: reads.begunMs });
      const before = start?.payouts ?? new Set();
      if (is('due')) move(await checkNonces(deps, on, before, nonces));
      // What was found stays found if the next question is not answered.
      if (sender.utxos !== null && is('explained')) move(await checkUtxos(deps, on, before, sender.utxos));
      if (sender.utxos !== null && is('unspent')) move(await checkPayments(deps, on, before, sender.utxos));
      const over = start?.resumedAt ?? null;
      if (over !== null && is('open'))
        await deps.unitOfWork.run(({ chains }) => chains.forgetResumed(chain, over));
    },
  };
}

/**
 * Up to when the database had seen the chain, whose newest block is of `nowMs`. A block may come
 * long after the one before it, and the chain was read meanwhile: then the time of that reading
 * counts, unless that clock was ahead of the block.
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

/**
 * Payouts that are there at the start. Where the chain does not count nonces, also those on their
 * way: expired ones are signed again.
 */
async function payoutsThere(
  deps: SendingNeeds,
  { chain, sender }: SendingChain,
  { payouts }: Repositories,
  now: Date,
): Promise<ReadonlySet<string>> {
  const processing = sender.capabilities.nonces === 'independent';
  const all = { assets: assetsOf(deps, chain), madeBefore: null, now, processing };
  return new Set(await payouts.pendingOf(all));
}

/**
 * How long to wait once the chain was read to its tip, by the clock that says longer. It also waits
 * for what another process waits for since then.
 */
async function waitAfter(
  { unknown }: Repositories,
  { chain, sender }: SendingChain,
  start: Start,
  coveredMs: number,
): Promise<{ readonly untilMs: number; readonly mustCheckUtxos: boolean }> {
  const silentMs = coveredMs - seenUntil(start, coveredMs);
  const lately = new Date(start.at.getTime() - LATELY_MS);
  const isOlder = start.isPutBack || silentMs > RESTART_MS || (await unknown.paidSince(chain, lately));
  const sinceMs = isOlder ? coveredMs : start.resumedAt?.getTime();
  if (sinceMs === undefined) return { untilMs: coveredMs, mustCheckUtxos: false };
  const lifeMs = (sender.capabilities.lifeSeconds ?? 0) * 1000;
  return { untilMs: sinceMs + lifeMs, mustCheckUtxos: sender.utxos !== null };
}

async function checkNonces(
  deps: SendingNeeds,
  on: SendingChain,
  payouts: ReadonlySet<string>,
  nonces: ForeignNonces,
): Promise<GateEvent> {
  const used = await nonces.unexplained();
  if (used !== null) {
    const what = `uses nonces ${used} of the wallet`;
    await hold(deps, on, payouts, { what, fields: { nonces: used } });
  }
  return { type: 'nonces_checked' };
}

async function checkUtxos(
  deps: SendingNeeds,
  on: SendingChain,
  payouts: ReadonlySet<string>,
  utxos: UtxoSpending,
): Promise<GateEvent> {
  const spent = (await outputsSpent(deps, on.chain, utxos)).map(outpointText);
  if (spent.length > 0) {
    const what = `waits for a block, spends ${spent[0]}`;
    await hold(deps, on, payouts, { what, fields: { utxos: spent.slice(0, 20) } });
  }
  return { type: 'utxos_checked', spent: spent.length > 0 };
}

async function checkPayments(
  deps: SendingNeeds,
  on: SendingChain,
  payouts: ReadonlySet<string>,
  utxos: UtxoSpending,
): Promise<GateEvent> {
  const { ids, txids } = await paidByWaiting(deps, on, utxos, payouts);
  if (ids.length > 0) {
    const what = `waits for a block as ${txids[0]}`;
    await hold(deps, on, ids, { what, fields: { txids: txids.slice(0, 20) } });
  }
  return { type: 'payments_checked', askedMs: deps.clock.now().getTime() };
}

/** Holds payouts that an unknown transaction may pay; `what` says what that does. */
async function hold(
  deps: SendingNeeds,
  on: SendingChain,
  payouts: Iterable<string>,
  {
    what,
    fields,
  }: {
    what: string;
    fields: { utxos: readonly string[] } | { nonces: string } | { txids: readonly string[] };
  },
): Promise<void> {
  const why = `an unknown transaction ${what}, and may pay it`;
  const found = { payoutIds: [...payouts], assets: assetsOf(deps, on.chain), at: deps.clock.now() };
  const held = await deps.unitOfWork.run((repositories) => holdBack(repositories, found, why));
  deps.logger.error('wallet.used_elsewhere', {
    ...{ chain: on.chain, wallet: hotWalletOf(on), ...fields, heldPayouts: held.length },
  });
}

/** UTXOs of ours that an unknown transaction spends. It may wait for a block for days. */
async function outputsSpent(
  deps: SendingNeeds,
  chain: string,
  { spentByWaiting }: UtxoSpending,
): Promise<readonly Outpoint[]> {
  const spent: Outpoint[] = [];
  // A deposit that is no UTXO of ours yet was one, where it was final or credited before.
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

/**
 * Payouts from before the start that waiting transactions pay which were not signed here; and
 * those.
 */
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
