/** What `bun test --bail` leaves behind: nothing. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { ownServerAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { until } from '../support/runtime/poll.ts';
import { temporaryDirectory } from '../support/runtime/temp-directory.ts';

const ROOT = join(import.meta.dir, '..', '..');
const GUARDS = join(ROOT, 'tests', 'support', 'runtime', 'ends-with-us.ts');
const EMBEDDED = join(ROOT, 'src', 'adapters', 'embedded-postgres', 'embedded-postgres.ts');

const CHILD = `
import { endsWithUs } from '${GUARDS}';
const child = Bun.spawn(['sleep', '600'], { stdin: 'ignore' });
endsWithUs(child);
afterAll(() => child.kill());
const { pid } = child;`;

const SERVER = `
import { startEmbeddedPostgres } from '${EMBEDDED}';
import { serversEndWithUs } from '${GUARDS}';
const { FOLDER } = process.env;
serversEndWithUs(FOLDER);
const logger = { info() {}, error() {} };
const server = await startEmbeddedPostgres({ directory: FOLDER + '/postgres', logger });
afterAll(() => server.stop());
const pid = (await Bun.file(FOLDER + '/postgres/cluster/data/postmaster.pid').text()).split('\\n')[0];`;

/** A test file that starts something and fails, and the number of the process that is left. */
async function pidAfter(start: string, folder: string): Promise<number> {
  const [file, pidFile] = [join(folder, 'failing.test.ts'), join(folder, 'pid')];
  const source = `import { afterAll, test } from 'bun:test';${start}
await Bun.write('${pidFile}', String(pid));
test('fails', () => { throw new Error('on purpose'); });
test('is not reached', () => undefined);`;
  await Bun.write(file, source);
  const run = Bun.spawn([process.execPath, 'test', '--bail', file], {
    env: { ...process.env, FOLDER: folder },
    stdout: 'ignore',
    stderr: 'ignore',
  });
  expect(await run.exited).not.toBe(0);
  return Number(await Bun.file(pidFile).text());
}

test.each([
  ['a child process', CHILD],
  ['an embedded server', SERVER],
])(
  '%s ends with a test run that bails out',
  async (_, start) => {
    if (start === SERVER && !needs('postgres', ownServerAvailable())) return;
    const folder = await temporaryDirectory();
    const pid = await pidAfter(start, folder.path);
    expect(pid).toBeGreaterThan(1);
    await until('it is gone', 10_000, async () => !isAlive(pid));
    await folder.remove();
  },
  30_000,
);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
