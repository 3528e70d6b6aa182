/** The world of one history, opened: chains funded, merchants made, processes running. */
import { fakeDeriver } from '../../../src/adapters/chains/fake/fake-deriver.ts';
import type { PublicKeys } from '../../../src/adapters/signer/keystore-file.ts';
import { createMerchant } from '../../../src/app/merchants/manage-merchants.ts';
import { startSigning } from '../../../src/app/sending/operate-payouts.ts';
import type { WorkerJob } from '../../../src/app/shared/worker-job.ts';
import { reconcile } from '../../../src/app/treasury/reconcile.ts';
import { fakeChains } from '../../../src/compose/chains/fake-chains.ts';
import { treasuryChains } from '../../../src/compose/treasury.ts';
import type { Config } from '../../../src/config/types.ts';
import type { RiskVerdict } from '../../../src/ports/deposits/risk-screener.ts';
import { seeded } from '../../support/runtime/seeded.ts';
import { drawAct } from './acts/actors.ts';
import { backupsOf } from './acts/backups.ts';
import { skew, WRONG_MAX_MS } from './acts/machines.ts';
import { askForPayout, rejectSome } from './acts/people.ts';
import { bookRestored, settleRestored } from './acts/restores.ts';
import { confirmationsOf, familyOf, type Intent, type Stage } from './acts/stage.ts';
import { drawSwitches } from './acts/switches.ts';
import type { Faults } from './faults.ts';
import type { HistoryOrder } from './history.ts';
import type { Interleaving } from './interleaving.ts';
import { askLaws, type Broken, restlessIn } from './laws.ts';
import { nodeViews } from './node-views.ts';
import { askApi, assetsOn, drawChains, endow, fund } from './opening.ts';
import type { Heard } from './outside.ts';
import { composeProcess, jobsOf, jobsOfRound, type RunningProcess, type World } from './processes.ts';
import { simulatedConfigs } from './simulated-configs.ts';
import type { ErrorLog } from './simulated-logger.ts';
import type { Storage } from './storages.ts';
import { tasksOf } from './tasks.ts';
import { wrongTreasuries } from './witness/ledger-and-chain.ts';
import { witnessOf } from './witness/witness.ts';
import { workThereIs } from './work-there-is.ts';
import { countedIds, keptMarks } from './world-parts.ts';

interface Parts {
  readonly order: Interleaving;
  readonly faults: Faults;
  readonly errors: ErrorLog;
  readonly storage: Storage;
  /** Counts acts that are faults. */
  readonly acts: Map<string, number>;
}

export interface History {
  /** Somebody acts, jobs begin, and some points are passed. */
  turn(): Promise<void>;
  /** Blocks come, and both workers begin whatever has work, and finish it. */
  rounds(count: number): Promise<void>;
  /** Works until nothing is left to do. */
  rest(): Promise<void>;
  laws(): Promise<readonly Broken[]>;
}

const ROUNDS_TO_REST = 40;
const JOBS_AT_ONCE = 4;
const JOB_WITH_WORK_PER_MILLE = 400;
const JOB_PER_MILLE = 20;
const MASTER_KEY = Buffer.from('11'.repeat(32), 'hex');
const BLOCK_MS = 12_000;
const MERCHANTS = 2;
/** Of the invoices of merchants (acts/people.ts). */
const LONGEST_TTL_MS = 1_200_000;
/** In one history of so many final blocks may be replaced. */
const ONE_DEEP_IN = 8;
const DEEP_SEEDS = 7_000_003;
/** Indexes of addresses of nobody. */
const STRANGERS = 1_000_000;

export async function openHistory(ordered: HistoryOrder, parts: Parts): Promise<History> {
  const { order, faults, errors, storage } = parts;
  const { story } = order;
  const { pace } = storage;
  const configs = simulatedConfigs();
  const isDeep = seeded(ordered.seed + DEEP_SEEDS).int(ONE_DEEP_IN) === 0;
  const on = drawSwitches(order.random, { isDeep });
  const tasks = tasksOf(order);
  const clock = { now: () => new Date(order.nowMs) };
  const chains = fakeChains({ catalog: configs.catalog, clock, only: drawChains(ordered, order) });
  const ids = countedIds(clock);
  const [marks, views] = [keptMarks(), nodeViews(order)];
  const heard: Heard[] = [];
  let verdict: RiskVerdict = { kind: 'pass' };
  const witness = witnessOf(storage);
  const world: World = {
    ...{ order, faults, chains, views, ids, marks },
    databaseOf: (process) => storage.databaseOf({ order, faults }, process),
    // Without keys every address is a fake one, which costs a hash and no curve.
    wallet: { masterKey: MASTER_KEY, keys: {} as PublicKeys },
    ...{ logger: errors.logger, catalog: configs.catalog, funded: new Map() },
    heard: (webhook) => heard.push(webhook),
    verdict: (depositId) => witness.judged(depositId, verdict),
  };

  async function begin(name: string, config: Config, skewMs = 0): Promise<RunningProcess> {
    const { process, service } = await composeProcess(world, config, { name, skewMs });
    const running = { process, service, jobs: jobsOf(world, service), running: new Set<string>() };
    await tasks.drive({ process, name: 'start' }, () => service.prepare());
    return running;
  }

  const work = workThereIs(chains);
  let generation = 0;
  const next = (kind: string): string => {
    generation += 1;
    return `${kind}-${generation}`;
  };
  const first = await begin(next('worker'), configs.worker);
  await fund(world, first, tasks);
  const keys: string[] = [];
  for (let nth = 0; nth < MERCHANTS; nth += 1) {
    const made = await tasks.drive({ process: first.process, name: 'create a merchant' }, () =>
      createMerchant(first.service.dependencies)({
        ...{ name: `merchant ${nth}`, callbackUrl: `https://merchant.example/${nth}` },
        ...{ allowedSubnets: ['0.0.0.0/0', '::/0'], commissionPpm: null, live: true },
      }),
    );
    keys.push(made.liveKey ?? '');
  }
  const workers = [first, await begin(next('worker'), configs.worker)];
  let api = await begin(next('api'), configs.api);
  const began = new Map<string, number>();
  for (const [name, { scanner }] of chains) began.set(name, (await scanner.head()).tip.height);
  const paid = await endow(world, { setup: first, api, keys, tasks });

  const intents: Intent[] = [];
  const processes = () => [...workers, api];
  const backups = backupsOf({ order, storage, marks, logger: errors.logger, intents, processes });
  const resume = () => {
    for (const { process } of processes()) order.resume(process);
  };
  const strangers = new Map<string, number>();
  const stage: Stage = {
    get random() {
      return order.random;
    },
    ...{ chains, keys, invoices: [], permanent: [], owners: new Map(), intents, txids: [...paid] },
    ...{ backups, views, on, isDeep },
    ...{ returning: new Set(), spentTwice: new Set(), unanswered: [] },
    beganAt: (chain) => began.get(chain)!,
    api: () => api,
    workers: () => workers,
    assets: (chain) => assetsOn(configs.catalog, chain === '' ? [...chains.keys()] : [chain]),
    stranger(chain) {
      const family = familyOf(chain);
      const index = strangers.get(family) ?? STRANGERS;
      strangers.set(family, index + 1);
      return fakeDeriver({ family }).derive({ from: index, count: 1 })[0]!;
    },
    uuid: () => ids.uuid(),
    ask: (request, answered) => {
      const { process, service } = api;
      tasks.begin(
        { process, name: `POST ${request.path}` },
        () => askApi(service.http, request),
        (how) => {
          if (how.kind === 'failed') errors.note(`${request.path}: ${String(how.error)}`);
          answered(how.kind === 'done' ? how.value : null);
        },
      );
    },
    order(what, work, { process } = api) {
      story.tell('act', { by: 'operator', what });
      tasks.begin({ process, name: what }, work, (how) => {
        if (how.kind === 'failed') errors.note(`${what.split(' ')[0]}: ${String(how.error)}`);
      });
    },
    idsOf: storage.idsOf,
    setVerdict: (next) => {
      verdict = next;
    },
    pass: (ms) => order.pass(ms),
    kill: ({ process }) => order.kill(process),
    setSkew: ({ process }, skewMs) => order.setSkew(process, skewMs),
    pause: ({ process }) => order.pause(process),
    resume,
    tell: (by, what) => story.tell('act', { by, what }),
  };

  function start(running: RunningProcess, job: WorkerJob): void {
    running.running.add(job.name);
    work.begins(running, job.name);
    story.tell('point', { by: running.process.name, what: `begins ${job.name}` });
    tasks.begin(
      { process: running.process, name: job.name },
      () => job.run(),
      (how) => {
        running.running.delete(job.name);
        if (how.kind === 'failed') errors.note(`${job.name}: ${String(how.error)}`);
      },
    );
  }

  /** New processes in place of dead ones. They begin undisturbed. */
  async function revive(): Promise<void> {
    const wereOn = faults.areOn;
    faults.end();
    for (const [nth, { process }] of workers.entries())
      if (!process.isAlive) workers[nth] = await begin(next('worker'), configs.worker, skew(order.random));
    if (!api.process.isAlive) api = await begin(next('api'), configs.api, skew(order.random));
    if (wereOn) faults.begin();
  }

  async function finish(
    worker: RunningProcess,
    choose: (jobs: RunningProcess['jobs']) => RunningProcess['jobs'],
  ): Promise<void> {
    for (const { name } of choose(worker.jobs)) {
      for (const one of pace.isCrowded ? workers : [worker])
        for (const job of one.jobs) if (job.name === name) start(one, job);
      await tasks.pump(() => tasks.underWay === 0);
    }
  }

  return {
    async turn() {
      await order.quiet();
      for (let acts = pace.acts === 1 ? 1 : 1 + order.random.int(pace.acts); acts > 0; acts -= 1) {
        const act = drawAct(order.random, { faults: faults.areOn, on });
        if (act.isFault) parts.acts.set(act.name, (parts.acts.get(act.name) ?? 0) + 1);
        await act.run(stage);
        await order.quiet();
      }
      await revive();
      await work.look(await storage.books.restless());
      for (const worker of workers)
        for (const job of worker.jobs)
          if (
            !order.isPaused(worker.process) &&
            !worker.running.has(job.name) &&
            worker.running.size < JOBS_AT_ONCE &&
            order.random.int(1_000) <
              (work.hasWork(worker, job.name) ? JOB_WITH_WORK_PER_MILLE : JOB_PER_MILLE)
          )
            start(worker, job);
      for (let points = order.random.int(pace.points); points > 0; points -= 1) {
        await order.quiet();
        if (!order.release()) break;
      }
      await order.quiet();
      await witness.holdFinality(chains);
    },
    async rounds(count) {
      resume();
      for (let round = 0; round < count; round += 1) {
        await order.quiet();
        // What was mined in a round before may be final in this one, or may not be.
        for (const [name, { control }] of chains)
          control.mine(1 + order.random.int(order.random.int(2) === 0 ? confirmationsOf(name) + 2 : 2));
        await work.look(await storage.books.restless());
        for (const worker of workers)
          for (const job of worker.jobs)
            if (!worker.running.has(job.name) && work.hasWork(worker, job.name)) start(worker, job);
        await tasks.pump(() => tasks.underWay === 0);
        order.pass(BLOCK_MS);
        await revive();
      }
    },
    async rest() {
      verdict = { kind: 'pass' };
      views.mend();
      resume();
      for (const { process } of processes()) order.setSkew(process, 0);
      for (const { control } of chains.values()) control.setFeeLevel(100);
      await tasks.pump(() => tasks.underWay === 0);
      await revive();
      // An operator starts it again, where it was stopped.
      await tasks.drive({ process: api.process, name: 'start signing' }, () =>
        startSigning(api.service.dependencies)(),
      );
      for (const intent of stage.intents)
        if (intent.state === 'unknown') {
          askForPayout(stage, intent);
          await tasks.pump(() => tasks.underWay === 0);
        }
      // Whatever time may end, it has ended. What a wrong clock put off is late by as much.
      order.pass(LONGEST_TTL_MS + (on.has('clocks') ? WRONG_MAX_MS : 0));
      // Nothing ends before its chain was read.
      await finish(workers[0]!, (jobs) => jobs.filter(({ name }) => name === 'expire-invoices'));
      await finish(workers[0]!, (jobs) => jobs);
      await rejectSome(stage);
      for (let round = 0; round < ROUNDS_TO_REST; round += 1) {
        for (const [name, { control }] of chains) control.mine(confirmationsOf(name) + 1);
        await finish(workers[round % workers.length]!, jobsOfRound(round));
        await settleRestored(stage, round);
        await tasks.pump(() => tasks.underWay === 0);
        order.pass(120_000);
        if (round > 0 && (await restlessIn(stage, storage.books)).length === 0) break;
      }
      await bookRestored(stage);
      await tasks.pump(() => tasks.underWay === 0);
    },
    laws() {
      const { process, service } = workers[0]!;
      const books = treasuryChains(service.chains, service.dependencies);
      const reconciled = () =>
        tasks.drive({ process, name: 'reconcile' }, () =>
          reconcile(service.dependencies, books.values())({ wholeBooks: true }),
        );
      const treasuries = (issued: readonly string[]) =>
        tasks.drive({ process, name: 'compare' }, () =>
          wrongTreasuries(world, service, { treasuries: books.values(), issued }),
        );
      return askLaws(world, { stage, books: storage.books, heard, reconciled, treasuries, witness });
    },
  };
}
