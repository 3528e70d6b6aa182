/**
 * The drill behind "a request may be repeated": clients who give up after a moment and repeat POST
 * /invoices with its Idempotency-Key until they are told what became of it, while the two instances
 * that they ask are killed in turn.
 */
import { openDatabase } from '../../src/adapters/postgres/client/client.ts';
import { seeded } from './runtime/seeded.ts';
import { type ServiceProcess, startServiceProcess } from './runtime/service-process.ts';
import { silentLogger } from './runtime/silent-logger.ts';
import { startTestService, TEST_MASTER_KEY } from './test-service.ts';

export interface CreateDrillOrder {
  readonly clients: number;
  readonly kills: number;
  readonly seed: number;
}

export interface CreateDrillReport {
  readonly kills: number;
  readonly keys: number;
  readonly requests: number;
  /** Requests that nobody answered in the client's time. */
  readonly unanswered: number;
  /** Answers that said that they are told again. */
  readonly replayed: number;
  /** Answers that are neither a success nor "try again". */
  readonly wrong: readonly string[];
  /**
   * Keys with no invoice, or several, or another one than their client was told of, or told
   * differently.
   */
  readonly faults: readonly string[];
}

/** Some two seconds for each kill. */
export async function drillCreation({ clients, kills, seed }: CreateDrillOrder): Promise<CreateDrillReport> {
  const random = seeded(seed);
  const observer = await startTestService();
  const database = openDatabase({ url: observer.databaseUrl, poolSize: 1, logger: silentLogger });
  const instances: ServiceProcess[] = [];
  try {
    const { sandbox } = await observer.merchant();
    const start = () =>
      startServiceProcess({
        DATABASE_URL: observer.databaseUrl,
        DATA_DIR: observer.service.config.dataDir,
        MASTER_KEY: TEST_MASTER_KEY,
        RATE_LIMIT_PER_MINUTE: '0',
      });
    instances.push(...(await Promise.all([start(), start()])));

    const told = new Map<string, string>();
    const wrong = new Set<string>();
    const faults: string[] = [];
    const tally = { keys: 0, requests: 0, unanswered: 0, replayed: 0 };
    let running = true;

    /** The answer's text, or null when it has to be asked for again. */
    async function ask(key: string, patienceMs: number): Promise<string | null> {
      tally.requests += 1;
      const url = `${instances[random.int(2)]?.url}/api/v2/invoices`;
      const headers = { 'x-api-key': sandbox, 'content-type': 'application/json', 'idempotency-key': key };
      const body = JSON.stringify({ amount: 25, fiat_currency: 'USD', asset: 'usdt_ethereum', extra: key });
      try {
        const signal = AbortSignal.timeout(patienceMs);
        const answer = await fetch(url, { method: 'POST', headers, body, signal });
        const text = await answer.text();
        if (answer.headers.has('idempotent-replayed')) tally.replayed += 1;
        if (answer.status === 201) return text;
        if (answer.status !== 503) wrong.add(`${answer.status} ${text.slice(0, 200)}`);
      } catch {
        tally.unanswered += 1;
      }
      await Bun.sleep(patienceMs);
      return null;
    }

    async function client(number: number): Promise<void> {
      for (let turn = 0; running; turn += 1) {
        const key = `${number}-${turn}`;
        tally.keys += 1;
        // Some forget the answer, and ask once more.
        for (let answers = random.int(3) === 0 ? 2 : 1, patienceMs = 20; answers > 0; ) {
          const answer = await ask(key, patienceMs + random.int(patienceMs));
          patienceMs = Math.min(2_000, patienceMs * 1.5);
          if (answer === null) continue;
          answers -= 1;
          if ((told.get(key) ?? answer) !== answer) faults.push(`${key} was told two things`);
          told.set(key, answer);
        }
      }
    }
    const asking = Array.from({ length: clients }, (_, number) => client(number));

    for (let kill = 0; kill < kills; kill += 1) {
      await Bun.sleep(100 + random.int(400));
      const victim = kill % 2;
      await instances[victim]?.kill();
      instances[victim] = await start();
    }
    running = false;
    await Promise.all(asking);

    const rows = await database.query<{ id: string; extra: string }>('select id, extra from invoices');
    const made = Map.groupBy(rows, ({ extra }) => extra);
    for (const [key, answer] of told) {
      const ids = (made.get(key) ?? []).map(({ id }) => id);
      if (ids.length !== 1) faults.push(`${key} has ${ids.length} invoices`);
      else if (JSON.parse(answer).result.order_id !== ids[0])
        faults.push(`${key} was told of another invoice`);
    }
    if (made.size !== told.size) faults.push(`${told.size} keys were answered, ${made.size} have invoices`);
    return { kills, ...tally, wrong: [...wrong], faults };
  } finally {
    await Promise.all(instances.map((instance) => instance.kill()));
    await database.close();
    await observer.stop();
  }
}
