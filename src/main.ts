/**
 * The service as a process: configuration from the environment, one line per fault, also of the
 * start, graceful end on SIGTERM and SIGINT.
 */
import { readFileSync } from 'node:fs';
import { demoMerchant } from './app/merchants/demo-merchant.ts';
import { compose, type Service } from './compose/compose.ts';
import { loadConfigOrExit } from './compose/load-config.ts';
import { startFault } from './compose/start-fault.ts';

/** Supervisors kill what does not end within ten seconds. */
const STOP_PATIENCE_MS = 9_000;

const config = loadConfigOrExit(process.env, { read: (path) => readFileSync(path, 'utf8') });
const composing = compose(config);
let stopping = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end(signal));

try {
  await run(await composing);
} catch (error) {
  await giveUp(error);
}

async function run(service: Service): Promise<void> {
  const { port } = await service.start();
  const { logger, version } = service.dependencies;
  logger.info('service.ready', { role: config.role, port, version });
  const unconfigured = process.env.CONFIG_FILE === undefined && process.env.DATABASE_URL === undefined;
  if (unconfigured && config.role !== 'worker') await greet(service);
}

/**
 * A start that failed leaves nothing running behind. One that a signal ended is no failure: end()
 * sees to it.
 */
async function giveUp(error: unknown): Promise<void> {
  if (stopping) return;
  stopping = true;
  console.error(`Quittance cannot start: ${startFault(error, config)}`);
  try {
    await (await composing).stop();
  } catch {
    // composing failed, and ended what it had begun
  }
  process.exit(1);
}

/** Also during the start: what was started is stopped, and a second signal does not hurry it. */
async function end(signal: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  try {
    const { dependencies, stop } = await composing;
    dependencies.logger.info('service.stopping', { signal });
    setTimeout(tooLong, STOP_PATIENCE_MS).unref();
    await stop();
    process.exit(0);
  } catch (error) {
    console.error(`stopping failed: ${String(error)}`);
    process.exit(1);
  }
}

/** Whatever hangs, a kill loses nothing: what was begun goes on at the next start. */
function tooLong(): void {
  console.error(`stopping took longer than ${STOP_PATIENCE_MS} ms: ended at once`);
  process.exit(1);
}

/**
 * What a newcomer needs to try the service, on the first and every later start without
 * configuration.
 */
async function greet({ application, dependencies, http }: Service): Promise<void> {
  const demo = await demoMerchant(dependencies, application);
  if (!demo) return;
  http.showDemo(demo.checkoutUrl);
  console.log(`
Quittance is ready at ${config.baseUrl}   (API page: ${config.baseUrl}/docs)

Demo merchant's sandbox key: ${demo.sandboxKey}

Create an invoice:
  curl -s ${config.baseUrl}/api/v2/invoices -H 'x-api-key: ${demo.sandboxKey}' -H 'content-type: application/json' \\
    -d '{"amount": 25, "fiat_currency": "USD", "asset": "usdt_ethereum"}'

A checkout page to look at: ${demo.checkoutUrl}
${config.console.isOn ? `\nThe console: ${config.baseUrl}/console   (its first operator: bun run operator create YOUR-EMAIL)\n` : ''}`);
}
