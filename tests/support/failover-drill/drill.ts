/**
 * The drill behind "nothing acknowledged is lost in a failover": a service under load, with money
 * in and out on a fake chain, while the primary of a synchronous pair is killed or changes its
 * place with the standby, again and again. Through the service's own list of servers, or through a
 * PgBouncer that Patroni points at each new primary.
 */
import type { FakeChainControl } from '../../../src/adapters/chains/fake/fake-control.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { pgbouncerProgram, startPgBouncer } from '../postgres/pgbouncer.ts';
import { until } from '../runtime/poll.ts';
import { seeded } from '../runtime/seeded.ts';
import { startTestService, type TestService } from '../test-service.ts';
import { type Asked, asker } from './asker.ts';
import { type Cluster, FAILOVER_MS, type Member, missingPrograms, startCluster } from './patroni-cluster.ts';

export const WAYS = ['direct', 'pgbouncer'] as const;
type Way = (typeof WAYS)[number];
/** How the primary is lost, in turn. */
const KINDS = ['server', 'switch', 'machine', 'switch'] as const;

const BLOCK_EVERY_MS = 250;
const FINALITY = 12;
const SETTLED_MS = 120_000;
const STAKE = 1_000_000;

export interface FailoverReport extends Asked {
  readonly way: Way;
  readonly failovers: number;
  /**
   * Of each: how it was forced, until Patroni had a new primary, and the longest time without an
   * acknowledged write.
   */
  readonly each: readonly { readonly kind: string; readonly electedMs: number; readonly gapMs: number }[];
  /** Invoices that were paid on the chain, and payouts that were accepted. */
  readonly paid: number;
  readonly payouts: number;
  /** Acknowledged, and not there or not as it must be in the end. */
  readonly lost: readonly string[];
  /** What reconciliation finds afterwards. */
  readonly faults: readonly unknown[];
}

/** What this machine lacks for the drill. */
export function missingFor(way: Way): readonly string[] {
  return [...missingPrograms(), ...(way === 'pgbouncer' && pgbouncerProgram() === null ? ['pgbouncer'] : [])];
}

export async function drillFailovers(order: {
  readonly way: Way;
  readonly failovers: number;
  readonly workers: number;
  readonly seed: number;
  /** Called after each. */
  readonly tell: (line: string) => void;
}): Promise<FailoverReport> {
  const random = seeded(order.seed);
  const cluster = await startCluster();
  let it: TestService | null = null;
  let stopPooler = async () => {};
  try {
    const first = await cluster.leader();
    let databaseUrl = cluster.url('postgres');
    if (order.way === 'pgbouncer') {
      const pooler = await startPgBouncer(`postgres://quittance@127.0.0.1:${first.port}/postgres`);
      cluster.onLeader(
        `printf '[databases]\\n* = host=127.0.0.1 port=%s\\n' "$PORT" >'${pooler.databasesFile}' && kill -HUP ${pooler.pid}`,
      );
      databaseUrl = pooler.url('postgres');
      stopPooler = pooler.stop;
    }
    it = await startTestService({
      env: { CHAINS: 'fake', DATABASE_URL_READ: cluster.url('postgres') },
      databaseUrl,
      overrides: { schedule: true, writersMax: 14 },
    });
    const load = await startLoad(it, { workers: order.workers, seed: order.seed });
    const each: { kind: string; electedMs: number; gapMs: number }[] = [];
    for (let n = 0; n < order.failovers; n += 1) {
      const kind = KINDS[n % KINDS.length] ?? 'switch';
      const leader = await cluster.leader();
      await Bun.sleep(300 + random.int(700));
      const from = performance.now();
      const electedMs = await forced(cluster, leader, kind);
      await load.untilWrites(performance.now());
      const one = { kind, electedMs, gapMs: load.longestGapMs(from) };
      each.push(one);
      order.tell(`${order.way} ${n + 1}/${order.failovers}: ${JSON.stringify(one)}`);
    }
    await cluster.leader();
    const { lost, paid, payouts } = await load.end();
    const faults = await it.service.dependencies.operatorQueries.reconciliationFaults();
    return { way: order.way, failovers: each.length, each, paid, payouts, lost, faults, ...load.asked() };
  } finally {
    await it?.stop().catch(() => undefined);
    await stopPooler();
    await cluster.stop();
  }
}

/** Milliseconds until another member takes writes. */
async function forced(cluster: Cluster, leader: Member, kind: (typeof KINDS)[number]): Promise<number> {
  const from = performance.now();
  if (kind === 'switch') await cluster.switchOver(leader);
  else await cluster.kill(leader, kind);
  const other = cluster.members.find((member) => member !== leader);
  await until('the other member leads', FAILOVER_MS, async () => {
    const url = `http://127.0.0.1:${other?.restPort}/primary`;
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => null))?.status === 200;
  });
  if (kind === 'machine') cluster.start(leader);
  return Math.round(performance.now() - from);
}

interface Load {
  untilWrites(from: number): Promise<void>;
  longestGapMs(from: number): number;
  asked(): Asked;
  /** Ends it, waits until all is settled, and looks what became of everything. */
  end(): Promise<{ readonly lost: readonly string[]; readonly paid: number; readonly payouts: number }>;
}

/**
 * Callers with a merchant each, so that the newest row of its list must be the one it just made.
 */
async function startLoad(
  it: TestService,
  { workers, seed }: { readonly workers: number; readonly seed: number },
): Promise<Load> {
  const { ask, asked, wrong } = asker(it);
  const control = it.service.chains.fakes?.get('ethereum')?.control as FakeChainControl;
  const hot = it.service.sending.chains.get('ethereum')?.deriver.hotWallet() ?? '';
  control.fund(hot, 'usdt_ethereum', unitsOf(String(STAKE), 6));
  control.fund(hot, 'eth_ethereum', 1_000n * 10n ** 18n);
  const miner = setInterval(() => control.mine(), BLOCK_EVERY_MS);
  const keys = await Promise.all(Array.from({ length: workers }, async () => (await it.merchant()).live));
  await Promise.all(keys.map((key) => earn(it, control, key)));

  const writes: number[] = [];
  const made: { readonly key: string; readonly path: string; readonly mustBe: string | null }[] = [];
  const owed = new Map<string, { readonly accepted: boolean }>();
  let running = true;
  const recipients = seeded(seed);
  const recipient = () =>
    `0x${Array.from({ length: 5 }, () =>
      recipients
        .int(2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    ).join('')}`;

  async function caller(key: string): Promise<void> {
    for (let turn = 0; running; turn += 1) await (turn % 4 === 3 ? payOut(key) : invoice(key, turn));
  }
  async function invoice(key: string, turn: number): Promise<void> {
    const body = { amount: 25, fiat_currency: 'USD', asset: 'usdt_ethereum' };
    const created = await ask(key, 'POST', '/api/v2/invoices', body);
    if (created === null) return;
    writes.push(performance.now());
    const { order_id: id, address_to: to, amount } = created.body.result;
    const isPaid = turn % 2 === 0;
    if (isPaid) control.pay({ to, asset: 'usdt_ethereum', units: unitsOf(String(amount), 6) });
    made.push({ key, path: `/api/v2/invoices/${id}`, mustBe: isPaid ? 'success' : null });
    await ask(key, 'GET', `/api/v2/invoices/${id}`);
    const listed = await ask(key, 'GET', '/api/v2/invoices?page_size=1');
    if (listed !== null && listed.body.result[0]?.order_id !== id)
      wrong(`a list without the invoice that its merchant just made: ${id}`);
  }
  async function payOut(key: string): Promise<void> {
    const address = recipient();
    const body = { address, amount: 3, asset: 'usdt_ethereum' };
    const answer = await ask(key, 'POST', '/api/v2/payouts', body, { 'x-uniq-id': crypto.randomUUID() });
    owed.set(address, { accepted: answer !== null });
    if (answer === null) return;
    writes.push(performance.now());
    made.push({ key, path: `/api/v2/payouts/${answer.body.result.order_id}`, mustBe: 'success' });
  }
  const callers = keys.map(caller);

  return {
    asked,
    untilWrites: (from) =>
      until('writes are acknowledged again', FAILOVER_MS, () => {
        const newest = writes.at(-1) ?? 0;
        return newest > from + 500;
      }),
    longestGapMs(from) {
      const times = [from, ...writes.filter((at) => at > from)];
      return Math.round(Math.max(...times.map((at, n) => at - (times[n - 1] ?? at))));
    },
    async end() {
      running = false;
      await Promise.all(callers);
      const lost: string[] = [];
      // One deadline for all: what is lost would cost it each time.
      const end = performance.now() + SETTLED_MS;
      for (const { key, path, mustBe } of made) {
        let found = await it.call(key, 'GET', path);
        while (mustBe !== null && found.body?.result?.status !== mustBe && performance.now() < end) {
          await Bun.sleep(200);
          found = await it.call(key, 'GET', path);
        }
        const status = found.status === 200 ? found.body.result.status : `HTTP ${found.status}`;
        if (found.status !== 200 || (mustBe !== null && status !== mustBe)) lost.push(`${path}: ${status}`);
      }
      control.mine(FINALITY);
      clearInterval(miner);
      for (const [address, { accepted }] of owed) {
        const times = control.received(address).length;
        if (times > 1 || (accepted && times === 0)) lost.push(`${address} was paid ${times} times`);
      }
      const count = (kind: string) => made.filter(({ path, mustBe }) => path.includes(kind) && mustBe).length;
      return { lost, paid: count('/invoices/'), payouts: count('/payouts/') };
    },
  };
}

/** A balance that no drill spends. */
async function earn(it: TestService, control: FakeChainControl, key: string): Promise<void> {
  const body = { amount: STAKE / 10, asset: 'usdt_ethereum' };
  const {
    order_id: id,
    address_to: to,
    amount,
  } = (await it.call(key, 'POST', '/api/v2/invoices', body)).body.result;
  control.pay({ to, asset: 'usdt_ethereum', units: unitsOf(String(amount), 6) });
  await until('the stake is credited', SETTLED_MS, async () => {
    const found = await it.call(key, 'GET', `/api/v2/invoices/${id}`);
    return found.body?.result?.status === 'success';
  });
}
