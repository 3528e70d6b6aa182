/**
 * Every state that a payout and its transfers can reach, whatever workers, signer, miners,
 * reorganisations and operators do: its money is reserved, paid or back, never two of them; it is
 * paid once; no nonce of the wallet is left behind; what a payment without effect cost is charged
 * (safety.md G2); what is signed comes back only as the chain decides, and nothing waits for ever
 * (G3).
 */
import { describe, expect, test } from 'bun:test';
import {
  decideOutgoing,
  type OutgoingEvent,
  type OutgoingState,
} from '../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import { wastedFeeChange } from '../../../src/domain/sending/wasted-fee.ts';
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
} from '../../support/payouts/payout-world.ts';

/**
 * What used the nonce on the chain, finally. `reverted`: our payment without its effect;
 * `unfunded`: likewise, since our wallet could not pay it; `foreign`: signed by nobody here.
 */
type Mined = 'pay' | 'reverted' | 'unfunded' | 'void' | 'foreign';

interface Transfer {
  readonly state: OutgoingState;
  readonly signedPay: boolean;
  readonly signedVoid: boolean;
  /** What was signed to pay has expired: no block can take it any more. */
  readonly dead: boolean;
  readonly mined: Mined | null;
}

/**
 * `replaces`: as on EVM. `expires`: as on XRP, where nonces are counted. `lapses`: as on Tron,
 * where they are free.
 */
type Ways = 'replaces' | 'expires' | 'lapses';

interface World extends PayoutWorld {
  readonly ways: Ways;
  readonly transfers: readonly Transfer[];
  /** Fees that the merchant bears now. */
  readonly charged: bigint;
}

const FEE = 1n;
/** MODEL_TRANSFERS=3 takes six times as long. */
const TRANSFERS_MAX = Number(process.env.MODEL_TRANSFERS ?? 2);
const startOf = (ways: Ways): World => ({ ...NEW_PAYOUT, ways, transfers: [], charged: 0n });

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

/** app/sending/operate-payouts.ts, giveUpTransfer. */
function givenUp(world: World, reason: string): World {
  const index = world.transfers.findIndex(({ state }) => isActive(state));
  return move(world, index, { type: 'taken_out', reason: failureOf('operator', reason) }) ?? world;
}

/**
 * app/sending/network-fee-entries.ts: the fee of the transfer at `index` is charged or comes back.
 */
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

/** app/sending/settle-transfer.ts, with settlePayout. */
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
        : {
            type: 'mined_without_effect',
            ...mined,
            reason: failureOf(transfer.mined === 'unfunded' ? 'unfunded' : 'reverted', transfer.mined),
          };
  const next = move(world, index, event);
  if (!next || !transfer.signedPay) return next;
  if (transfer.mined === 'pay') return tell(next, { type: 'confirmed', txid: mined.txid, at: AT }) ?? next;
  return unpaid(next, transfer.state, transfer.mined === 'foreign' ? {} : { txid: mined.txid });
}

/** The chain, or the end of what was signed, decided that it is not paid. */
function unpaid(world: World, { failure }: OutgoingState, instead: { txid?: string }): World {
  const ended =
    failure?.code === 'operator'
      ? ({ type: 'cancelled' } as const)
      : ({ type: 'failed', reason: 'unpaid' } as const);
  return tell(world, { ...ended, ...instead, at: AT }) ?? world;
}

/** All that was signed is dead, and no nonce need be used up. */
function expired(world: World, index: number): World | null {
  const transfer = world.transfers[index];
  if (world.ways !== 'lapses' || !transfer?.dead || transfer.mined !== null) return null;
  const next = move(world, index, { type: 'expired', reason: failureOf('expired') });
  return next && unpaid(next, transfer.state, {});
}

/** The block of a settled transfer is gone: app/sending/send-transfers.ts, recheckSettled. */
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
  // What is signed: by an operator, or by itself since it cannot be mined
  // (app/sending/signing/give-up-signed.ts).
  if (world.payout.status === 'processing')
    for (const [index, { state, signedPay }] of world.transfers.entries())
      for (const code of ['operator', 'unmineable'] as const) {
        const to =
          state.status === 'signed' && signedPay
            ? move(world, index, { type: 'voided', reason: failureOf(code) })
            : null;
        if (to) yield { name: `give up ${index}: ${code}`, to };
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
    transfers.length < TRANSFERS_MAX
  ) {
    const unsigned = { signedPay: false, signedVoid: false, dead: false, mined: null };
    const made = { state: NEW_TRANSFER, ...unsigned };
    yield { name: 'allocate', to: { ...world, transfers: [...transfers, made] } };
  }
  for (const [index, { state, signedPay, signedVoid, dead, mined }] of transfers.entries()) {
    const signed = move(world, index, { type: 'signed' });
    const free = world.ways === 'replaces' || !signedPay || dead;
    if (signed && state.voided && !signedVoid && world.ways !== 'lapses' && free)
      yield { name: `sign void ${index}`, to: put(signed, index, { signedVoid: true }) };
    if (signed && !state.voided && mayBePaid(world) && !signedPay) {
      const paying = put(signed, index, { signedPay: true });
      const to = tell(paying, { type: 'signed', txid: `pay${index}`, at: AT });
      if (to) yield { name: `sign ${index}`, to };
    }
    if (state.status === 'allocated' && !state.voided) {
      const aside = move(world, index, { type: 'taken_out', reason: failureOf('chain_refused') });
      const failed = aside && tell(aside, { type: 'failed', reason: 'refused', at: AT });
      if (failed) yield { name: `refuse ${index}`, to: failed };
      if (aside) yield { name: `step aside ${index}`, to: aside };
      // The signer signed something else under the nonce: it is used up, and the payout takes
      // another.
      const spoiled = move(world, index, { type: 'voided', reason: failureOf('signer_refused') });
      if (spoiled && world.ways !== 'lapses') yield { name: `spoil ${index}`, to: spoiled };
    }
    const signedAny = (signedPay && !dead) || signedVoid;
    if (mined === null && state.status === 'signed') {
      if (signedPay && !dead && world.ways !== 'replaces')
        yield { name: `expire ${index}`, to: put(world, index, { dead: true }) };
      if (dead && !state.voided)
        yield { name: `sign again ${index}`, to: put(world, index, { dead: false }) };
      if (signedPay && !dead) yield { name: `mine ${index}`, to: put(world, index, { mined: 'pay' }) };
      for (const without of ['reverted', 'unfunded'] as const)
        if (signedPay && !dead)
          yield { name: `${without} ${index}`, to: put(world, index, { mined: without }) };
      if (signedVoid) yield { name: `mine void ${index}`, to: put(world, index, { mined: 'void' }) };
      if (signedAny) yield { name: `supersede ${index}`, to: put(world, index, { mined: 'foreign' }) };
    }
    const ended = settled(world, index) ?? expired(world, index);
    if (ended) yield { name: `settle ${index}`, to: ended };
    const undone = state.block === null ? null : reorganised(world, index);
    if (undone) yield { name: `reorg ${index}`, to: undone };
  }
}

/**
 * Given up for no merchant's doing: the network's, an operator's, or for another branch's sake, on
 * which it was paid once.
 */
const OPERATORS: ReadonlySet<string> = new Set(['unmineable', 'operator', 'given_up']);

/** What is wrong with a reachable state. */
function faultOf(world: World): string | null {
  const { payout, transfers } = world;
  const states = transfers.map(({ state }) => state);
  const confirmed = transfers.filter(({ state }) => state.status === 'confirmed');
  const wasted = transfers.filter(
    ({ state, mined, signedPay }) =>
      state.block !== null &&
      (mined === 'reverted' || (mined === 'void' && signedPay && !OPERATORS.has(state.failure?.code ?? ''))),
  );
  return broken({
    ...payoutRules(world, states),
    'G2: what a payment without effect cost is charged, and nothing else':
      world.charged === FEE * BigInt(wasted.length),
    'confirmed was paid': confirmed.every(({ mined }) => mined === 'pay'),
    'paid from one sequence': transfers.filter(({ signedPay }) => signedPay).length <= 1,
    'pending was never signed': payout.status !== 'pending' || !transfers.some(({ signedPay }) => signedPay),
    'G3: what was signed comes back only when the chain decided':
      payout.status === 'processing' ||
      payout.status === 'success' ||
      transfers.every(({ state, signedPay }) => !signedPay || state.status === 'failed' || state.voided),
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
  const paid = to.transfers.some(({ state }) => state.status === 'confirmed');
  if (before.payout.status === 'cancelled' && to.payout.status !== 'cancelled' && !paid)
    return 'cancelled moved';
  return null;
}

/** Whether what is on its way has a next step that is not an operator's, nor luck alone. */
function isStuck(world: World, ways: readonly Step<World>[]): boolean {
  const open = world.transfers.some(({ state }) => state.status === 'allocated' || state.status === 'signed');
  return open && !ways.some(({ name }) => /^(sign|mine|settle|refuse)/.test(name));
}

describe('every reachable state of a payout and its transfers', () => {
  test.each(['replaces', 'expires', 'lapses'] as const)(
    'G3: keeps the money in one place and the nonces in use, where a transaction %s',
    (chainWays) => {
      const { worlds, faults } = explore(startOf(chainWays), steps, function* (world, ways) {
        const fault = faultOf(world);
        if (fault) yield fault;
        if (isStuck(world, ways)) yield 'stuck';
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
      const cancelled = worlds.filter(({ payout, transfers }) => {
        return payout.status === 'cancelled' && transfers.some(({ signedPay }) => signedPay);
      });
      expect(cancelled.length).toBeGreaterThan(0);
    },
  );
});
