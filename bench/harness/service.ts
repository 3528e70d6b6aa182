/**
 * The service as a process of its own, just as a deployer starts it, on a database of the bench.
 */
import { join } from 'node:path';
import { freePort } from '../../src/adapters/embedded-postgres/free-port.ts';
import { owned } from './processes.ts';

export interface ServiceProcess {
  readonly port: number;
  readonly pid: number;
  /** From the start of the process until /ready answered 200. */
  readonly readyAfterMs: number;
  stop(): Promise<void>;
}

export type Environment = Readonly<Record<string, string>>;

const ROOT = join(import.meta.dir, '..', '..');
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 2;

/**
 * The settings of every measured service; a fixed master key, since the bench opens the same
 * database.
 */
export function serviceEnvironment(databaseUrl: string): Environment {
  return {
    DATABASE_URL: databaseUrl,
    MASTER_KEY: '5a'.repeat(32),
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'warn',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  };
}

/**
 * Nothing of the caller's environment but PATH and the folders of temporary files and home reaches
 * the service.
 */
export async function startService(environment: Environment): Promise<ServiceProcess> {
  const port = freePort();
  const inherited = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    TMPDIR: process.env.TMPDIR ?? '/tmp',
  };
  const began = performance.now();
  const child = owned(
    Bun.spawn([join(ROOT, 'scripts', 'serve'), process.execPath], {
      cwd: ROOT,
      env: { ...inherited, PORT: String(port), BASE_URL: `http://127.0.0.1:${port}`, ...environment },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
    }),
  );
  const exited = child.exited.then((code) => {
    throw new Error(`the service ended with ${code} before it was ready`);
  });
  exited.catch(() => undefined);
  await Promise.race([ready(port, began + READY_TIMEOUT_MS), exited]);
  return {
    port,
    pid: child.pid,
    readyAfterMs: performance.now() - began,
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await child.exited;
      clearTimeout(timer);
    },
  };
}

async function ready(port: number, deadline: number): Promise<void> {
  while (performance.now() < deadline) {
    const status = await fetch(`http://127.0.0.1:${port}/ready`).then(
      (response) => response.status,
      () => null,
    );
    if (status === 200) return;
    await Bun.sleep(POLL_MS);
  }
  throw new Error('the service did not become ready');
}
