/**
 * A worker of the payout drill, a process of its own: the composed service in the worker role,
 * which kills itself (SIGKILL) when it passes the step `DRILL_STEP`. With `DRILL_NAIVE=1` it sends
 * payouts as the careless do: asks the node what is free (a nonce, coins), signs, broadcasts, and
 * only then writes down that it did. With `DRILL_FORWARDS=1` it reconciles, and looks what is to be
 * forwarded, far more often than it would. The file `DRILL_CLOCK` says by how many milliseconds the
 * chain's time, and so the clock, is ahead of the system's.
 */
import { readFileSync } from 'node:fs';
import { openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { compose } from '../../../src/compose/compose.ts';
import { loadConfigOrExit } from '../../../src/compose/load-config.ts';
import type { Clock } from '../../../src/ports/runtime/clock.ts';
import { silentLogger } from '../runtime/silent-logger.ts';
import { carelessSigner, sendCarelessly } from './careless.ts';
import { type Step, withSteps } from './steps.ts';

const {
  DRILL_STEP: fatal,
  DRILL_NAIVE: naive,
  DRILL_CLOCK: clockFile,
  DRILL_FORWARDS: forwards,
} = process.env;
const passes = (step: Step): void => {
  if (step === fatal) process.kill(process.pid, 'SIGKILL');
};

function clockOf(file: string): Clock {
  return { now: () => new Date(Date.now() + Number(readFileSync(file, 'utf8'))) };
}

const config = loadConfigOrExit(process.env as Record<string, string>, {
  read: (path) => readFileSync(path, 'utf8'),
});
const service = await compose(config, {
  logger: silentLogger,
  ...(clockFile === undefined ? {} : { clock: clockOf(clockFile) }),
  sending: (chain) => withSteps(chain, passes),
  ...(naive === undefined ? {} : { schedule: false, signer: await carelessSigner(config) }),
});
await service.start();
console.log('ready');
process.on('SIGTERM', () => void service.stop().then(() => process.exit(0)));

if (naive !== undefined && config.databaseUrl !== null) {
  const database = openDatabase({ url: config.databaseUrl, poolSize: 2, logger: silentLogger });
  const [chain] = service.sending.chains.values();
  if (!chain) throw new Error('the drill needs a chain to send on');
  await sendCarelessly({ chain, database, unitOfWork: service.dependencies.unitOfWork });
}

if (forwards !== undefined) {
  const jobsOf = (wanted: RegExp) => service.jobs.filter(({ name }) => wanted.test(name));
  for (let turn = 0; ; turn += 1) {
    const due = turn % 8 === 0 ? jobsOf(/^(reconcile$|forward:)/).toReversed() : jobsOf(/^forward:/);
    for (const job of due) await job.run().catch(() => undefined);
    await Bun.sleep(300);
  }
}
