/**
 * Every state that two payouts can reach on a chain of coins, where several leave in one transaction: a payment that is refused
 * or given up takes its bundle apart, the other one leaves in another bundle, and neither is ever paid twice.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { decideOutgoing, type OutgoingEvent, type OutgoingState } from '../../src/domain/outgoing.ts';
import type { PayoutEvent } from '../../src/domain/payout.ts';
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
  /** What spent its coins on the chain, finally; `foreign` is signed by nobody here. */
  readonly mined: 'pay' | 'foreign' | null;
  /** Of the block that has it, or that had it last. */
  readonly height: number;
}

interface World {
  readonly payouts: readonly PayoutWorld[];
  readonly bundles: readonly Sent[];
}

const START: World = { payouts: [NEW_PAYOUT, NEW_PAYOUT], bundles: [] };
const BUNDLES_MAX = 3;
/** Why a transfer came to nothing makes no difference here. */
const WHY = 'any';
const GROUPS = [[0], [1], [0, 1]] as const;

const replaced = <T>(list: readonly T[], at: number, value: T): readonly T[] =>
  list.map((each, index) => (index === at ? value : each));

function put(world: World, at: number, change: Partial<Sent>): World {
  const bundle = world.bundles[at];
  return bundle ? { ...world, bundles: replaced(world.bundles, at, { ...bundle, ...change }) } : world;
}

/** Null when the event cannot happen to the member. */
function move(world: World, at: number, place: number, event: OutgoingEvent): World | null {
  const members = world.bundles[at]?.members ?? [];
  const member = members[place];
  const state = member ? decideOutgoing(member.state, event) : null;
  if (!member || !state) return null;
  return put(world, at, { members: replaced(members, place, { ...member, state }) });
}

/** The world as it is when the payout cannot take the event. */
function told(world: World, pays: number, event: PayoutEvent): World {
  const payout = world.payouts[pays];
  const next = payout ? tell(payout, event) : null;
  return next ? { ...world, payouts: replaced(world.payouts, pays, next) } : world;
}

const transfersOf = ({ bundles }: World, pays: number): OutgoingState[] =>
  bundles.flatMap(({ members }) =>
    members.filter((member) => member.pays === pays).map(({ state }) => state),
  );

/** app/dissolve-bundle.ts; the world as it is when something was signed. */
function dissolved(world: World, at: number): World {
  const members = world.bundles[at]?.members ?? [];
  if (members.some(({ state }) => state.status !== 'allocated')) return world;
  const apart = members.reduce<World>(
    (last, _, place) => move(last, at, place, { type: 'dissolved', reason: WHY }) ?? last,
    world,
  );
  return put(apart, at, { claimed: false });
}

/** app/operate-payouts.ts, giveUpTransfer. */
function givenUp(world: World, pays: number): World {
  for (const [at, { members }] of world.bundles.entries()) {
    const place = members.findIndex((member) => member.pays === pays && isActive(member.state));
    if (place !== -1) return move(world, at, place, { type: 'voided', reason: WHY }) ?? world;
  }
  return world;
}

function* operatorSteps(world: World): Generator<Step<World>> {
  for (const [pays, payout] of world.payouts.entries()) {
    const change = (changed: PayoutWorld): World => ({
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

/** app/allocate-coins.ts: any of those that are ready, as far as the coins go. */
function* allocations(world: World): Generator<Step<World>> {
  if (world.bundles.length === BUNDLES_MAX) return;
  for (const group of GROUPS) {
    const ready = group.every((pays) => {
      const payout = world.payouts[pays];
      return payout?.payout.status === 'pending' && !payout.held && !transfersOf(world, pays).some(isActive);
    });
    if (!ready) continue;
    const members = group.map((pays) => ({ pays, state: NEW_TRANSFER }));
    const made: Sent = { members, claimed: true, signed: false, mined: null, height: 1 };
    yield { name: `allocate ${group.join(' and ')}`, to: { ...world, bundles: [...world.bundles, made] } };
  }
}

/** app/advance-bundle.ts, app/sign-bundle.ts and app/refused-bundle.ts, while nothing is signed. */
function* unsignedSteps(world: World, at: number, { members }: Sent): Generator<Step<World>> {
  if (members.some(({ state }) => state.voided)) yield { name: `dissolve ${at}`, to: dissolved(world, at) };
  else if (members.every(({ pays }) => mayBePaid(world.payouts[pays] ?? NEW_PAYOUT))) {
    const signed = members.reduce<World | null>(
      (last, _, place) => last && move(last, at, place, { type: 'signed' }),
      put(world, at, { signed: true }),
    );
    const event = { type: 'broadcast', txid: `pay${at}`, at: AT } as const;
    if (signed)
      yield {
        name: `sign ${at}`,
        to: members.reduce((last, { pays }) => told(last, pays, event), signed),
      };
  }
  for (const [place, { pays }] of members.entries()) {
    const voided = move(world, at, place, { type: 'voided', reason: WHY });
    if (!voided) continue;
    const apart = dissolved(voided, at);
    const failed = { type: 'failed', reason: 'refused', at: AT } as const;
    yield { name: `refuse ${pays} of ${at}`, to: told(apart, pays, failed) };
    yield { name: `refuse ${pays} of ${at} for now`, to: apart };
  }
}

/** app/settle-transfer.ts: each member in a transaction of its own. */
function settled(world: World, at: number, place: number): World | null {
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

/** The block that settled the member is gone: app/send-transfers.ts, recheck. */
function undone(world: World, at: number, place: number): World | null {
  const bundle = world.bundles[at];
  const member = bundle?.members[place];
  const block = member?.state.block ?? null;
  if (!bundle || !member || block === null) return null;
  if (bundle.mined === 'pay' && block.height === bundle.height) return null;
  const next = move(world, at, place, { type: 'reorganised' });
  return next && told(next, member.pays, { type: 'reorganised', at: AT });
}

function* signedSteps(world: World, at: number, { members, mined, height }: Sent): Generator<Step<World>> {
  if (mined === null) {
    yield { name: `mine ${at}`, to: put(world, at, { mined: 'pay' }) };
    yield { name: `supersede ${at}`, to: put(world, at, { mined: 'foreign' }) };
  }
  if (mined === 'pay' && height === 1)
    yield { name: `reorg ${at}`, to: put(world, at, { mined: null, height: 2 }) };
  for (const place of members.keys()) {
    const ended = settled(world, at, place);
    if (ended) yield { name: `settle ${place} of ${at}`, to: ended };
    const back = undone(world, at, place);
    if (back) yield { name: `undo ${place} of ${at}`, to: back };
  }
}

function* steps(world: World): Generator<Step<World>> {
  yield* operatorSteps(world);
  yield* allocations(world);
  for (const [at, bundle] of world.bundles.entries())
    yield* bundle.signed ? signedSteps(world, at, bundle) : unsignedSteps(world, at, bundle);
}

function faultOf(world: World): string | null {
  for (const [pays, payout] of world.payouts.entries()) {
    const paying = world.bundles.filter(({ members }) => members.some((member) => member.pays === pays));
    const fault = broken({
      ...payoutRules(payout, transfersOf(world, pays)),
      'signed in one bundle': paying.filter(({ signed }) => signed).length <= 1,
      'paid at most once': paying.filter(({ mined }) => mined === 'pay').length <= 1,
      'pending was never signed': payout.payout.status !== 'pending' || !paying.some(({ signed }) => signed),
    });
    if (fault) return `${fault} (${pays})`;
  }
  for (const { members, claimed, signed } of world.bundles) {
    const states = members.map(({ state }) => state);
    const fault = broken({
      'what was signed keeps its coins': !signed || claimed,
      'coins are free once it is apart':
        claimed === (signed || states.some(({ status }) => status !== 'failed')),
      'comes apart as a whole': claimed || states.every(({ status }) => status === 'failed'),
      'nothing that was signed is given up': !signed || states.every(({ voided }) => !voided),
      'one is signed when all are': new Set(states.map(({ status }) => status === 'allocated')).size === 1,
    });
    if (fault) return fault;
  }
  return null;
}

/** What is wrong with a world, or with a step out of it. */
function* faults(world: World, ways: readonly Step<World>[]): Generator<string> {
  const fault = faultOf(world);
  if (fault) yield fault;
  for (const { name, to } of ways)
    for (const [pays, { payout }] of world.payouts.entries()) {
      const after = to.payouts[pays]?.payout.status;
      if (payout.status === 'success' && after !== 'success' && !name.startsWith('undo'))
        yield `success moved by ${name}`;
      if (payout.status !== 'pending' && after === 'pending') yield `pending again by ${name}`;
    }
  // Nothing that is to be paid waits for an operator, or for luck.
  const onward = ways.some(({ name }) => /^(allocate|dissolve|sign|mine|settle|undo)/.test(name));
  if (world.payouts.some(mayBePaid) && world.bundles.length < BUNDLES_MAX && !onward) yield 'stuck';
  // Once the chain has decided and everybody was told, what it paid is paid.
  for (const [at, { members, mined }] of world.bundles.entries()) {
    if (mined !== 'pay') continue;
    const known = members.reduce((last, _, place) => undone(last, at, place) ?? last, world);
    const end = members.reduce((last, _, place) => settled(last, at, place) ?? last, known);
    if (members.some(({ pays }) => end.payouts[pays]?.payout.status !== 'success'))
      yield 'paid and not success';
  }
}

describe('every reachable state of two payouts on a chain of coins', () => {
  let found: ReturnType<typeof explore<World>>;
  beforeAll(() => {
    found = explore(START, steps, faults);
  }, 60_000);

  test('keeps the money in one place, pays at most once, and frees the coins of what came apart', () => {
    expect(found.faults).toEqual([]);
    expect(found.worlds.length).toBeGreaterThan(1_000);
  });

  test.each([
    ['is refused', 'failed', 'refused'],
    ['is cancelled', 'cancelled', null],
  ] as const)(
    'of a bundle of two the one %s, and the other is paid by another bundle',
    (_, status, failure) => {
      const [lead, follower] = [0, 1].map((ended) =>
        found.worlds.filter(({ payouts, bundles }) => {
          const one = payouts[ended]?.payout;
          const other = payouts[1 - ended]?.payout;
          const asked = one?.status === status && one.failure === failure && other?.status === 'success';
          return asked && bundles.length === 2 && bundles[0]?.members.length === 2;
        }),
      );
      for (const worlds of [lead, follower]) {
        expect(worlds?.length).toBeGreaterThan(0);
        for (const { bundles } of worlds ?? []) {
          const [first, second] = bundles;
          expect([first?.signed, second?.signed]).toEqual([false, true]);
          expect(first?.members.some(({ state }) => isActive(state))).toBe(false);
          expect(second?.members).toHaveLength(1);
        }
      }
    },
  );
});
