/** Starts a program of bench/processes that prints the port it listens on, or several. */
import { join } from 'node:path';
import { owned } from './processes.ts';

export interface ListeningProcess {
  readonly port: number;
  /** All of them, the first one too. */
  readonly ports: readonly number[];
  stop(): Promise<void>;
}

export async function startListening(
  program: 'bare-route.ts' | 'webhook-receiver.ts' | 'https-receiver.mjs',
  {
    runtime = process.execPath,
    args = [],
    environment = {},
  }: {
    runtime?: string;
    args?: readonly string[];
    environment?: Readonly<Record<string, string>>;
  } = {},
): Promise<ListeningProcess> {
  const child = owned(
    Bun.spawn([runtime, join(import.meta.dir, '..', 'processes', program), ...args], {
      env: { ...process.env, ...environment },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    }),
  );
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  if (value === undefined) throw new Error(`${program} ended before it listened`);
  const ports = new TextDecoder().decode(value).trim().split(' ').map(Number);
  return {
    port: ports[0] ?? 0,
    ports,
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}
