/**
 * The circuit of a webhook's destination (scheme, host and port): after some attempts in a row that
 * nobody answered, deliveries of the merchants who met the silence wait, and one attempt at a time
 * tries whether somebody answers again (safety W1). Any HTTP answer closes it. A merchant whose
 * attempts did not meet the silence sends on: others cannot shut it out of a host.
 */
import { unreachable } from '../result.ts';

/**
 * `open`: nothing is sent before `tryAt`. `half_open`: one attempt is under way, and is given up
 * for lost at `tryAt`.
 */
export const CIRCUIT_STATES = ['closed', 'open', 'half_open'] as const;
export type CircuitState = (typeof CIRCUIT_STATES)[number];

export interface Circuit {
  readonly state: CircuitState;
  /** Attempts in a row that got no answer. */
  readonly silences: number;
  /** Trials in a row that got none, since it opened. */
  readonly failedTrials: number;
  /** Null while it is closed. */
  readonly tryAt: Date | null;
  /**
   * Merchants whose attempts got no answer, who met the silence last at the end; at most
   * MERCHANTS_MOST.
   */
  readonly merchants: readonly string[];
}

export type CircuitEvent =
  | { readonly type: 'answered' }
  /** So many attempts of these merchants ended at `at` without an answer. */
  | {
      readonly type: 'silent';
      readonly attempts: number;
      readonly merchants: readonly string[];
      readonly at: Date;
    }
  /** Somebody wants to make the one attempt, which will have ended by `until`. */
  | { readonly type: 'trial'; readonly at: Date; readonly until: Date };

const OPENS_AFTER = 5;
/**
 * Seconds until the first trial, the second, ... of each merchant; short beside the delays between
 * a delivery's attempts, so that few come late.
 */
const TRIAL_DELAYS_SECONDS = [5, 10, 20, 40, 80, 160, 300] as const;

/** Where so many merchants met the silence, it is everybody's. */
export const MERCHANTS_MOST = 200;

/**
 * How long a delivery waits for an open circuit beyond its time before it is given up: what ends
 * the queue of a receiver that is gone.
 */
export const HELD_BACK_SECONDS_MAX = 86_400;

/**
 * The circuit after an event; null is a closed one without anything to remember. A trial before its
 * time changes nothing.
 */
export function decideCircuit(circuit: Circuit | null, event: CircuitEvent): Circuit | null {
  switch (event.type) {
    case 'answered':
      return null;
    case 'silent':
      return silent(circuit, event);
    case 'trial':
      return circuit !== null && mayTry(circuit, event.at)
        ? { ...circuit, state: 'half_open', tryAt: event.until }
        : circuit;
    default:
      return unreachable(event);
  }
}

/** Its time has come, or the attempt that was to try it never came back. */
function mayTry({ tryAt }: Pick<Circuit, 'tryAt'>, at: Date): boolean {
  return tryAt !== null && tryAt.getTime() <= at.getTime();
}

/**
 * So much later (seconds) than the merchant before it may each of the circuit's make the trial,
 * where that one has nothing to send.
 */
export const TRIAL_TURN_SECONDS = 1;

/**
 * Whether it is the merchant's turn to try: who met the silence the longest ago comes first, so
 * that a dead receiver of one merchant is never the only trial of a host that others share.
 */
export function isTurnToTry({ tryAt, merchants }: Circuit, merchantId: string, at: Date): boolean {
  const place = merchants.indexOf(merchantId);
  const turn = place < 0 ? merchants.length : place;
  return mayTry({ tryAt }, new Date(at.getTime() - turn * TRIAL_TURN_SECONDS * 1_000));
}

/** Whether the merchant's deliveries wait while the circuit is not closed. */
export function holdsBack({ state, merchants }: Circuit, merchantId: string): boolean {
  return state !== 'closed' && (merchants.length >= MERCHANTS_MOST || merchants.includes(merchantId));
}

function silent(circuit: Circuit | null, event: CircuitEvent & { type: 'silent' }): Circuit {
  const silences = (circuit?.silences ?? 0) + event.attempts;
  const others = (circuit?.merchants ?? []).filter((merchantId) => !event.merchants.includes(merchantId));
  const merchants = [...others, ...new Set(event.merchants)].slice(0, MERCHANTS_MOST);
  // Attempts that began before it opened end one after the other: they say nothing new of when to
  // try.
  if (circuit?.state === 'open') return { ...circuit, silences, merchants };
  const failedTrials = circuit?.state === 'half_open' ? circuit.failedTrials + 1 : 0;
  if (circuit?.state !== 'half_open' && silences < OPENS_AFTER)
    return { state: 'closed', silences, merchants, failedTrials, tryAt: null };
  // Each of them has its turn before the trials come further apart: one may answer where the
  // others' stay dead.
  const rounds = Math.floor(failedTrials / Math.max(1, merchants.length));
  return { state: 'open', silences, merchants, failedTrials, tryAt: nextTrial(rounds, event.at) };
}

function nextTrial(rounds: number, at: Date): Date {
  const last = TRIAL_DELAYS_SECONDS.length - 1;
  const seconds = TRIAL_DELAYS_SECONDS[Math.min(rounds, last)] ?? 0;
  return new Date(at.getTime() + seconds * 1_000);
}
