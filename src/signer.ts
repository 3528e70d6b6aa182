/**
 * The signer as a process (`bun run signer`): configuration from the environment, graceful end on
 * SIGTERM and SIGINT.
 */
import { readFileSync } from 'node:fs';
import { exitWithFaults, loadConfigOrExit } from './compose/load-config.ts';
import { signerFaults, startSignerProcess } from './compose/signer/signer-process.ts';
import { startFault } from './compose/start-fault.ts';

const config = loadConfigOrExit(process.env, { read: (path) => readFileSync(path, 'utf8') });
const faults = signerFaults(config);
if (faults.length > 0) exitWithFaults(faults);

let stopping = false;
const starting = startSignerProcess(config);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end());

try {
  await starting;
} catch (error) {
  console.error(`the signer cannot start: ${startFault(error, config)}`);
  process.exit(1);
}

async function end(): Promise<void> {
  if (stopping) return;
  stopping = true;
  try {
    await (await starting).stop();
    process.exit(0);
  } catch (error) {
    console.error(`stopping failed: ${String(error)}`);
    process.exit(1);
  }
}
