/** Child processes of the bench: each is ended with the bench, whatever way the bench ends. */
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

/** Runs a program to its end and answers what it said; throws with its last words when it fails or takes too long. */
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
