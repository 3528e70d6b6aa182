/**
 * Runs a program that refuses to be root: as the present user or, for root, as the folder's owner.
 * For folders closed to that user (a private home, a `mktemp -d`) it gets one capability, so that
 * they need not be opened to everyone.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface RunAs {
  /** User and group for files that the program must own; null if this is already that user. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** The command to spawn for `program`, with the options that change the user. */
  command(program: string, args: readonly string[]): SpawnCommand;
}

interface SpawnCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: { readonly uid?: number; readonly gid?: number };
}

const NOBODY_ID = 65_534;

/**
 * `folder` is where the program keeps its files (or will), `programs` the files it executes and
 * reads.
 */
export function runAs(place: { folder: string; programs: readonly string[] }): RunAs {
  if (process.getuid?.() !== 0) {
    return { owner: null, command: (file, args) => ({ file, args, options: {} }) };
  }
  const owner = ownerFor(place.folder);
  const closed = [dirname(place.folder), ...place.programs].some((path) => !mayReach(path, owner));
  return {
    owner,
    command: (file, args) =>
      closed ? throughClosedFolders(owner, file, args) : { file, args, options: owner },
  };
}

/**
 * The ordinary user who owns the folder or the nearest one above it, if this machine knows that
 * user; else `nobody`.
 */
function ownerFor(folder: string): { uid: number; gid: number } {
  const users = knownUsers();
  for (let path = folder; path !== dirname(path); path = dirname(path)) {
    const status = statSync(path, { throwIfNoEntry: false });
    // PostgreSQL looks up its user by id, so an id without an entry (a mounted folder) does not
    // work.
    if (status && status.uid !== 0 && users.some((user) => user.uid === status.uid)) {
      return { uid: status.uid, gid: status.gid };
    }
  }
  const nobody = users.find((user) => user.name === 'nobody');
  return { uid: nobody?.uid ?? NOBODY_ID, gid: nobody?.gid ?? NOBODY_ID };
}

function knownUsers(): readonly { name: string; uid: number; gid: number }[] {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}

/** Whether that user may search every folder down to `path`, and read and execute `path` itself. */
function mayReach(path: string, user: { uid: number; gid: number }): boolean {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status) {
    const needed = status.isDirectory() ? 0o1 : 0o5;
    const shift = status.uid === user.uid ? 6 : status.gid === user.gid ? 3 : 0;
    if (((status.mode >> shift) & needed) !== needed) return false;
  }
  return path === dirname(path) || mayReach(dirname(path), user);
}

/**
 * setpriv (util-linux): becomes `owner` and keeps only the right to pass folders and read files.
 */
function throughClosedFolders(
  owner: { uid: number; gid: number },
  file: string,
  args: readonly string[],
): SpawnCommand {
  const setpriv = Bun.which('setpriv');
  if (!setpriv) {
    throw new Error(
      'PostgreSQL does not run as root, and this folder is closed to other users. ' +
        'Start as an ordinary user, or set DATA_DIR to a folder that others may enter.',
    );
  }
  const capability = `+${mayHold(CAP_DAC_READ_SEARCH) ? 'dac_read_search' : 'dac_override'}`;
  const options = [
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    '--clear-groups',
    `--inh-caps=${capability}`,
    `--ambient-caps=${capability}`,
    '--securebits=+no_setuid_fixup', // access(2) would otherwise answer as if the capability were absent
  ];
  return { file: setpriv, args: [...options, '--', file, ...args], options: {} };
}

const CAP_DAC_READ_SEARCH = 2n;

/** Containers usually drop dac_read_search and keep the stronger dac_override. */
function mayHold(capability: bigint): boolean {
  const bounding = /^CapBnd:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return ((BigInt(`0x${bounding}`) >> capability) & 1n) === 1n;
}
