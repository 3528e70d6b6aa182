/**
 * Two PostgreSQL servers of Debian as a synchronous pair under Patroni, with an etcd, all on
 * loopback. Gone, files included, when the process that started them ends.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { freePort } from '../../../src/adapters/embedded-postgres/free-port.ts';
import { type RunAs, runAs } from '../../../src/adapters/embedded-postgres/unprivileged.ts';
import { endsWithUs, folderEndsWithUs, serversEndWithUs } from '../runtime/ends-with-us.ts';
import { until } from '../runtime/poll.ts';

const PATH = '/usr/sbin:/usr/bin:/bin';
const SUPERUSER = 'quittance';
const FIRST_START_MS = 60_000;
export const FAILOVER_MS = 60_000;

export interface Member {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly data: string;
  patroni: Subprocess | null;
}

export interface Cluster {
  readonly members: readonly Member[];
  /** Both servers, of which the client takes the one that fits. */
  url(database: string): string;
  /** Waits until one leads and the other has all that the leader acknowledges. */
  leader(): Promise<Member>;
  /** Asks Patroni to change their places. */
  switchOver(leader: Member): Promise<void>;
  /** SIGKILL to the server, and to Patroni beside it where the whole machine dies. */
  kill(leader: Member, what: 'server' | 'machine'): Promise<void>;
  /** What died starts again, and follows. */
  start(member: Member): void;
  /** Runs at each change, with the port of the new leader in $PORT. */
  onLeader(command: string): void;
  stop(): Promise<void>;
}

/** The programs that are missing on this machine, by Debian's packages. */
export function missingPrograms(): readonly string[] {
  return [
    ['patroni', Bun.which('patroni', { PATH })],
    ['etcd-server', Bun.which('etcd', { PATH })],
    ['postgresql', serverFolder()],
  ].flatMap(([name, found]) => (found === null ? [name as string] : []));
}

function serverFolder(): string | null {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  return (
    versions
      .toSorted((a, b) => Number(b) - Number(a))
      .map((version) => `/usr/lib/postgresql/${version}/bin`)
      .find((folder) => existsSync(join(folder, 'pg_basebackup'))) ?? null
  );
}

export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-patroni-'));
  folderEndsWithUs(folder);
  serversEndWithUs(folder);
  const as = runAs({ folder, programs: [] });
  if (as.owner) chownSync(folder, as.owner.uid, as.owner.gid);
  chmodSync(folder, 0o711);
  const etcdPort = freePort();
  const etcd = startEtcd(as, folder, etcdPort);
  const members = ['a', 'b'].map(
    (name): Member => ({
      ...{ name, port: freePort(), restPort: freePort(), data: join(folder, name), patroni: null },
    }),
  );
  const callback = (member: Member) => join(folder, `${member.name}.sh`);
  const start = (member: Member): void => {
    const settings = join(folder, `${member.name}.json`);
    writeFileSync(
      settings,
      JSON.stringify(settingsOf(member, { folder, etcdPort, callback: callback(member) })),
    );
    member.patroni = spawn(as, 'patroni', [settings], join(folder, `${member.name}.log`));
  };
  for (const member of members) {
    writeFileSync(callback(member), '#!/bin/sh\n');
    chmodSync(callback(member), 0o755);
    start(member);
  }
  const cluster: Cluster = {
    members,
    url: (database) =>
      `postgres://${SUPERUSER}@${members.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${database}`,
    async leader() {
      let leading: Member | undefined;
      await until('one leads and the other follows it', FIRST_START_MS, async () => {
        const roles = await rolesOf(members);
        leading = members.find(({ name }) => roles.get(name) === 'leader');
        return leading !== undefined && [...roles.values()].includes('sync_standby');
      });
      return leading as Member;
    },
    async switchOver(leader) {
      const candidate = members.find((member) => member !== leader)?.name;
      const response = await fetch(`http://127.0.0.1:${leader.restPort}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: leader.name, candidate }),
        signal: AbortSignal.timeout(FAILOVER_MS),
      });
      if (!response.ok) throw new Error(`no switch-over: ${await response.text()}`);
    },
    async kill(leader, what) {
      const postmaster = Number(readFileSync(join(leader.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
      if (what === 'machine') leader.patroni?.kill('SIGKILL');
      for (const pid of [postmaster, ...childrenOf(postmaster)]) kill(pid);
      if (what === 'machine') await leader.patroni?.exited;
    },
    start,
    onLeader(command) {
      for (const member of members)
        writeFileSync(
          callback(member),
          `#!/bin/sh\nPORT=${member.port}\ncase "$2" in master|primary) ;; *) exit 0 ;; esac\n${command}\n`,
        );
    },
    async stop() {
      for (const { patroni, data } of members) {
        patroni?.kill('SIGKILL');
        await patroni?.exited;
        if (existsSync(join(data, 'postmaster.pid')))
          kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGQUIT');
      }
      etcd.kill('SIGKILL');
      await etcd.exited;
    },
  };
  return cluster;
}

function startEtcd(as: RunAs, folder: string, port: number): Subprocess {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${freePort()}`];
  const options = {
    ...{ name: 'drill', 'data-dir': join(folder, 'etcd'), 'initial-cluster': `drill=${peer}` },
    ...{ 'listen-client-urls': client, 'advertise-client-urls': client },
    ...{ 'listen-peer-urls': peer, 'initial-advertise-peer-urls': peer },
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  return spawn(as, 'etcd', [...args, '--unsafe-no-fsync'], join(folder, 'etcd.log'));
}

function spawn(as: RunAs, program: string, args: readonly string[], log: string): Subprocess {
  const { file, args: all, options } = as.command(Bun.which(program, { PATH }) ?? program, args);
  const output = Bun.file(log);
  const child = Bun.spawn([file, ...all], {
    ...options,
    ...{ cwd: '/', env: { PATH, LC_ALL: 'C.UTF-8', HOME: '/tmp' } },
    ...{ stdin: 'ignore', stdout: output, stderr: output },
  });
  endsWithUs(child);
  return child;
}

/**
 * A lease of five seconds is the shortest that Patroni's own waits fit in. A server that died is
 * not started again in its place (`primary_start_timeout`).
 */
function settingsOf(
  { name, port, restPort, data }: Member,
  { folder, etcdPort, callback }: { folder: string; etcdPort: number; callback: string },
) {
  const login = { username: SUPERUSER, password: 'only for drills' };
  const times = { ttl: 5, loop_wait: 1, retry_timeout: 2, primary_start_timeout: 0, master_start_timeout: 0 };
  return {
    ...{ scope: 'drill', name, etcd3: { hosts: `127.0.0.1:${etcdPort}` } },
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    bootstrap: {
      dcs: {
        ...times,
        synchronous_mode: true,
        postgresql: {
          use_pg_rewind: true,
          parameters: { max_connections: 100, wal_log_hints: 'on', wal_keep_size: '256MB' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
      pg_hba: [
        'local all all trust',
        'host all all 127.0.0.1/32 trust',
        'host replication all 127.0.0.1/32 trust',
      ],
    },
    postgresql: {
      ...{ listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${port}`, data_dir: data },
      ...{ bin_dir: serverFolder(), pgpass: join(folder, `${name}.pgpass`) },
      authentication: { superuser: login, replication: login, rewind: login },
      parameters: { unix_socket_directories: folder },
      callbacks: { on_role_change: callback, on_start: callback },
      ...{ remove_data_directory_on_rewind_failure: true, remove_data_directory_on_diverged_timelines: true },
    },
  };
}

async function rolesOf(members: readonly Member[]): Promise<ReadonlyMap<string, string>> {
  for (const { restPort } of members) {
    try {
      const response = await fetch(`http://127.0.0.1:${restPort}/cluster`, {
        signal: AbortSignal.timeout(2_000),
      });
      const seen = (await response.json()) as { members: { name: string; role: string; state: string }[] };
      const running = seen.members.filter(({ state }) => state === 'running' || state === 'streaming');
      return new Map(running.map(({ name, role }) => [name, role]));
    } catch {
      // Its machine is down: the other one knows.
    }
  }
  return new Map();
}

function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]) === parent;
      } catch {
        return false;
      }
    });
}

function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}
