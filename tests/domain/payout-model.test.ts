/**
 * Every state that a payout and its transfers can reach, whatever workers, signer, miners, reorganisations and operators do:
 * its money is reserved, paid or back, never two of them; it is paid once; no sequence of the wallet is left behind; what a payment
 * without effect cost is charged (safety.md G2).
 */
import { describe, expect, test } from 'bun:test';
import { decideOutgoing, type OutgoingEvent, type OutgoingState } from '../../src/domain/outgoing.ts';
import { failureOf } from '../../src/domain/outgoing-failure.ts';
import { wastedFeeChange } from '../../src/domain/wasted-fee.ts';
import {
  AT,
  broken,
  explore,
  isActive,
  mayBePaid,
  NEW_PAYOUT,
  NEW_TRANSFER,
  type PayoutWorld,
  payoutRules,
  type Step,
  tell,
} from '../support/payout-world.ts';

/** What used the sequence on the chain, finally. `reverted`: our payment without its effect; `foreign`: signed by nobody here. */
type Mined = 'pay' | 'reverted' | 'void' | 'foreign';

interface Transfer {
  readonly state: OutgoingState;
  readonly signedPay: boolean;
  readonly signedVoid: boolean;
  readonly mined: Mined | null;
}

interface World extends PayoutWorld {
  readonly transfers: readonly Transfer[];
  /** Fees that the merchant bears now. */
  readonly charged: bigint;
}

const FEE = 1n;
const START: World = { ...NEW_PAYOUT, transfers: [], charged: 0n };

function put(world: World, index: number, change: Partial<Transfer>): World {
  return {
    ...world,
    transfers: world.transfers.map((transfer, at) => (at === index ? { ...transfer, ...change } : transfer)),
  };
}

function move(world: World, index: number, event: OutgoingEvent): World | null {
  const state = world.transfers[index]?.state;
  const next = state ? decideOutgoing(state, event) : null;
  return next && put(world, index, { state: next });
}

/** app/operate-payouts.ts, giveUpTransfer. */
function givenUp(world: World, reason: string): World {
  const index = world.transfers.findIndex(({ state }) => isActive(state));
  return move(world, index, { type: 'voided', reason: failureOf('operator', reason) }) ?? world;
}

/** app/network-fee-entries.ts: the fee of the transfer at `index` is charged or comes back. */
function charged(before: World, after: World | null, index: number, mined: Mined): World | null {
  const [transfer, to] = [before.transfers[index], after?.transfers[index]?.state];
  if (!after || !transfer || !to) return null;
  const change = wastedFeeChange(transfer.state, to, {
    voids: mined === 'void',
    paymentSigned: transfer.signedPay,
  });
  if (change === null) return after;
  return { ...after, charged: after.charged + (change === 'charge' ? FEE : -FEE) };
}

/** app/settle-transfer.ts, with tellPayout. */
function settled(world: World, index: number): World | null {
  const mined = world.transfers[index]?.mined;
  return mined ? charged(world, told(world, index), index, mined) : null;
}

function told(world: World, index: number): World | null {
  const transfer = world.transfers[index];
  if (!transfer || transfer.mined === null) return null;
  const block = { height: 1, hash: 'b' };
  const mined = { txid: `${transfer.mined}${index}`, block, feeUnits: FEE };
  const event: OutgoingEvent =
    transfer.mined === 'pay'
      ? { type: 'confirmed', ...mined }
      : transfer.mined === 'foreign'
        ? { type: 'superseded', reason: failureOf('superseded') }
        : { type: 'mined_without_effect', ...mined, reason: failureOf('reverted', transfer.mined) };
  const next = move(world, index, event);
  if (!next || !transfer.signedPay) return next;
  if (transfer.mined === 'pay') return tell(next, { type: 'confirmed', txid: mined.txid, at: AT }) ?? next;
  return tell(next, { type: 'failed', reason: 'mined', at: AT }) ?? next;
}

/** The block of a settled transfer is gone: app/send-transfers.ts, recheckSettled. */
function reorganised(world: World, index: number): World | null {
  // A block that was removed before it settled anything has nothing to take back.
  const mined = world.transfers[index]?.state.txid?.startsWith('void') ? 'void' : 'pay';
  return charged(world, untold(world, index), index, mined);
}

function untold(world: World, index: number): World | null {
  const transfer = world.transfers[index];
  const next = move(put(world, index, { mined: null }), index, { type: 'reorganised' });
  if (!next || !transfer?.signedPay) return next;
  const back = tell(next, { type: 'reorganised', at: AT });
  if (back) return back;
  return transfer.state.voided
    ? next
    : (move(next, index, { type: 'voided', reason: failureOf('payout_ended') }) ?? next);
}

function* operatorSteps(world: World): Generator<Step<World>> {
  if (world.payout.status === 'pending') {
    yield { name: 'hold', to: { ...givenUp(world, 'held'), held: true } };
    const cancelled = tell(givenUp(world, 'cancelled'), { type: 'cancelled', at: AT });
    if (cancelled) yield { name: 'cancel', to: cancelled };
  }
  if (world.held) yield { name: 'release', to: { ...world, held: false } };
}

function* steps(world: World): Generator<Step<World>> {
  const { payout, held, transfers } = world;
  yield* operatorSteps(world);
  if (
    payout.status === 'pending' &&
    !held &&
    !transfers.some(({ state }) => isActive(state)) &&
    transfers.length < 3
  ) {
    const made = { state: NEW_TRANSFER, signedPay: false, signedVoid: false, mined: null };
    yield { name: 'allocate', to: { ...world, transfers: [...transfers, made] } };
  }
  for (const [index, { state, signedPay, signedVoid, mined }] of transfers.entries()) {
    const signed = move(world, index, { type: 'signed' });
    if (signed && state.voided && !signedVoid)
      yield { name: `sign void ${index}`, to: put(signed, index, { signedVoid: true }) };
    if (signed && !state.voided && mayBePaid(world) && !signedPay) {
      const paying = put(signed, index, { signedPay: true });
      const to = tell(paying, { type: 'broadcast', txid: `pay${index}`, at: AT });
      if (to) yield { name: `sign ${index}`, to };
    }
    if (state.status === 'allocated' && !state.voided) {
      const to = move(world, index, { type: 'voided', reason: failureOf('signer_refused') });
      const failed = to && tell(to, { type: 'failed', reason: 'refused', at: AT });
      if (failed) yield { name: `refuse ${index}`, to: failed };
    }
    const signedAny = signedPay || signedVoid;
    if (mined === null) {
      if (signedPay) yield { name: `mine ${index}`, to: put(world, index, { mined: 'pay' }) };
      if (signedPay) yield { name: `revert ${index}`, to: put(world, index, { mined: 'reverted' }) };
      if (signedVoid) yield { name: `mine void ${index}`, to: put(world, index, { mined: 'void' }) };
      if (signedAny) yield { name: `supersede ${index}`, to: put(world, index, { mined: 'foreign' }) };
    }
    const ended = settled(world, index);
    if (ended) yield { name: `settle ${index}`, to: ended };
    const undone = state.block === null ? null : reorganised(world, index);
    if (undone) yield { name: `reorg ${index}`, to: undone };
  }
}

/** What is wrong with a reachable state. */
function faultOf(world: World): string | null {
  const { payout, transfers } = world;
  const states = transfers.map(({ state }) => state);
  const confirmed = transfers.filter(({ state }) => state.status === 'confirmed');
  // What was paid once on another branch is given up for that branch's sake, and for nobody's doing.
  const wasted = transfers.filter(
    ({ state, mined, signedPay }) =>
      state.block !== null &&
      (mined === 'reverted' || (mined === 'void' && signedPay && state.failure?.code !== 'given_up')),
  );
  return broken({
    ...payoutRules(world, states),
    'G2: what a payment without effect cost is charged, and nothing else':
      world.charged === FEE * BigInt(wasted.length),
    'confirmed was paid': confirmed.every(({ mined }) => mined === 'pay'),
    'paid from one sequence': transfers.filter(({ signedPay }) => signedPay).length <= 1,
    'pending was never signed': payout.status !== 'pending' || !transfers.some(({ signedPay }) => signedPay),
  });
}

/** What a step may not do. */
function wrongMove(before: World, { name, to }: Step<World>): string | null {
  const reorg = name.startsWith('reorg');
  for (const [index, { state }] of before.transfers.entries()) {
    const after = to.transfers[index]?.state.status;
    if (state.status === 'confirmed' && after !== 'confirmed' && !reorg) return 'confirmed moved';
    if (state.status === 'failed' && after !== 'failed' && !reorg) return 'failed moved';
  }
  if (before.payout.status === 'success' && to.payout.status !== 'success' && !reorg) return 'success moved';
  if (before.payout.status !== 'pending' && to.payout.status === 'pending') return 'pending again';
  if (before.payout.status === 'cancelled' && to.payout.status !== 'cancelled') return 'cancelled moved';
  return null;
}

describe('every reachable state of a payout and its transfers', () => {
  test('keeps the money in one place and the sequences in use', () => {
    const { worlds, faults } = explore(START, steps, function* (world, ways) {
      const fault = faultOf(world);
      if (fault) yield fault;
      // Once the chain has decided and everybody was told, what it paid is paid.
      const told = world.transfers.reduce((last, _, index) => settled(last, index) ?? last, world);
      if (told.transfers.some(({ mined }) => mined === 'pay') && told.payout.status !== 'success')
        yield 'paid and not success';
      for (const step of ways) {
        const wrong = wrongMove(world, step);
        if (wrong) yield `${wrong} by ${step.name}`;
      }
    });
    expect(faults).toEqual([]);
    expect(worlds.length).toBeGreaterThan(200);
  });

  test('repeats nothing: an event that happened cannot happen again at once', () => {
    const transfer: OutgoingState = { ...NEW_TRANSFER, status: 'signed' };
    const block = { height: 1, hash: 'b' };
    const events: readonly OutgoingEvent[] = [
      { type: 'confirmed', txid: 'a', block, feeUnits: 1n },
      { type: 'mined_without_effect', txid: 'a', block, feeUnits: 1n, reason: failureOf('reverted') },
      { type: 'superseded', reason: failureOf('superseded') },
      { type: 'voided', reason: failureOf('operator') },
    ];
    for (const event of events) {
      const once = decideOutgoing(transfer, event);
      expect(once).not.toBeNull();
      expect(once && decideOutgoing(once, event)).toBeNull();
    }
    expect(decideOutgoing(transfer, { type: 'reorganised' })).toBeNull();
  });
});
