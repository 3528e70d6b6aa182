/**
 * The service as its users run it: scripts/serve as a process, on a free port, to be killed at any
 * moment.
 */
import { join } from 'node:path';
import type { LogEvent } from '../../../src/ports/runtime/log-events.ts';
import { endsWithUs } from './ends-with-us.ts';

const START_DEADLINE_MS = 60_000;
const ROOT = join(import.meta.dir, '..', '..', '..');
const SERVE = join(ROOT, 'scripts', 'serve');

interface LogEntry {
  readonly level: string;
  readonly event: LogEvent;
  readonly port?: number;
}

export interface ServiceProcess {
  readonly url: string;
  /** What it logged so far. */
  readonly log: readonly LogEntry[];
  /** What it wrote to standard error: nothing, unless something escaped every handler. */
  complaints(): Promise<string>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; answers the exit code, which is 0 after a graceful end. */
  stop(): Promise<number>;
}

/**
 * A start that is expected to fail, of the service or of the signer: what it said, and its exit
 * code.
 */
export async function runUntilItEnds(
  env: Readonly<Record<string, string>>,
  program: 'main' | 'signer' = 'main',
): Promise<{ readonly code: number; readonly stderr: string }> {
  const { PATH = '', HOME = '/' } = process.env;
  const child = Bun.spawn([process.execPath, join(ROOT, 'src', `${program}.ts`)], {
    env: { PATH, HOME, LOG_LEVEL: 'silent', ...env },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: START_DEADLINE_MS,
    killSignal: 'SIGKILL',
  });
  const stderr = await new Response(child.stderr).text();
  return { code: await child.exited, stderr };
}

/**
 * Resolves when it says that it is ready. Nothing of this process's environment is handed on but
 * PATH and HOME.
 */
export async function startServiceProcess(env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const { PATH = '', HOME = '/' } = process.env;
  const child = Bun.spawn([SERVE, process.execPath], {
    env: { PATH, HOME, PORT: '0', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const killNow = (): void => child.kill('SIGKILL');
  endsWithUs(child);
  const complaints = new Response(child.stderr).text();
  const log: LogEntry[] = [];
  const port = Promise.withResolvers<number>();
  const deadline = setTimeout(() => port.reject(new Error('not ready in time')), START_DEADLINE_MS);

  async function read(): Promise<void> {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (!line.startsWith('{')) continue;
        const entry = JSON.parse(line) as LogEntry;
        log.push(entry);
        if (entry.event === 'service.ready' && entry.port !== undefined) port.resolve(entry.port);
      }
    }
    port.reject(
      new Error(`the service ended: ${JSON.stringify(log.at(-1))} ${(await complaints).slice(-500)}`),
    );
  }
  void read().catch(port.reject);

  try {
    const url = `http://127.0.0.1:${await port.promise}`;
    return {
      url,
      log,
      complaints: () => complaints,
      async kill() {
        killNow();
        await child.exited;
      },
      stop() {
        child.kill('SIGTERM');
        return child.exited;
      },
    };
  } catch (error) {
    killNow();
    throw error;
  } finally {
    clearTimeout(deadline);
  }
}
