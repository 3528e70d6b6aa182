/**
 * The payout drill: a merchant's payouts on a real node behind a lying proxy, sent by two workers
 * that are killed (SIGKILL) again and again, at random moments and at every step between two things
 * that last. In the end every recipient, each of whom is owed by one payout, must have got exactly
 * that, and the books must be right and agree with the chain.
 */
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import type { ForwardSettings } from '../payouts/forward-settings.ts';
import type { Owed } from './drill-chain.ts';
import { DRILL_CHAINS, type DrillChainName } from './drill-chains.ts';
import type { LyingNode } from './lying-node.ts';
import { type Step, stepsOf } from './steps.ts';
import { openWorld, orderPayouts, type World } from './world.ts';

export interface PayoutDrillOrder {
  readonly chain: DrillChainName;
  readonly payouts: number;
  readonly kills: number;
  /**
   * When kills happen, in turn: the first time that the worker passes the step, or at a random
   * moment (null).
   */
  readonly moments: readonly (Step | null)[];
  /** Workers that end what the killed ones left; default: two. */
  readonly finishers?: number;
  readonly seed: number;
  /** Sends as the careless do, to show that the drill finds it out. */
  readonly naive: boolean;
  /** After this long the drill ends and tells what it found, milliseconds. */
  readonly deadlineMs: number;
  /** What the workers forward meanwhile, to an address that the drill writes into the policy. */
  readonly forwards?: ForwardSettings;
}

export interface PayoutDrillReport {
  readonly chain: string;
  readonly payouts: number;
  readonly kills: number;
  /** At each step that was ordered, also where it is none, and `at random`. */
  readonly killsByStep: Readonly<Record<string, number>>;
  readonly blocks: number;
  readonly broadcasts: LyingNode['told'];
  /** Transactions ordered, by what for. */
  readonly batches: Readonly<Record<string, number>>;
  /** Transactions signed and stored; more than were ordered where some were replaced. */
  readonly signed: number;
  readonly seconds: number;
  /**
   * Payments that recipients did not get as they should have: empty when every payout was paid
   * exactly once.
   */
  readonly payments: readonly string[];
  /** What is wrong in the database, or otherwise on the chain; empty when the books are right. */
  readonly books: readonly string[];
}

const BLOCK_MS = 250;
const WORKERS = 2;
/** A worker starts within one second, and later on a machine that is busy with other tests. */
const STEP_PATIENCE_MS = 30_000;

export async function runPayoutDrill(order: PayoutDrillOrder): Promise<PayoutDrillReport> {
  const began = performance.now();
  const { seed, naive, forwards } = order;
  const world = await openWorld({
    ...{ open: DRILL_CHAINS[order.chain], seed, naive },
    ...(forwards === undefined ? {} : { forwards }),
  });
  const [cold] = world.chain.payouts(1, world.random);
  forwards?.policy({ cold_addresses: { [order.chain]: cold?.address } });
  try {
    const stopMining = mineSteadily(world);
    const { killed, owed } = await killAndRestart(world, order).finally(stopMining.stop);
    return {
      chain: order.chain,
      payouts: order.payouts,
      kills: Object.values(killed).reduce((sum, count) => sum + count, 0),
      killsByStep: killed,
      blocks: stopMining.mined(),
      broadcasts: world.node.told,
      batches: await batchesMade(world),
      signed: await world.count('select count(*) from signed_transactions'),
      seconds: Math.round((performance.now() - began) / 1000),
      payments: [
        ...(await wrongPayments(world, owed)),
        ...(forwards === undefined ? [] : await wrongForwards(world, cold?.address ?? '')),
      ],
      books: await wrongBooks(world),
    };
  } finally {
    await world.close();
  }
}

export function mineSteadily(world: World, blockMs = BLOCK_MS): { stop(): Promise<void>; mined(): number } {
  let running = true;
  let mined = 0;
  const loop = (async () => {
    while (running) {
      await world.nextBlock();
      mined += 1;
      await Bun.sleep(blockMs);
    }
  })();
  return {
    async stop() {
      running = false;
      await loop;
    },
    mined: () => mined,
  };
}

/**
 * Kills as often as ordered, and then lets others finish. Each worker finds payouts that were
 * ordered just before it began, so that there is something to spoil at every kill.
 */
async function killAndRestart(
  world: World,
  order: PayoutDrillOrder,
): Promise<{ killed: Record<string, number>; owed: readonly Owed[] }> {
  const { random } = world;
  const deadline = performance.now() + order.deadlineMs;
  const killed: Record<string, number> = Object.fromEntries(stepsOf(order).map((step) => [step, 0]));
  const owed: Owed[] = [];
  let begun = 0;
  let ordered = 0;

  async function orderShare(): Promise<void> {
    const share = Math.ceil((order.payouts * begun) / order.kills) - ordered;
    ordered += share;
    owed.push(...(await orderPayouts(world, share)));
  }

  async function oneWorker(): Promise<void> {
    while (begun < order.kills && performance.now() < deadline) {
      const step = order.moments[begun % order.moments.length] ?? null;
      begun += 1;
      await orderShare();
      const worker = world.startWorker(step);
      const patience = step === null ? 600 + random.int(1_500) : STEP_PATIENCE_MS;
      await Promise.race([worker.gone, Bun.sleep(patience)]);
      const where = worker.isGone() && step !== null ? step : 'at random';
      killed[where] = (killed[where] ?? 0) + 1;
      await worker.kill();
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, oneWorker));
  const toForward = order.forwards?.assets.length ?? 0;
  // Once more where a worker began something (a top-up) between the last look and its end.
  do {
    const last = Array.from({ length: order.finishers ?? WORKERS }, () => world.startWorker(null));
    while (performance.now() < deadline && !(await allEnded(world, toForward))) await Bun.sleep(250);
    for (const worker of last) await worker.kill();
  } while (performance.now() < deadline && !(await allEnded(world, toForward)));
  return { killed, owed };
}

/**
 * No payout is on its way, and nothing else that left a wallet of ours; and so many assets were
 * forwarded.
 */
async function allEnded({ count }: World, toForward: number): Promise<boolean> {
  const payouts = await count("select count(*) from payouts where status in ('pending', 'processing')");
  const forwarded = await count(
    `select count(distinct asset) from outgoing_transfers
     where purpose = 'forward' and status = 'confirmed'`,
  );
  return payouts === 0 && forwarded >= toForward && (await openTransfers(count)) === 0;
}

export function openTransfers(count: World['count']): Promise<number> {
  return count("select count(*) from outgoing_transfers where status in ('allocated', 'signed')");
}

async function batchesMade({ database }: World): Promise<Record<string, number>> {
  const rows = await database.query<{ purpose: string; count: string }>(
    'select purpose, count(distinct bundle_id) from outgoing_transfers group by purpose order by purpose',
  );
  return Object.fromEntries(rows.map(({ purpose, count }) => [purpose, Number(count)]));
}

async function wrongPayments({ chain }: World, owed: readonly Owed[]): Promise<string[]> {
  // What is still waiting in the node's pool would be paid, too.
  await chain.mine(3);
  const received = await chain.received(owed);
  const wrong = new Map<string, number>();
  for (const [index, { units }] of owed.entries()) {
    const balance = received[index] ?? 0n;
    if (balance === units) continue;
    const times = balance % units === 0n ? `${balance / units} times` : 'another amount';
    wrong.set(times, (wrong.get(times) ?? 0) + 1);
  }
  return [...wrong].map(([times, count]) => `${count} paid ${times}`);
}

/** The cold address has what the records say was forwarded, of each asset: once. */
async function wrongForwards({ chain, database }: World, cold: string): Promise<string[]> {
  const rows = await database.query<{ asset: string; units: string }>(
    `select asset, sum(units)::text as units from outgoing_transfers
     where purpose = 'forward' and status = 'confirmed' group by asset`,
  );
  if (rows.length === 0) return ['nothing was forwarded'];
  const owed = rows.map(({ asset, units }) => ({ address: cold, asset, units: BigInt(units) }));
  const received = await chain.received(owed);
  return owed.flatMap(({ asset, units }, index) =>
    received[index] === units ? [] : [`${received[index]} ${asset} were forwarded, by the records ${units}`],
  );
}

/** What is wrong in the database, or otherwise on the chain; payouts that did not succeed, too. */
async function wrongBooks(world: World): Promise<string[]> {
  const faults: string[] = [];
  const { database } = world;
  const states = await database.query<{ status: string; failure: string | null; count: string }>(
    `select p.status, t.failure, count(*) from payouts p left join outgoing_transfers t on t.reference_id = p.id
     where p.status <> 'success' group by p.status, t.failure`,
  );
  for (const { status, failure, count: payouts } of states)
    faults.push(`${payouts} payouts are ${status}: ${failure}`);
  const reserved = await world.count(
    "select coalesce(sum(amount), 0) as count from ledger_postings where account = 'payouts_in_flight'",
  );
  if (reserved !== 0) faults.push(`${reserved} micro-USD are still reserved`);
  return [...faults, ...(await unbalanced(world))];
}

/** Where the books are not right, or disagree with the chain, whatever became of payouts. */
export async function unbalanced({ chain, count, database, observer, sending }: World): Promise<string[]> {
  const faults: string[] = [];
  const open = await openTransfers(count);
  if (open !== 0) faults.push(`${open} transfers have not ended`);
  const sums = await database.query<{ currency: string; sum: string }>(
    'select currency, sum(amount)::text from ledger_postings group by currency having sum(amount) <> 0',
  );
  for (const { currency, sum } of sums) faults.push(`the ledger is off by ${sum} ${currency}`);
  const { dependencies } = observer.service;
  const found = await dependencies.operatorQueries.reconciliationFaults();
  const { differences, unavailable } = await reconcileChain(dependencies, sending, { height: null });
  return [
    ...faults,
    ...found.map(({ check, reference }) => `${check}: ${reference}`),
    ...differences.map(
      ({ kind, address, asset, expectedUnits, foundUnits }) =>
        `${kind} at ${address}: ${foundUnits} ${asset}, by the books ${expectedUnits}`,
    ),
    ...(unavailable === null ? [] : [unavailable]),
    ...(await chain.differences(database)),
  ];
}
