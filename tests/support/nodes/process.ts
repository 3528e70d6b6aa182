/**
 * A node as a child process with a data folder of its own: ready before it is handed out, ended by
 * its id, gone with the tests.
 */

import { join } from 'node:path';
import { endsWithUs } from '../runtime/ends-with-us.ts';
import { temporaryDirectory } from '../runtime/temp-directory.ts';

const START_DEADLINE_MS = 30_000;
const STOP_DEADLINE_MS = 15_000;

export interface NodeProcess {
  readonly pid: number;
  /** `keep` gets its private folder when it has ended, before that is removed. */
  stop(keep?: (folder: string) => void): Promise<void>;
}

/**
 * Runs `command` with a private folder and waits until `ready` does not throw any more. A node that
 * ends before is an error with its last words.
 */
export async function startNode(options: {
  name: string;
  command: (folder: string) => readonly string[];
  ready: () => Promise<unknown>;
}): Promise<NodeProcess> {
  const { name, command, ready } = options;
  const folder = await temporaryDirectory();
  const output = join(folder.path, 'output.log');
  const child = Bun.spawn([...command(folder.path)], {
    stdin: 'ignore',
    stdout: Bun.file(output),
    stderr: Bun.file(output),
  });
  const kill = (): void => child.kill('SIGKILL');
  endsWithUs(child);

  async function failed(reason: string): Promise<never> {
    kill();
    await child.exited;
    const words = await Bun.file(output).text();
    await folder.remove();
    throw new Error(`${name} ${reason}: ${words.slice(-500)}`);
  }

  const deadline = performance.now() + START_DEADLINE_MS;
  for (let answers = false; !answers; ) {
    if (child.exitCode !== null) await failed(`ended with ${child.exitCode}`);
    if (performance.now() > deadline) await failed('did not start in time');
    answers = await ready().then(
      () => true,
      () => false,
    );
    if (!answers) await Bun.sleep(20);
  }
  return {
    pid: child.pid,
    stop: async (keep) => {
      child.kill('SIGTERM');
      const ended = await Promise.race([child.exited, Bun.sleep(STOP_DEADLINE_MS).then(() => null)]);
      if (ended === null) kill();
      await child.exited;
      keep?.(folder.path);
      await folder.remove();
    },
  };
}
