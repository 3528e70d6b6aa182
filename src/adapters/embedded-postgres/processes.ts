/**
 * The process behind a process id. A zombie does not count as running, and its start time
 * distinguishes a reused id.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface RunningProcess {
  /**
   * The command line. Outside Linux it is split at spaces, so an argument with a space comes in
   * pieces.
   */
  readonly argv: readonly string[];
  /** Opaque; constant for one process, and different for the next process with the same id. */
  readonly startedAt: string;
}

/** The process with this id; null if there is none, or only a zombie. */
export function runningProcess(pid: number): RunningProcess | null {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

/** Cheaper than runningProcess, for whether it lives. */
export function isRunning(pid: number): boolean {
  if (process.platform === 'linux') return linuxState(pid) !== null;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function fromProc(pid: number): RunningProcess | null {
  const state = linuxState(pid);
  if (!state) return null;
  const commandLine = readOrNull(`/proc/${pid}/cmdline`);
  return commandLine === null ? null : { argv: commandLine.split('\0'), startedAt: state.startedAt };
}

/**
 * /proc/<pid>/stat after the command name, which may itself contain spaces and brackets: field 3 is
 * the state, 22 the start.
 */
function linuxState(pid: number): { startedAt: string } | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startedAt = fields[19];
  return startedAt === undefined || state === 'Z' || state === 'X' ? null : { startedAt };
}

function fromPs(pid: number): RunningProcess | null {
  const listed = spawnSync('ps', ['-o', 'stat=,lstart=,command=', '-p', String(pid)], { encoding: 'utf8' });
  const words = listed.stdout.trim().split(/\s+/);
  if (listed.status !== 0 || words.length < 7 || words[0]?.startsWith('Z')) return null;
  return { argv: words.slice(6), startedAt: words.slice(1, 6).join(' ') };
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
