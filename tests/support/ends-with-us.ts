/** A child process of a test ends with the process that started it, however that one ends: `--bail`, a crash or kill -9. */
import type { Subprocess } from 'bun';

/** `read` returns when its input ends, which is when this process is gone. The guard ends with its child. */
const GUARD = 'trap "" INT TERM HUP; read -r _; kill -9 "$0" 2>/dev/null';

/** Kills `child` when this process ends. `bun test --bail` runs neither hooks nor handlers of `exit`. */
export function endsWithUs(child: Subprocess): void {
  const guard = Bun.spawn(['/bin/sh', '-c', GUARD, `${child.pid}`], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  guard.unref();
  void child.exited.then(() => guard.kill('SIGKILL'));
}
