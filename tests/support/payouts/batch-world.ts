/**
 * The world of the model of bundles (tests/domain/sending/batch-model.test.ts): two payouts on a chain of coins, what is signed for them,
 * what the signer remembers of it, and every step that can happen to them.
 */

import type { PayoutEvent } from '../../../src/domain/payouts/payout.ts';
import {
  decideOutgoing,
  type OutgoingEvent,
  type OutgoingState,
} from '../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import {
  AT,
  isActive,
  mayBePaid,
  NEW_PAYOUT,
  NEW_TRANSFER,
  type PayoutWorld,
  type Step,
  tell,
} from './payout-world.ts';

interface Member {
  /** Which payout it pays. */
  readonly pays: number;
  readonly state: OutgoingState;
}

interface Sent {
  readonly members: readonly Member[];
  /** Whether its coins are its own: nobody else spends them. */
  readonly claimed: boolean;
  readonly signed: boolean;
  /** Which payouts the signer signed for under its sequence, though the answer may have been lost; null before. */
  readonly remembered: readonly number[] | null;
  /** What spent its coins on the chain, finally; `foreign` is signed by nobody here. */
  readonly mined: 'pay' | 'foreign' | null;
  /** Of the block that has it, or that had it last. */
  readonly height: number;
}

export interface BundleWorld {
  readonly payouts: readonly PayoutWorld[];
  readonly bundles: readonly Sent[];
}

export const START: BundleWorld = { payouts: [NEW_PAYOUT, NEW_PAYOUT], bundles: [] };
/** MODEL_BUNDLES=3 takes fifteen times as long. */
export const BUNDLES_MAX = Number(process.env.MODEL_BUNDLES ?? 2);
/** Why a transfer came to nothing makes no difference here. */
const WHY = failureOf('operator');
const GROUPS = [[0], [1], [0, 1]] as const;

const replaced = <T>(list: readonly T[], at: number, value: T): readonly T[] =>
  list.map((each, index) => (index === at ? value : each));

function put(world: BundleWorld, at: number, change: Partial<Sent>): BundleWorld {
  const bundle = world.bundles[at];
  return bundle ? { ...world, bundles: replaced(world.bundles, at, { ...bundle, ...change }) } : world;
}

/** Null when the event cannot happen to the member. */
function move(world: BundleWorld, at: number, place: number, event: OutgoingEvent): BundleWorld | null {
  const members = world.bundles[at]?.members ?? [];
  const member = members[place];
  const state = member ? decideOutgoing(member.state, event) : null;
  if (!member || !state) return null;
  return put(world, at, { members: replaced(members, place, { ...member, state }) });
}

/** The world as it is when the payout cannot take the event. */
function told(world: BundleWorld, pays: number, event: PayoutEvent): BundleWorld {
  const payout = world.payouts[pays];
  const next = payout ? tell(payout, event) : null;
  return next ? { ...world, payouts: replaced(world.payouts, pays, next) } : world;
}

/** What its transactions pay. */
export const within = ({ members }: Sent): readonly Member[] =>
  members.filter(({ state }) => !state.takenOut);
export const placesOf = (bundle: Sent): readonly number[] =>
  within(bundle).map((member) => bundle.members.indexOf(member));

export const transfersOf = ({ bundles }: BundleWorld, pays: number): OutgoingState[] =>
  bundles.flatMap(({ members }) =>
    members.filter((member) => member.pays === pays).map(({ state }) => state),
  );

/** app/sending/signing/split-batch.ts. */
function unmade(
  world: BundleWorld,
  at: number,
  type: 'dissolved' | 'taken_out',
  places: readonly number[],
): BundleWorld {
  const apart = places.reduce<BundleWorld>(
    (last, place) => move(last, at, place, { type, reason: WHY }) ?? last,
    world,
  );
  const claimed = apart.bundles[at]?.members.some(({ state }) => state.status !== 'failed') ?? false;
  return put(apart, at, { claimed });
}

/** adapters/signer/signing-history.ts: fewer of those that it signed for under a sequence, and none of another's. */
function signs(world: BundleWorld, at: number, pays: number): boolean {
  return world.bundles.every(({ remembered }, index) => {
    if (remembered === null) return true;
    return (index === at) === remembered.includes(pays);
  });
}

/** app/sending/operate-payouts.ts, giveUpTransfer. */
function givenUp(world: BundleWorld, pays: number): BundleWorld {
  for (const [at, { members }] of world.bundles.entries()) {
    const place = members.findIndex((member) => member.pays === pays && isActive(member.state));
    if (place !== -1) return move(world, at, place, { type: 'voided', reason: WHY }) ?? world;
  }
  return world;
}

function* operatorSteps(world: BundleWorld): Generator<Step<BundleWorld>> {
  for (const [pays, payout] of world.payouts.entries()) {
    const change = (changed: PayoutWorld): BundleWorld => ({
      ...givenUp(world, pays),
      payouts: replaced(world.payouts, pays, changed),
    });
    if (payout.payout.status === 'pending') {
      yield { name: `hold ${pays}`, to: change({ ...payout, held: true }) };
      yield { name: `cancel ${pays}`, to: told(givenUp(world, pays), pays, { type: 'cancelled', at: AT }) };
    }
    if (payout.held) yield { name: `release ${pays}`, to: change({ ...payout, held: false }) };
  }
}

/** app/sending/allocate-utxos.ts: any of those that are ready, as far as the coins go. */
function* allocations(world: BundleWorld): Generator<Step<BundleWorld>> {
  if (world.bundles.length === BUNDLES_MAX) return;
  for (const group of GROUPS) {
    const ready = group.every((pays) => {
      const payout = world.payouts[pays];
      return payout?.payout.status === 'pending' && !payout.held && !transfersOf(world, pays).some(isActive);
    });
    if (!ready) continue;
    const members = group.map((pays) => ({ pays, state: NEW_TRANSFER }));
    const made: Sent = { members, claimed: true, signed: false, remembered: null, mined: null, height: 1 };
    yield { name: `allocate ${group.join(' and ')}`, to: { ...world, bundles: [...world.bundles, made] } };
  }
}

/** app/sending/advance-batch.ts, app/sending/signing/sign-batch.ts and app/sending/signing/handle-signing-refusal.ts, while nothing is signed. */
function* unsignedSteps(world: BundleWorld, at: number, bundle: Sent): Generator<Step<BundleWorld>> {
  const places = placesOf(bundle);
  const givenUp = places.filter((place) => bundle.members[place]?.state.voided);
  if (!bundle.claimed) return;
  if (givenUp.length > 0) yield { name: `take out of ${at}`, to: unmade(world, at, 'taken_out', givenUp) };
  else if (
    within(bundle).every(({ pays }) => signs(world, at, pays) && mayBePaid(world.payouts[pays] ?? NEW_PAYOUT))
  ) {
    const paid = within(bundle).map(({ pays }) => pays);
    const remembered = bundle.remembered ?? paid;
    const signed = places.reduce<BundleWorld | null>(
      (last, place) => last && move(last, at, place, { type: 'signed' }),
      put(world, at, { signed: true, remembered }),
    );
    const event = { type: 'broadcast', txid: `pay${at}`, at: AT } as const;
    if (signed)
      yield { name: `sign ${at}`, to: paid.reduce((last, pays) => told(last, pays, event), signed) };
    // Of the first bundle alone: with every other it would be the same.
    if (at === 0) yield { name: `lose the signature of ${at}`, to: put(world, at, { remembered }) };
  }
  // A coin is gone, or was chosen at another price. What the signer remembers would be held for an operator.
  if (bundle.remembered === null)
    yield { name: `dissolve ${at}`, to: unmade(world, at, 'dissolved', places) };
  for (const place of places) {
    const { pays, state } = bundle.members[place]!;
    if (state.voided) continue;
    const apart = unmade(world, at, 'taken_out', [place]);
    const payout = world.payouts[pays]!;
    // An operator finds out what became of the other signature, and lists the payout in the signer's policy.
    if (!signs(world, at, pays) && payout.payout.status === 'pending')
      yield {
        name: `take ${pays} out of ${at} for the signer`,
        to: { ...apart, payouts: replaced(apart.payouts, pays, { ...payout, held: true }) },
      };
    const failed = { type: 'failed', reason: 'refused', at: AT } as const;
    yield { name: `refuse ${pays} of ${at}`, to: told(apart, pays, failed) };
    if (bundle.remembered === null) yield { name: `refuse ${pays} of ${at} for now`, to: apart };
  }
}

/** app/sending/settle-transfer.ts: each member in a transaction of its own. */
export function settled(world: BundleWorld, at: number, place: number): BundleWorld | null {
  const bundle = world.bundles[at];
  const member = bundle?.members[place];
  if (!bundle || !member || bundle.mined === null) return null;
  if (bundle.mined === 'foreign') {
    const next = move(world, at, place, { type: 'superseded', reason: WHY });
    return next && told(next, member.pays, { type: 'failed', reason: 'foreign', at: AT });
  }
  const txid = `pay${at}`;
  const block = { height: bundle.height, hash: `b${bundle.height}` };
  const feeUnits = place === 0 ? 1n : 0n;
  const next = move(world, at, place, { type: 'confirmed', txid, block, feeUnits });
  return next && told(next, member.pays, { type: 'confirmed', txid, at: AT });
}

/** The block that settled the member is gone: app/sending/send-transfers.ts, recheck. */
export function undone(world: BundleWorld, at: number, place: number): BundleWorld | null {
  const bundle = world.bundles[at];
  const member = bundle?.members[place];
  const block = member?.state.block ?? null;
  if (!bundle || !member || block === null) return null;
  if (bundle.mined === 'pay' && block.height === bundle.height) return null;
  const next = move(world, at, place, { type: 'reorganised' });
  return next && told(next, member.pays, { type: 'reorganised', at: AT });
}

function* signedSteps(world: BundleWorld, at: number, bundle: Sent): Generator<Step<BundleWorld>> {
  const { mined, height } = bundle;
  if (mined === null) {
    yield { name: `mine ${at}`, to: put(world, at, { mined: 'pay' }) };
    yield { name: `supersede ${at}`, to: put(world, at, { mined: 'foreign' }) };
  }
  if (mined === 'pay' && height === 1)
    yield { name: `reorg ${at}`, to: put(world, at, { mined: null, height: 2 }) };
  for (const place of placesOf(bundle)) {
    const ended = settled(world, at, place);
    if (ended) yield { name: `settle ${place} of ${at}`, to: ended };
    const back = undone(world, at, place);
    if (back) yield { name: `undo ${place} of ${at}`, to: back };
  }
}

export function* steps(world: BundleWorld): Generator<Step<BundleWorld>> {
  yield* operatorSteps(world);
  yield* allocations(world);
  for (const [at, bundle] of world.bundles.entries())
    yield* bundle.signed ? signedSteps(world, at, bundle) : unsignedSteps(world, at, bundle);
}
