/**
 * Takes one open bundle a step further: signed and stored, broadcast until seen, replaced when stuck, settled at the chain's
 * finality. What it remembers between steps only spares questions: a restart forgets it without harm.
 */
import { type Bundle, lendingOf, type OutgoingTransfer, type SignedTransaction } from '../domain/outgoing.ts';
import { failureOf } from '../domain/outgoing-failure.ts';
import type { Coin, SendingOutcome } from '../ports/chain-sender.ts';
import { bumpBundle } from './allocate-coins.ts';
import { boundedMap } from './bounded-map.ts';
import { giveUpLost } from './give-up-lost.ts';
import { bundleOf, lockBundle, type SendingChain, type SendingNeeds } from './sending.ts';
import { type SettlingEvent, settleTransfer } from './settle-transfer.ts';
import { signBundle } from './sign-bundle.ts';
import { takeOut } from './unmake-bundle.ts';
import { unseenAlarm } from './unseen-for-long.ts';

/** Remembered between steps, only to spare questions and repeated alarms. */
const NOTES_MAX = 20_000;

/** What is in a block is asked for again after this long, if that block is not final before. */
const MINED_AGAIN_MS = 60_000;

export interface AdvanceOptions {
  /** Nothing may be signed. */
  readonly stopped: boolean;
  /** Whether no older sequence of its wallet is open: what waits behind another is not helped by a higher fee. */
  readonly first: boolean;
}

export interface BundleAdvancer {
  /** Whether it only waits for its block to be final: nothing is asked or done meanwhile. */
  rests(bundle: Bundle, at: { readonly finalizedHeight: number }): boolean;
  /** `signed`: all that was signed for it, by ordinal. */
  advance(bundle: Bundle, signed: readonly SignedTransaction[], options: AdvanceOptions): Promise<void>;
}

export function bundleAdvancer(deps: SendingNeeds, on: SendingChain): BundleAdvancer {
  const { sender } = on;
  const { expires } = sender.ways;
  const counted = sender.ways.sequences === 'counted';
  const mined = boundedMap<string, { height: number; until: number }>(NOTES_MAX);
  const hurried = boundedMap<string, number>(NOTES_MAX);
  const alarm = unseenAlarm(deps, on);
  const now = () => deps.clock.now().getTime();

  async function advance(
    bundle: Bundle,
    signed: readonly SignedTransaction[],
    { stopped, first }: AdvanceOptions,
  ): Promise<void> {
    const [{ bundleId, wallet, sequence, asset, purpose }] = bundle;
    const latest = signed.at(-1);
    const voided = bundle.some((transfer) => transfer.voided);
    if (latest === undefined) return begin(bundle, voided);
    const { payments, inputs } = await wholeOf(bundle);
    const order = { asset, payments, ...lendingOf(purpose) };
    const outcome = await sender.outcome({ wallet, sequence, transactions: signed, order, inputs });
    if (await settled({ bundle, payments }, outcome, signed.length)) return;
    if (outcome.kind === 'superseded' || (outcome.kind === 'expired' && voided && !counted)) return;
    if (outcome.kind === 'mined') {
      mined.set(bundleId, { height: outcome.block.height, until: now() + MINED_AGAIN_MS });
      return;
    }
    if (outcome.kind === 'expired') return void (await signAndBroadcast(bundle, signed));
    // A transfer that was given up must not be paid by what was signed for it before.
    const replaceable = counted ? voided : wholly(bundle) && outcome.kind === 'unseen';
    if (replaceable && !latest.voids && !expires) return void (await signAndBroadcast(bundle, signed));
    if (expires && outcome.kind === 'unseen') await alarm(bundle, latest);
    const gone =
      outcome.kind === 'unseen' && !(stopped && latest.broadcastAt === null) && !(await broadcast(latest));
    // What expires is never replaced: until it does, only its own bytes are broadcast again.
    if (expires) return;
    const since = Math.max(latest.signedAt.getTime(), hurried.get(bundleId) ?? 0);
    const stuck = now() - since >= on.stuckAfterMs && (first || !counted);
    if (!stuck && !bundle.some((transfer) => transfer.hurried)) return;
    hurried.set(bundleId, now());
    if (gone && sender.coins !== null) await giveUpLost(deps, on, bundleId);
    else await hurry(bundle, signed);
  }

  async function begin(bundle: Bundle, voided: boolean): Promise<void> {
    const [{ bundleId, wallet, sequence, asset, purpose }] = bundle;
    if (voided && (!counted || bundle.length > 1)) {
      // Its sequence need not be used up, or not by it (the others, fill-gaps.ts).
      await deps.unitOfWork.run(async (repositories) => {
        await lockBundle(repositories, bundleId);
        const which = (transfer: OutgoingTransfer) => transfer.voided;
        await takeOut(repositories, bundleId, { which, reason: failureOf('given_up') });
      });
      if (wholly(bundle)) return;
    }
    if ((await signAndBroadcast(bundle, [])) || !counted) return;
    // Nothing could be signed: somebody else may have used the sequence (a database that was restored, for example).
    const order = { asset, payments: bundle, ...lendingOf(purpose) };
    const outcome = await sender.outcome({ wallet, sequence, transactions: [], order, inputs: [] });
    await settled({ bundle, payments: bundle }, outcome, 0);
  }

  /** All that its transactions pay and spend: `bundle` is what is open of it, which is not all where a worker died while it settled them. */
  async function wholeOf(
    bundle: Bundle,
  ): Promise<{ payments: readonly OutgoingTransfer[]; inputs: readonly Coin[] }> {
    if (sender.ways.paymentsAtOnce === 1) return { payments: bundle, inputs: [] };
    const [{ bundleId }] = bundle;
    return deps.unitOfWork.run(async (repositories) => ({
      payments: (await bundleOf(repositories, bundleId)) ?? bundle,
      inputs: await repositories.coins.ofBundle(bundleId),
    }));
  }

  /** A waiting transaction is replaced by one with higher fees; where no node takes that, a child pays for it. */
  async function hurry(bundle: Bundle, signed: readonly SignedTransaction[]): Promise<void> {
    if (sender.coins === null || sender.coins.replaceable) await signAndBroadcast(bundle, signed);
    else await bumpBundle(deps, on, sender.coins, bundle, signed);
  }

  async function signAndBroadcast(bundle: Bundle, earlier: readonly SignedTransaction[]): Promise<boolean> {
    const signed = await signBundle(deps, on, bundle, earlier);
    if (signed !== null) await broadcast(signed);
    return signed !== null;
  }

  /**
   * False when nodes say that nothing of the kind is ever taken: its sequence is used, or a coin is not there. What no node has seen
   * is not handed out once an operator has stopped signing.
   */
  async function broadcast(signed: SignedTransaction): Promise<boolean> {
    const { raw, txid, broadcastAt } = signed;
    const fresh = broadcastAt === null;
    if (await mustBeSilent(signed)) return true;
    const outcome = await sender.broadcast(raw);
    if (outcome.kind === 'refused')
      deps.logger.warn('transfer.not_taken', {
        chain: on.chain,
        txid,
        reason: outcome.reason,
      });
    if (outcome.kind === 'accepted' && fresh)
      await deps.unitOfWork.run(({ outgoing }) => outgoing.markBroadcast(txid, deps.clock.now()));
    return outcome.kind !== 'sequence_used';
  }

  /** Asked anew: it may have been given up since the bundle was read. Where transactions expire, silence is what voids them. */
  function mustBeSilent({ bundleId, voids, broadcastAt }: SignedTransaction): Promise<boolean> {
    if (broadcastAt !== null && (!expires || voids)) return Promise.resolve(false);
    return deps.unitOfWork.run(async (repositories) => {
      const { outgoing } = repositories;
      if (broadcastAt === null && (await outgoing.signingStopped()) !== null) return true;
      if (!expires || voids) return false;
      const bundle = await bundleOf(repositories, bundleId);
      return bundle === null || (counted ? bundle.some(({ voided }) => voided) : wholly(bundle));
    });
  }

  /**
   * Whether the bundle has come to its end: each of its transfers, in a transaction of its own. `payments`: all that its
   * transactions pay, in their order. `signed`: how many of its transactions the outcome is about.
   */
  async function settled(
    { bundle, payments }: { bundle: Bundle; payments: readonly OutgoingTransfer[] },
    outcome: SendingOutcome,
    signed: number,
  ): Promise<boolean> {
    if (!isEnd(bundle, outcome)) return false;
    let ended = true;
    for (const transfer of bundle) {
      const place = payments.findIndex(({ id }) => id === transfer.id);
      const end = endOf(place, outcome, signed);
      ended = (await settleTransfer(deps, transfer, end, sender)) && ended;
    }
    const [{ wallet, sequence }] = bundle;
    if (ended && outcome.kind === 'superseded')
      deps.logger.error('wallet.nonce_used_elsewhere', {
        chain: on.chain,
        wallet,
        sequence: String(sequence),
      });
    return ended;
  }

  function isEnd(bundle: Bundle, outcome: SendingOutcome): outcome is EndOutcome {
    if (outcome.kind === 'expired') return !counted && wholly(bundle);
    return outcome.kind === 'superseded' || (outcome.kind === 'mined' && outcome.final);
  }

  return {
    rests([{ bundleId }], { finalizedHeight }) {
      const known = mined.get(bundleId);
      return known !== undefined && finalizedHeight < known.height && now() < known.until;
    },
    advance,
  };
}

type EndOutcome = Extract<SendingOutcome, { kind: 'mined' | 'superseded' | 'expired' }>;

/** Whether all of it was given up. */
const wholly = (bundle: Bundle): boolean => bundle.every(({ voided }) => voided);

/** The network's fee is that of the whole transaction: its payments carry their shares, or the first of them all of it. */
function endOf(place: number, outcome: EndOutcome, signed: number): SettlingEvent {
  if (outcome.kind === 'expired') return { type: 'lapsed', reason: failureOf('expired'), signed };
  if (outcome.kind === 'superseded') return { type: 'superseded', reason: failureOf('superseded'), signed };
  const { txid, block } = outcome;
  const { hotFeeUnits = 0n, feeUnits: whole, feeShares } = outcome;
  const feeUnits = feeShares?.[place] ?? (place === 0 ? whole : 0n);
  const mined = { txid, block, feeUnits, hotFeeUnits: place === 0 ? hotFeeUnits : 0n };
  if (outcome.effects[place]) return { type: 'confirmed', ...mined };
  return { type: 'mined_without_effect', ...mined, reason: failureOf('reverted') };
}
