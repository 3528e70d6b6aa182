/** Child processes of the bench: each is ended with the bench, whatever way the bench ends. */
import { join } from 'node:path';
import type { Subprocess } from 'bun';

const living = new Set<Subprocess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** Notes a child; it is forgotten when it ends by itself. */
export function owned<Child extends Subprocess>(child: Child): Child {
  living.add(child);
  child.exited.finally(() => living.delete(child)).catch(() => undefined);
  return child;
}

/**
 * Runs a program to its end and answers what it said; throws with its last words when it fails or
 * takes too long.
 */
export async function runToEnd(
  command: readonly string[],
  options: { timeoutMs: number; env?: Record<string, string>; stdin?: string },
): Promise<string> {
  const child = owned(
    Bun.spawn([...command], {
      env: { ...process.env, ...options.env },
      stdin: options.stdin === undefined ? 'ignore' : Buffer.from(options.stdin),
      stdout: 'pipe',
      stderr: 'pipe',
    }),
  );
  const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs);
  const [out, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  clearTimeout(timer);
  if (code !== 0)
    throw new Error(`${command[0]} ended with ${code}: ${errors.slice(-1_500)}${out.slice(-500)}`);
  return out;
}

/** Longer than a generator waits for its last answers. */
const GRACE_SECONDS = 60;

/**
 * Runs a load generator of bench/processes with its order on standard input, and answers the result
 * that it prints.
 */
export async function runOrder<Result>(
  program: 'http-load.ts' | 'open-load.ts',
  order: { readonly seconds: number },
): Promise<Result> {
  const said = await runToEnd([process.execPath, join(import.meta.dir, '..', 'processes', program)], {
    timeoutMs: (order.seconds + GRACE_SECONDS) * 1000,
    stdin: JSON.stringify(order),
  });
  return JSON.parse(said);
}
