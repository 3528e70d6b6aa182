/**
 * What a test starts ends with the process that started it, however that one ends: `--bail`, a
 * crash or kill -9.
 */
import type { Subprocess } from 'bun';

/** `read` returns when its input ends, which is when this process is gone. */
const WHEN_WE_ARE_GONE = 'trap "" INT TERM HUP; read -r _;';

/**
 * Kills `child` when this process ends. `bun test --bail` runs neither hooks nor handlers of
 * `exit`.
 */
export function endsWithUs(child: Subprocess): void {
  const guard = startGuard('kill -9 "$0" 2>/dev/null', `${child.pid}`);
  // The guard ends with its child.
  void child.exited.then(() => guard.kill('SIGKILL'));
}

/**
 * Stops the embedded servers whose files are anywhere in `folder`: they outlive who started them,
 * by design. To be killed afterwards.
 */
export function serversEndWithUs(folder: string): Subprocess {
  return startGuard(
    'find "$0" -name postmaster.pid -exec head -qn 1 {} + 2>/dev/null | xargs -r kill -QUIT',
    folder,
  );
}

/** Removes `folder` with all in it when this process ends. */
export function folderEndsWithUs(folder: string): void {
  startGuard('rm -rf "$0"', folder);
}

function startGuard(script: string, argument: string): Subprocess {
  const guard = Bun.spawn(['/bin/sh', '-c', `${WHEN_WE_ARE_GONE} ${script}`, argument], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  guard.unref();
  return guard;
}
