/**
 * The phases in which payouts and forwards wait after a start, until it is known what was paid
 * since the database was saved (safety.md K4). app/sending/restart/start-gate.ts asks the database
 * and the nodes, and says here what it found.
 *
 * - `unread` until the chain was read to its tip,
 * - `waiting` until the chain's time is `untilMs`: before that, an unknown transaction may still be
 *   mined,
 * - `due` until nodes have said which nonces are used; then it opens unless UTXOs must be checked,
 * - `explained` until nodes have said whether a waiting transaction spends a UTXO of ours,
 * - `unspent` until nodes have said which payouts a waiting transaction pays,
 * - `settling` until a reading of the tip that began SETTLE_MS after that: it has what was mined
 *   just before nodes were asked,
 * - `open`.
 */

/** How far one machine behind a node's address may lag behind another (safety.md R10). */
export const SETTLE_MS = 5_000;

export type GatePhase =
  | { readonly kind: 'unread' }
  /** `mustCheckUtxos`: the database may be an older backup, and the chain has UTXOs. */
  | { readonly kind: 'waiting'; readonly untilMs: number; readonly mustCheckUtxos: boolean }
  | { readonly kind: 'due'; readonly mustCheckUtxos: boolean }
  | { readonly kind: 'explained' }
  | { readonly kind: 'unspent' }
  | { readonly kind: 'settling'; readonly askedMs: number }
  | { readonly kind: 'open' };

/** Times in milliseconds: of the chain in `wait` and `covered`, of our clock in the others. */
export type GateEvent =
  /**
   * The process started, or the database was put back under it, and so much waits for the gate:
   * payouts to send, and forwards.
   */
  | { readonly type: 'started'; readonly waiting: number }
  | { readonly type: 'read_to_tip'; readonly untilMs: number; readonly mustCheckUtxos: boolean }
  | { readonly type: 'covered'; readonly untilMs: number }
  /** Nonces are checked; payouts that an unknown transaction may have paid are held. */
  | { readonly type: 'nonces_checked' }
  /** `spent`: a waiting transaction spends some, and all payouts of before are held. */
  | { readonly type: 'utxos_checked'; readonly spent: boolean }
  | { readonly type: 'payments_checked'; readonly askedMs: number }
  /** The chain was read to its tip again. */
  | { readonly type: 'read_again'; readonly begunMs: number };

const OPEN: GatePhase = { kind: 'open' };

type Transitions = {
  readonly [Type in GateEvent['type']]: (
    phase: GatePhase,
    event: Extract<GateEvent, { type: Type }>,
  ) => GatePhase;
};

const TRANSITIONS: Transitions = {
  started: (_phase, { waiting }) => (waiting === 0 ? OPEN : { kind: 'unread' }),
  read_to_tip: (phase, { untilMs, mustCheckUtxos }) =>
    phase.kind === 'unread' ? { kind: 'waiting', untilMs, mustCheckUtxos } : phase,
  covered: (phase, { untilMs }) =>
    phase.kind === 'waiting' && untilMs >= phase.untilMs
      ? { kind: 'due', mustCheckUtxos: phase.mustCheckUtxos }
      : phase,
  nonces_checked: (phase) => {
    if (phase.kind !== 'due') return phase;
    return phase.mustCheckUtxos ? { kind: 'explained' } : OPEN;
  },
  utxos_checked: (phase, { spent }) => {
    if (phase.kind !== 'explained') return phase;
    return spent ? OPEN : { kind: 'unspent' };
  },
  payments_checked: (phase, { askedMs }) =>
    phase.kind === 'unspent' ? { kind: 'settling', askedMs } : phase,
  read_again: (phase, { begunMs }) =>
    phase.kind === 'settling' && begunMs >= phase.askedMs + SETTLE_MS ? OPEN : phase,
};

/** The phase after the event; the same where the event changes nothing in it. */
export function gateAfter(phase: GatePhase, event: GateEvent): GatePhase {
  // The table pairs each type with its own event, which the compiler cannot follow here.
  return TRANSITIONS[event.type](phase, event as never);
}
