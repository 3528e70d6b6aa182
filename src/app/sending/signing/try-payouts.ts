/**
 * Tries payouts before they take a nonce, where the trial may take a node long or fail: those to a
 * recipient that runs code, and those that stepped aside before. So none takes a nonce that it
 * would give back, and nobody waits behind it (safety.md G4). Few are tried at a time, of one
 * merchant one after the other, while open batches are advanced.
 */
import { boundedMap } from '../../../domain/bounded-map.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import { SendingRefused } from '../../../ports/sending/chain-sender.ts';
import { hotWalletOf, type SendingChain, type SendingNeeds } from '../sending-chain.ts';
import { recordRefusal, verdictOn } from './apply-refusal.ts';
import { applyVerdict } from './refused-payout.ts';

const AT_A_TIME = 8;
/** After so long no further trial begins in a step: the others are tried in the next one. */
const BUDGET_MS = 5_000;
/** After a failed trial its merchant's payouts come last for so long. */
const LAST_MS = 10 * 60_000;
/** After a trial that took a node too long, its merchant's payouts are tried again after this. */
const SLOW_MS = 30_000;
const MERCHANTS_MAX = 10_000;
/** A payout that passed may take a nonce for so long; the check before signing decides. */
const PASSED_MS = 5 * 60_000;
const PASSED_MAX = 20_000;

/** Payouts that are to be tried. */
export interface DueTrials {
  readonly payouts: readonly Payout[];
  /** Allocates one that passed. Null: it may take a nonce in the next run. */
  readonly take: ((payout: Payout) => Promise<unknown>) | null;
}

export const NO_TRIALS: DueTrials = { payouts: [], take: null };

export interface SplitPayouts {
  /** They may take a nonce now: they need no trial, or passed one a moment ago. */
  readonly ready: readonly Payout[];
  readonly toTry: readonly Payout[];
}

export interface PayoutTrials {
  /** A trial that was passed serves once: a payout that stays pending is tried again. */
  split(payouts: readonly Payout[]): Promise<SplitPayouts>;
  /**
   * Tries payouts, and records why one would not be signed. None takes a nonce before `advancing`
   * has ended, which may free a lower one.
   */
  run(due: DueTrials, advancing: Promise<unknown>): Promise<void>;
}

export function payoutTrials(deps: SendingNeeds, on: SendingChain): PayoutTrials {
  const { sender } = on;
  const failed = boundedMap<string, { readonly at: number; readonly slow: boolean }>(MERCHANTS_MAX);
  const well = boundedMap<string, number>(PASSED_MAX);
  const now = () => deps.clock.now().getTime();

  /**
   * Tries one payout, and records why it would not be signed. `slow`: others of its merchant may
   * keep nodes busy as long, or none can be signed.
   */
  async function trial(payout: Payout): Promise<'well' | 'failed' | 'slow'> {
    const { asset, address: to, sentUnits: units, extraGas } = payout;
    const order = { wallet: hotWalletOf(on), nonce: 0n, asset, inputs: [], voids: false, feePayer: null };
    try {
      await sender.prepare({ ...order, payments: [{ to, units, extraGas }] }, null);
      return 'well';
    } catch (error) {
      if (!(error instanceof SendingRefused)) throw error;
      const verdict = verdictOn(on, { purpose: 'payout' }, error, { feeIsOutlier: false });
      const slow = verdict === 'wait' || error.because === 'untried';
      if (verdict !== 'wait') failed.set(payout.merchantId, { at: now(), slow });
      await deps.unitOfWork.run(async (repositories) => {
        const locked = await repositories.payouts.lock(payout.id);
        const has = await repositories.outgoing.activeOf('payout', payout.id);
        if (locked?.status !== 'pending' || has !== null) return;
        if (verdict === 'wait') await recordRefusal(deps, repositories, [locked], error);
        else await applyVerdict(deps, repositories, locked, verdict, error);
      });
      return slow ? 'slow' : 'failed';
    }
  }

  /**
   * Payouts by merchant: those with a failed trial come last, those with a slow one a moment ago
   * not at all.
   */
  function inTurn(payouts: readonly Payout[]): readonly (readonly Payout[])[] {
    const since = (merchantId: string) => now() - (failed.get(merchantId)?.at ?? 0);
    const isLast = ([merchantId]: [string, unknown]) => Number(since(merchantId) < LAST_MS);
    return [...Map.groupBy(payouts, ({ merchantId }) => merchantId)]
      .filter(([merchantId]) => !(failed.get(merchantId)?.slow === true && since(merchantId) < SLOW_MS))
      .toSorted((a, b) => isLast(a) - isLast(b))
      .map(([, own]) => own);
  }

  /** Of each payout, whether it has to be tried. */
  async function doubts(payouts: readonly Payout[]): Promise<readonly boolean[]> {
    const plain = payouts.filter(({ extraGas, tries }) => extraGas === 0n && tries === 0);
    const asked = plain.map(({ asset, address: to }) => ({ asset, to }));
    const codes = plain.length === 0 ? [] : ((await sender.recipients?.runCode?.(asked)) ?? []);
    const bare = new Set(plain.filter((_, place) => codes[place] !== true));
    return payouts.map((payout) => !bare.has(payout));
  }

  return {
    async split(payouts) {
      if (sender.capabilities.nonces !== 'counted') return { ready: payouts, toTry: [] };
      const doubted = await doubts(payouts);
      const isReady = ({ id }: Payout, place: number): boolean =>
        doubted[place] !== true || now() - (well.get(id) ?? 0) < PASSED_MS;
      const ready = payouts.filter(isReady);
      const toTry = payouts.filter((payout, place) => !isReady(payout, place));
      for (const { id } of ready) well.delete(id);
      return { ready, toTry };
    },

    async run({ payouts, take }, advancing) {
      const merchants = inTurn(payouts).values();
      const until = now() + BUDGET_MS;
      const lane = async (): Promise<void> => {
        for (const own of merchants)
          for (const payout of own) {
            if (now() >= until) return;
            const how = await trial(payout);
            if (how === 'slow') break;
            if (how === 'failed') continue;
            if (take === null) well.set(payout.id, now());
            else {
              await Promise.allSettled([advancing]);
              await take(payout);
            }
          }
      };
      await Promise.all(Array.from({ length: AT_A_TIME }, lane));
    },
  };
}
