/**
 * The drill behind "a lost database answers 503 and recovers by itself": the composed service under
 * HTTP load while its PostgreSQL is stopped `immediate`, as a crash does, and started again.
 */

import { seeded } from '../runtime/seeded.ts';
import { type Answer, startTestService, type TestService } from '../test-service.ts';
import { createPostgresServer } from './postgres-server.ts';

export const HUNG_MS = 5_000;
const GIVE_UP_MS = 60_000;
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';

export interface DrillReport {
  readonly stops: number;
  readonly requests: number;
  readonly acknowledged: number;
  /** 503 UNAVAILABLE in the envelope: what a caller may be told while the database is away. */
  readonly unavailable: number;
  /** Anything else: another status, another shape, a cut connection. */
  readonly wrong: readonly string[];
  readonly slowestMs: number;
  /** Requests that took longer than HUNG_MS. */
  readonly hung: number;
  /** From the server's return to the first acknowledged write, per stop. */
  readonly backMs: readonly number[];
  /** Acknowledged, and not there afterwards. */
  readonly lost: readonly string[];
  /** What reconciliation finds afterwards. */
  readonly faults: readonly unknown[];
}

/**
 * Writes and reads by `workers` callers at once through `stops` stops; takes some two seconds for
 * each.
 */
export async function drillDatabase(options: {
  stops: number;
  workers: number;
  seed: number;
}): Promise<DrillReport> {
  const { stops, workers, seed } = options;
  const random = seeded(seed);
  const server = await createPostgresServer({ durable: true });
  let it: TestService | null = null;
  try {
    it = await startTestService({
      env: { CHAINS: 'fake' },
      databaseUrl: server.url('postgres'),
      overrides: { schedule: true, writersMax: 14 },
    });
    const service = it;
    const { live, sandbox } = await service.merchant();
    await fund(service, sandbox);
    const tally = { requests: 0, unavailable: 0, slowestMs: 0, hung: 0 };
    const wrong = new Map<string, number>();
    const acknowledged: { key: string; path: string }[] = [];
    let lastWriteAt = 0;
    let running = true;

    async function ask(...request: Parameters<TestService['call']>): Promise<Answer | null> {
      const began = performance.now();
      const answer = await Promise.race([
        service.call(...request).catch((error: unknown) => String(error)),
        Bun.sleep(GIVE_UP_MS).then(() => 'no answer at all'),
      ]);
      const tookMs = performance.now() - began;
      tally.requests += 1;
      tally.slowestMs = Math.max(tally.slowestMs, tookMs);
      if (tookMs > HUNG_MS) tally.hung += 1;
      if (typeof answer !== 'string' && answer.status < 300) return answer;
      const away =
        typeof answer !== 'string' && answer.status === 503 && answer.body?.error?.code === 'UNAVAILABLE';
      if (away) tally.unavailable += 1;
      else {
        const what = typeof answer === 'string' ? answer : `${answer.status} ${JSON.stringify(answer.body)}`;
        wrong.set(what, (wrong.get(what) ?? 0) + 1);
      }
      await Bun.sleep(10);
      return null;
    }

    async function caller(number: number): Promise<void> {
      const invoice = { amount: 25, fiat_currency: 'USD', asset: 'usdt_ethereum' };
      const payout = { address: RECIPIENT, amount: 3, asset: 'usdt_ethereum' };
      for (let turn = number; running; turn += 1) {
        const pays = turn % 4 === 0;
        const [key, path] = pays ? [sandbox, '/api/v2/payouts'] : [live, '/api/v2/invoices'];
        const headers = pays ? { 'x-uniq-id': crypto.randomUUID() } : {};
        const made = await ask(key, 'POST', path, pays ? payout : invoice, headers);
        if (made === null) continue;
        const own = `${path}/${made.body.result.order_id}`;
        acknowledged.push({ key, path: own });
        lastWriteAt = performance.now();
        await ask(key, 'GET', own);
      }
    }
    const callers = Array.from({ length: workers }, (_, number) => caller(number));

    const backMs: number[] = [];
    for (let stop = 0; stop < stops; stop += 1) {
      await Bun.sleep(200 + random.int(400));
      await server.stop('immediate');
      await Bun.sleep(random.int(700));
      await server.start();
      const back = performance.now();
      while (lastWriteAt < back && performance.now() - back < GIVE_UP_MS) await Bun.sleep(5);
      backMs.push(Math.round(performance.now() - back));
    }
    running = false;
    await Promise.all(callers);

    const lost: string[] = [];
    for (const { key, path } of acknowledged) {
      if ((await service.call(key, 'GET', path)).status !== 200) lost.push(path);
    }
    return {
      stops,
      ...tally,
      slowestMs: Math.round(tally.slowestMs),
      acknowledged: acknowledged.length,
      wrong: [...wrong].map(([what, times]) => `${times} x ${what.slice(0, 200)}`),
      backMs,
      lost,
      faults: await service.service.dependencies.operatorQueries.reconciliationFaults(),
    };
  } finally {
    await it?.stop();
    await server.destroy();
  }
}

/** A sandbox balance that no drill spends. */
async function fund(it: TestService, sandbox: string): Promise<void> {
  const invoice = await it.call(sandbox, 'POST', '/api/v2/invoices', {
    amount: 1_000_000,
    asset: 'usdt_tron',
  });
  const path = `/api/v2/invoices/${invoice.body.result.order_id}/simulate`;
  await it.call(sandbox, 'POST', path, { status: 'success', send_webhook: false });
}
