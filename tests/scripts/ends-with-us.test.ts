/** What `bun test --bail` leaves behind: nothing. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { until } from '../support/poll.ts';
import { temporaryDirectory } from '../support/temp-directory.ts';

const GUARD = join(import.meta.dir, '..', 'support', 'ends-with-us.ts');

/** A test file whose only test fails while a child of it runs that would run for ten minutes. */
const FAILING_FILE = `
import { afterAll, test } from 'bun:test';
import { endsWithUs } from '${GUARD}';
const child = Bun.spawn(['sleep', '600'], { stdin: 'ignore' });
endsWithUs(child);
await Bun.write(process.env.PID_FILE ?? '', String(child.pid));
afterAll(() => child.kill());
test('fails', () => { throw new Error('on purpose'); });
test('is not reached', () => undefined);
`;

test('a child process ends with a test run that bails out', async () => {
  const folder = await temporaryDirectory();
  const [file, pidFile] = [join(folder.path, 'failing.test.ts'), join(folder.path, 'pid')];
  await Bun.write(file, FAILING_FILE);
  const run = Bun.spawn([process.execPath, 'test', '--bail', file], {
    env: { ...process.env, PID_FILE: pidFile },
    stdout: 'ignore',
    stderr: 'ignore',
  });
  expect(await run.exited).not.toBe(0);
  const pid = Number(await Bun.file(pidFile).text());
  expect(pid).toBeGreaterThan(1);
  await until('the child is gone', 10_000, async () => !isAlive(pid));
  await folder.remove();
}, 30_000);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
