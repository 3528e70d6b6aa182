/** Time that ends invoices, and the jobs that end and remove them. */
import type { RunningProcess } from '../processes.ts';
import { type Act, pick } from './stage.ts';

const TTL_MAX_SECONDS = 1_200;
/** Longer than unpaid invoices are kept (simulated-configs.ts). */
const KEPT_SECONDS = 60;

/** Nothing ends before its chain was read. What was removed may still be paid. */
const remove: Act = {
  name: 'remove what expired unpaid',
  weight: 8,
  run(stage) {
    const { random } = stage;
    const worker = pick(stage, stage.workers())!;
    const pass = (seconds: number): void => {
      stage.pass(seconds * 1_000);
      for (const { control } of stage.chains.values()) control.mine(1);
    };
    pass(random.int(TTL_MAX_SECONDS));
    stage.order(
      'remove what expired unpaid',
      async () => {
        await run(worker, /^chain:/);
        await run(worker, /^expire-invoices$/);
        pass(KEPT_SECONDS);
        await run(worker, /^chain:/);
        await run(worker, /^forget-unpaid$/);
      },
      worker,
    );
  },
};

/** Those that are not under way already. */
async function run(worker: RunningProcess, which: RegExp): Promise<void> {
  for (const { name, run: start } of worker.jobs) {
    if (!which.test(name) || worker.running.has(name)) continue;
    worker.running.add(name);
    await start().finally(() => worker.running.delete(name));
  }
}

export const RETENTION: readonly Act[] = [remove];
