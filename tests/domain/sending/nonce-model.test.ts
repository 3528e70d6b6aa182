/**
 * Every state of a wallet whose nonces the chain counts, while two payouts leave it: a nonce that
 * is not signed for is handed on, signatures are lost, what is signed is given up, and workers see
 * it late. No payout is ever paid twice, and none waits for ever for a nonce that nobody uses
 * (safety.md G3, G4).
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { SignedEntry } from '../../../src/adapters/signer/signing-entry.ts';
import { SigningHistory } from '../../../src/adapters/signer/signing-history.ts';
import {
  decideOutgoing,
  type OutgoingEvent,
  type OutgoingState,
} from '../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import { explore, isActive, NEW_TRANSFER, type Step } from '../../support/payouts/payout-world.ts';

const SEQUENCES_MAX = 3;
/** MODEL_TRANSFERS=5 takes twenty times as long. */
const TRANSFERS_MAX = Number(process.env.MODEL_TRANSFERS ?? 4);
const PAYOUTS = [0, 1] as const;
/** A transfer that only uses its nonce up (app/sending/nonces/fill-nonce-gaps.ts). */
const GAP = -1;

interface Transfer {
  /** Payout, or GAP. */
  readonly pays: number;
  readonly nonce: number;
  readonly state: OutgoingState;
  /** Stored, and so perhaps with the nodes. */
  readonly signedPay: boolean;
  readonly signedVoid: boolean;
}

interface World {
  readonly transfers: readonly Transfer[];
  /** What the signer signed, in its order: transfer and whether it voids. */
  readonly log: readonly { readonly transfer: number; readonly voids: boolean }[];
  /** What used each nonce on the chain, from 0: a payout, or nothing (GAP). */
  readonly chain: readonly number[];
  /** Payouts that an operator has to release: the signer signed them under another nonce. */
  readonly held: readonly number[];
}

const START: World = { transfers: [], log: [], chain: [], held: [] };
const REASON = failureOf('chain_refused');

function put(world: World, at: number, change: Partial<Transfer>): World {
  const transfers = world.transfers.map((transfer, index) =>
    index === at ? { ...transfer, ...change } : transfer,
  );
  return { ...world, transfers };
}

function move(world: World, at: number, event: OutgoingEvent): World | null {
  const state = world.transfers[at]?.state;
  const next = state ? decideOutgoing(state, event) : null;
  return next && put(world, at, { state: next });
}

function entryOf(world: World, at: number, voids: boolean): SignedEntry {
  const { pays, nonce } = world.transfers[at]!;
  const payment = { transferId: `t${at}`, referenceId: `p${pays === GAP ? at : pays}`, to: 'x', units: 1n };
  return {
    ...{ at: new Date(0), purpose: pays === GAP ? 'gap' : 'payout', chain: 'ethereum', wallet: 'w' },
    ...{ nonce: BigInt(nonce), asset: 'eth_ethereum', payments: [payment], inputs: [], voids },
    ...{ maxFeeUnits: 1n, txid: `${at}${voids}`, resendable: null },
  };
}

/** adapters/signer/order-rules.ts, checkHistory, of the log that there is. */
function verdict(world: World, at: number, voids: boolean): 'signs' | 'elsewhere' | 'another' {
  const history = new SigningHistory();
  for (const { transfer, voids: voided } of world.log) history.add(entryOf(world, transfer, voided), 0);
  const entry = entryOf(world, at, voids);
  if (history.paidElsewhere(entry).length > 0) return 'elsewhere';
  return history.isOfAnother(entry) ? 'another' : 'signs';
}

/** In the order of the nonces: of others it makes no difference what was signed first. */
function logged(world: World, transfer: number, voids: boolean): World {
  const { log, transfers } = world;
  if (log.some((line) => line.transfer === transfer && line.voids === voids)) return world;
  const nonceOf = (line: { transfer: number }) => transfers[line.transfer]!.nonce;
  return { ...world, log: [...log, { transfer, voids }].toSorted((a, b) => nonceOf(a) - nonceOf(b)) };
}

const paid = ({ chain }: World, payout: number): number => chain.filter((used) => used === payout).length;

/** Whether the payout was signed for: it never takes another place then. */
const isSigned = ({ transfers }: World, payout: number): boolean =>
  transfers.some(({ pays, signedPay }) => pays === payout && signedPay);

const places = ({ transfers }: World, nonce: number): readonly Transfer[] =>
  transfers.filter((transfer) => transfer.nonce === nonce);
const isFree = (world: World, nonce: number): boolean =>
  places(world, nonce).every(({ state }) => state.takenOut);

/** ports/sending/outgoing-repository.ts, takeNonce. */
function nextNonce(world: World): number {
  const taken = Math.max(-1, ...world.transfers.map(({ nonce }) => nonce));
  for (let nonce = world.chain.length; nonce <= taken; nonce += 1) if (isFree(world, nonce)) return nonce;
  return Math.max(taken + 1, world.chain.length);
}

function made(world: World, pays: number, nonce: number, state: OutgoingState): World {
  const transfer = { pays, nonce, state, signedPay: false, signedVoid: false };
  return { ...world, transfers: [...world.transfers, transfer] };
}

function* allocations(world: World): Generator<Step<World>> {
  const nonce = nextNonce(world);
  if (nonce >= SEQUENCES_MAX || world.transfers.length >= TRANSFERS_MAX) return;
  for (const payout of PAYOUTS) {
    const waits = world.held.includes(payout) || isSigned(world, payout);
    if (waits || world.transfers.some(({ pays, state }) => pays === payout && isActive(state))) continue;
    yield { name: `allocate ${payout}`, to: made(world, payout, nonce, NEW_TRANSFER) };
  }
}

/** app/sending/nonces/fill-nonce-gaps.ts: before the first that is open, and not mined. */
function* gaps(world: World): Generator<Step<World>> {
  const next = world.chain.length;
  const open = world.transfers.filter(({ state, nonce }) => !state.takenOut && nonce >= next);
  const lowest = Math.min(...open.map(({ nonce }) => nonce));
  if (open.length === 0 || lowest <= next || !isFree(world, next)) return;
  const voided = decideOutgoing(NEW_TRANSFER, { type: 'voided', reason: failureOf('unused_sequence') });
  if (voided) yield { name: 'fill a gap', to: made(world, GAP, next, voided) };
}

function* unsignedSteps(world: World, at: number): Generator<Step<World>> {
  const { pays } = world.transfers[at]!;
  const aside = move(world, at, { type: 'taken_out', reason: REASON });
  if (aside) yield { name: `step aside ${at}`, to: aside };
  const said = verdict(world, at, false);
  if (said === 'elsewhere' && aside)
    yield { name: `sign ${at}: held`, to: { ...aside, held: [...world.held, pays] } };
  const voided = move(world, at, { type: 'voided', reason: REASON });
  if (said === 'another' && voided) yield { name: `sign ${at}: used up`, to: voided };
  if (said !== 'signs') return;
  // Of the first alone: with every other it would be the same.
  if (at === 0) yield { name: `lose the signature of ${at}`, to: logged(world, at, false) };
  const signed = move(logged(world, at, false), at, { type: 'signed' });
  if (signed) yield { name: `sign ${at}`, to: put(signed, at, { signedPay: true }) };
}

function* steps(world: World): Generator<Step<World>> {
  yield* allocations(world);
  yield* gaps(world);
  for (const [at, { pays, nonce, state, signedPay, signedVoid }] of world.transfers.entries()) {
    if (state.status === 'allocated' && !state.voided) yield* unsignedSteps(world, at);
    if (state.voided && !state.takenOut && !signedVoid && verdict(world, at, true) === 'signs') {
      const signed = move(logged(world, at, true), at, { type: 'signed' });
      if (signed) yield { name: `void ${at}`, to: put(signed, at, { signedVoid: true }) };
    }
    const given =
      at < 2 && state.status === 'signed' ? move(world, at, { type: 'voided', reason: REASON }) : null;
    if (given) yield { name: `give up ${at}`, to: given };
    if (nonce !== world.chain.length) continue;
    if (signedPay) yield { name: `mine ${at}`, to: { ...world, chain: [...world.chain, pays] } };
    if (signedVoid) yield { name: `mine the void of ${at}`, to: { ...world, chain: [...world.chain, GAP] } };
  }
}

/**
 * What the chain used is settled at once, which hides nothing here:
 * tests/domain/payouts/payout-model.test.ts has that.
 */
function* faults(world: World, ways: readonly Step<World>[]): Generator<string> {
  for (const payout of PAYOUTS) if (paid(world, payout) > 1) yield `payout ${payout} is paid twice`;
  for (const [nonce] of world.chain.entries())
    if (places(world, nonce).filter(({ state }) => !state.takenOut).length !== 1)
      yield `nonce ${nonce} was used by nobody, or by two`;
  for (const { state, signedPay, signedVoid } of world.transfers)
    if (state.takenOut && (signedPay || signedVoid)) yield 'what is signed was taken out';
  const open = world.transfers.some(({ nonce, state }) => !state.takenOut && nonce >= world.chain.length);
  if (open && !ways.some(({ name }) => /^(sign|void|mine|fill)/.test(name))) yield 'stuck';
}

describe('every reachable state of the nonces of a wallet', () => {
  let found: ReturnType<typeof explore<World>>;
  beforeAll(() => {
    found = explore(START, steps, faults);
  }, 120_000);

  test('G3, G4: pays nobody twice, and leaves no nonce that later payments wait behind', () => {
    expect(found.faults).toEqual([]);
    expect(found.worlds.length).toBeGreaterThan(1_000);
  });

  test('G4: hands a nonce on without spending anything, and uses up one whose signature was lost', () => {
    const isPaid = (world: World) => PAYOUTS.every((payout) => paid(world, payout) === 1);
    const handedOn = found.worlds.filter((world) => isPaid(world) && world.chain.length === 2);
    expect(handedOn.some(({ transfers }) => transfers.some(({ state }) => state.takenOut))).toBe(true);
    const lost = found.worlds.filter(({ transfers }) =>
      transfers.some(({ pays, signedVoid }) => pays !== GAP && signedVoid),
    );
    expect(lost.length).toBeGreaterThan(0);
  });
});
