/**
 * The hostile drill: merchants who pay recipients that burn gas, change their mind, fit into no
 * block, answer slowly or send money back, beside an honest one, while the workers are killed and
 * started again. The network's fees are to be borne by those who caused them, and every honest
 * payout is to be paid in time.
 */
import { mineSteadily, openTransfers, unbalanced } from '../payout-drill/drill.ts';
import { bookHotWallet, credit, openWorld, postBatch, type World } from '../payout-drill/world.ts';
import type { HostileChain } from './hostile-chain.ts';

export interface HostileDrillOrder {
  readonly open: () => Promise<HostileChain>;
  readonly rounds: number;
  /** Payouts of the honest merchant in each round, and of each hostile one. */
  readonly honest: number;
  readonly hostile: number;
  readonly seed: number;
  /** After this long the drill ends and tells what it found, milliseconds. */
  readonly deadlineMs: number;
}

export interface MerchantCosts {
  readonly merchant: string;
  readonly payouts: Readonly<Record<string, number>>;
  /**
   * Micro-USD that networks took for transactions of its payouts, and what it was charged for them.
   */
  readonly costMicroUsd: number;
  readonly chargedMicroUsd: number;
}

export interface HostileDrillReport {
  readonly chain: string;
  readonly restarts: number;
  readonly merchants: readonly MerchantCosts[];
  /**
   * Of payouts and of nonces that they gave up; below zero: a gain. Collecting deposits is the
   * operator's own cost.
   */
  readonly operatorsLossMicroUsd: number;
  readonly chargedMicroUsd: number;
  /** Of the chain's time, from the order to `success`, the slowest. */
  readonly slowestHonestSeconds: number;
  readonly unpaidHonest: number;
  readonly books: readonly string[];
}

/** Between looks at what was paid. */
const LOOK_MS = 500;
/** A worker is killed after so many blocks, and another one takes its place. */
const BLOCKS_OF_A_WORKER = 6;
const BLOCKS_TO_ARRIVE = 4 * BLOCKS_OF_A_WORKER;

interface Honest {
  readonly id: string;
  readonly orderedAt: number;
  paidAt: number | null;
}

export async function runHostileDrill(order: HostileDrillOrder): Promise<HostileDrillReport> {
  const world = await openWorld({ open: order.open, seed: order.seed });
  try {
    const merchants = await openMerchants(world);
    const blockMs = world.chain.secondsPerBlock * 1_000;
    const mining = mineSteadily({ ...world, nextBlock: () => nextBlock(world) }, blockMs);
    const honest: Honest[] = [];
    const deadline = performance.now() + order.deadlineMs;
    const workers = restartWorkers(world, mining.mined);
    for (let round = 0; round < order.rounds; round += 1) {
      const owed = world.chain.payouts(order.honest, world.random);
      for (const { order_id: id } of await postBatch(world.observer, world.merchant, owed))
        if (id !== null) honest.push({ id, orderedAt: mining.mined(), paidAt: null });
      for (const [kind, merchant] of merchants) {
        const asked = await Promise.all(Array.from({ length: order.hostile }, () => world.chain.owe(kind)));
        await postBatch(world.observer, merchant, asked);
      }
      const next = mining.mined() + 2 * BLOCKS_OF_A_WORKER;
      while (mining.mined() < next && performance.now() < deadline) {
        await Bun.sleep(LOOK_MS);
        await lookAt(world, honest, mining.mined());
      }
    }
    while (performance.now() < deadline && !(await isOver(world, honest))) {
      await Bun.sleep(LOOK_MS);
      await lookAt(world, honest, mining.mined());
    }
    const books = await standingFaults(world, blockMs);
    const restarts = await workers.stop();
    await mining.stop();
    return {
      chain: world.chain.name,
      restarts,
      merchants: await costsOf(world, [['honest', world.merchant], ...merchants]),
      ...(await operatorsLoss(world)),
      slowestHonestSeconds:
        Math.max(0, ...honest.map(({ orderedAt, paidAt }) => (paidAt ?? mining.mined()) - orderedAt)) *
        world.chain.secondsPerBlock,
      unpaidHonest: honest.filter(({ paidAt }) => paidAt === null).length,
      books,
    };
  } finally {
    await world.close();
  }
}

/** One for each kind of recipients. */
async function openMerchants(
  world: World<HostileChain>,
): Promise<readonly (readonly [kind: string, merchant: { id: string; live: string }])[]> {
  const merchants: [string, { id: string; live: string }][] = [];
  for (const kind of world.chain.kinds) {
    const merchant = await world.observer.merchant({ name: kind });
    await credit(world, merchant);
    merchants.push([kind, merchant]);
  }
  await bookHotWallet(world);
  return merchants;
}

/** One worker after the other, each killed in the middle of what it does. */
function restartWorkers(world: World, mined: () => number): { stop(): Promise<number> } {
  let running = true;
  let restarts = 0;
  const loop = (async () => {
    while (running) {
      const worker = world.startWorker(null);
      const until = mined() + BLOCKS_OF_A_WORKER;
      while (running && mined() < until) await Bun.sleep(LOOK_MS / 5);
      await worker.kill();
      restarts += 1;
    }
  })();
  return {
    async stop() {
      running = false;
      await loop;
      return restarts;
    },
  };
}

async function nextBlock({ chain, database, nextBlock: mine }: World<HostileChain>): Promise<void> {
  const signed = await database.query<{ to_address: string }>(
    "select to_address from outgoing_transfers where status = 'signed' and purpose = 'payout'",
  );
  await chain.spring(new Set(signed.map(({ to_address: to }) => to)));
  await mine();
}

async function lookAt({ database }: World, honest: readonly Honest[], block: number): Promise<void> {
  const open = honest.filter(({ paidAt }) => paidAt === null);
  if (open.length === 0) return;
  const rows = await database.query<{ id: string }>(
    `select id from payouts where status = 'success' and id = any($1::text[])`,
    [`{${open.map(({ id }) => id).join(',')}}`],
  );
  const paid = new Set(rows.map(({ id }) => id));
  for (const one of open) if (paid.has(one.id)) one.paidAt = block;
}

/**
 * Every honest payout is paid, and nothing is on its way any more: what cannot go on gave its place
 * up, and is tried after pauses.
 */
async function isOver({ count }: World, honest: readonly Honest[]): Promise<boolean> {
  const waiting = await count(
    "select count(*) from payouts where status in ('pending', 'processing') and held is null and waiting_code is distinct from 'trial'",
  );
  return honest.every(({ paidAt }) => paidAt !== null) && waiting === 0 && (await openTransfers(count)) === 0;
}

/**
 * What is wrong with the books and stays so: what is between two accounts at the moment arrives
 * within a few blocks.
 */
async function standingFaults(world: World, blockMs: number): Promise<readonly string[]> {
  for (let block = 0; block < BLOCKS_TO_ARRIVE; block += 1) {
    if ((await unbalanced(world)).length === 0) return [];
    await Bun.sleep(blockMs);
  }
  return unbalanced(world);
}

async function costsOf(
  { database }: World,
  merchants: readonly (readonly [string, { id: string }])[],
): Promise<readonly MerchantCosts[]> {
  const costs: MerchantCosts[] = [];
  for (const [name, { id }] of merchants) {
    const [sums] = await database.query<{ cost: string; charged: string }>(
      `select
         (select coalesce(sum(f.amount), 0) from ledger_postings f join ledger_entries e on e.id = f.entry_id
            join outgoing_transfers t on t.id = e.reference_id join payouts p on p.id = t.reference_id
          where f.account = 'network_fees' and e.kind in ('network_fee', 'network_fee_reversed')
            and p.merchant_id = $1)::text as cost,
         (select coalesce(-sum(f.amount), 0) from ledger_postings f join ledger_entries e on e.id = f.entry_id
          where f.account = 'network_fees' and e.merchant_id = $1)::text as charged`,
      [id],
    );
    const states = await database.query<{ state: string; count: string }>(
      `select case when held is null then status else 'held' end as state, count(*) from payouts
       where merchant_id = $1 group by 1 order by 1`,
      [id],
    );
    costs.push({
      merchant: name,
      payouts: Object.fromEntries(states.map(({ state, count }) => [state, Number(count)])),
      costMicroUsd: Number(sums?.cost ?? 0),
      chargedMicroUsd: Number(sums?.charged ?? 0),
    });
  }
  return costs;
}

async function operatorsLoss({
  count,
}: World): Promise<Pick<HostileDrillReport, 'operatorsLossMicroUsd' | 'chargedMicroUsd'>> {
  const on = `from ledger_postings f join ledger_entries e on e.id = f.entry_id
    left join outgoing_transfers t on t.id = e.reference_id
    where f.account = 'network_fees' and (t.id is null or t.purpose in ('payout', 'gap'))`;
  return {
    operatorsLossMicroUsd: await count(`select coalesce(sum(f.amount), 0) as count ${on}`),
    chargedMicroUsd: await count(
      `select coalesce(-sum(f.amount), 0) as count ${on} and e.merchant_id is not null`,
    ),
  };
}
