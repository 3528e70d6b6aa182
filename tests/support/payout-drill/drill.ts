/**
 * The payout drill: a merchant's payouts of coins and tokens on a real node behind a lying proxy, sent by two workers that are
 * killed (SIGKILL) again and again, at random moments and at every step between two things that last. In the end every
 * recipient, each of whom is owed by one payout, must have got exactly that, and the books must be right.
 */
import type { EvmLab } from '../evm-lab.ts';
import type { LyingNode } from './lying-node.ts';
import type { Step } from './steps.ts';
import { type Owed, openWorld, orderPayouts, type World } from './world.ts';

export interface PayoutDrillOrder {
  readonly payouts: number;
  readonly kills: number;
  /** Where every second kill happens, in turn. */
  readonly steps: readonly Step[];
  readonly seed: number;
  /** Sends as the careless do, to show that the drill finds it out. */
  readonly naive: boolean;
  /** After this long the drill ends and tells what it found, milliseconds. */
  readonly deadlineMs: number;
}

export interface PayoutDrillReport {
  readonly payouts: number;
  readonly kills: number;
  readonly killsByStep: Readonly<Record<string, number>>;
  readonly blocks: number;
  readonly broadcasts: LyingNode['told'];
  /** Transactions signed and stored; more than payouts where some were replaced. */
  readonly signed: number;
  readonly seconds: number;
  /** Payments that recipients did not get as they should have: empty when every payout was paid exactly once. */
  readonly payments: readonly string[];
  /** What is wrong in the database; empty when the books are right. */
  readonly books: readonly string[];
}

const BLOCK_MS = 250;
const WORKERS = 2;

export async function runPayoutDrill(order: PayoutDrillOrder): Promise<PayoutDrillReport> {
  const began = performance.now();
  const world = await openWorld(order);
  try {
    const stopMining = mineSteadily(world);
    const { killed, owed } = await killAndRestart(world, order).finally(stopMining.stop);
    return {
      payouts: order.payouts,
      kills: Object.values(killed).reduce((sum, count) => sum + count, 0),
      killsByStep: killed,
      blocks: stopMining.mined(),
      broadcasts: world.node.told,
      signed: await world.count('select count(*) from signed_transactions'),
      seconds: Math.round((performance.now() - began) / 1000),
      payments: await wrongPayments(world, owed),
      books: await wrongBooks(world),
    };
  } finally {
    await world.close();
  }
}

function mineSteadily({ lab, inTurn }: World): { stop(): Promise<void>; mined(): number } {
  let running = true;
  let mined = 0;
  const loop = (async () => {
    while (running) {
      await inTurn(() => lab.mine(1));
      mined += 1;
      await Bun.sleep(BLOCK_MS);
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
 * Kills as often as ordered, every second one at a step, and then lets two workers finish. Each worker finds payouts that were
 * ordered just before it began, so that there is something to spoil at every kill.
 */
async function killAndRestart(
  world: World,
  order: PayoutDrillOrder,
): Promise<{ killed: Record<string, number>; owed: readonly Owed[] }> {
  const { random } = world;
  const deadline = performance.now() + order.deadlineMs;
  const killed: Record<string, number> = {};
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
      begun += 1;
      const step = begun % 2 === 0 ? order.steps[(begun / 2) % order.steps.length] : undefined;
      const doom = step === undefined ? null : { step, after: 1 + random.int(2) };
      await orderShare();
      const worker = world.startWorker(doom);
      const patience = doom === null ? 600 + random.int(1_500) : 8_000;
      await Promise.race([worker.gone, Bun.sleep(patience)]);
      const where = worker.isGone() && doom !== null ? doom.step : 'at random';
      killed[where] = (killed[where] ?? 0) + 1;
      await worker.kill();
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, oneWorker));
  const last = Array.from({ length: WORKERS }, () => world.startWorker(null));
  while (performance.now() < deadline && !(await allEnded(world))) await Bun.sleep(250);
  for (const worker of last) await worker.kill();
  return { killed, owed };
}

async function allEnded({ count }: World): Promise<boolean> {
  return (await count("select count(*) from payouts where status in ('pending', 'processing')")) === 0;
}

async function wrongPayments({ lab, inTurn }: World, owed: readonly Owed[]): Promise<string[]> {
  // What is still waiting in the node's pool would be paid, too.
  await inTurn(() => lab.mine(3));
  const wrong = new Map<string, number>();
  for (const { address, asset, units } of owed) {
    const balance = await balanceOf(lab, address, asset);
    if (balance === units) continue;
    const times = balance % units === 0n ? `${balance / units} times` : 'another amount';
    wrong.set(times, (wrong.get(times) ?? 0) + 1);
  }
  return [...wrong].map(([times, count]) => `${count} paid ${times}`);
}

async function wrongBooks({ count, database, observer }: World): Promise<string[]> {
  const faults: string[] = [];
  const states = await database.query<{ status: string; count: string }>(
    "select status, count(*) from payouts where status <> 'success' group by status",
  );
  for (const { status, count: payouts } of states) faults.push(`${payouts} payouts are ${status}`);
  const sums = await database.query<{ currency: string; sum: string }>(
    'select currency, sum(amount)::text from ledger_postings group by currency having sum(amount) <> 0',
  );
  for (const { currency, sum } of sums) faults.push(`the ledger is off by ${sum} ${currency}`);
  const reserved = await count(
    "select coalesce(sum(amount), 0) as count from ledger_postings where account = 'payouts_in_flight'",
  );
  if (reserved !== 0) faults.push(`${reserved} micro-USD are still reserved`);
  const found = await observer.service.dependencies.operatorQueries.reconciliationFaults();
  return [...faults, ...found.map(({ check, reference }) => `${check}: ${reference}`)];
}

async function balanceOf(lab: EvmLab, address: string, asset: Owed['asset']): Promise<bigint> {
  if (asset === 'eth_ethereum')
    return BigInt(await lab.anvil.rpc<string>('eth_getBalance', [address, 'latest']));
  const data = lab.call('TetherLikeToken', 'balanceOf', [address]);
  return BigInt(await lab.anvil.rpc<string>('eth_call', [{ to: lab.contracts.tether, data }, 'latest']));
}
