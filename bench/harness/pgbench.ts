/**
 * Runs PostgreSQL's own load generator: prepared statements, a closed loop per connection,
 * latencies from its log.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Leg } from './legs.ts';
import { runToEnd } from './processes.ts';
import { latency } from './statistics.ts';

const DEBIAN_HOMES = '/usr/lib/postgresql';

/** The program's path, or null. Debian keeps it off the PATH. */
export function findPgbench(): string | null {
  const onPath = Bun.which('pgbench');
  if (onPath !== null) return onPath;
  if (!existsSync(DEBIAN_HOMES)) return null;
  const versions = readdirSync(DEBIAN_HOMES).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(DEBIAN_HOMES, version, 'bin', 'pgbench')).find(existsSync) ?? null;
}

/** A leg that runs `script` on `connections` connections. */
export function pgbenchLeg(options: {
  name: string;
  program: string;
  databaseUrl: string;
  script: string;
  connections: number;
}): Leg {
  const url = new URL(options.databaseUrl);
  return {
    name: options.name,
    async run(seconds) {
      const folder = mkdtempSync(join(tmpdir(), 'quittance-pgbench-'));
      try {
        const script = join(folder, 'script.sql');
        writeFileSync(script, options.script);
        const said = await runToEnd(
          [
            ...[options.program, '--no-vacuum', '--protocol=prepared', '--file', script],
            ...['--host', url.hostname, '--port', url.port, '--username', url.username],
            ...['--client', String(options.connections), '--jobs', '2', '--time', String(seconds)],
            // a tenth is plenty for percentiles, and writing more would slow it down
            ...['--log', `--log-prefix=${join(folder, 'log')}`, '--sampling-rate=0.1'],
            url.pathname.slice(1),
          ],
          { timeoutMs: (seconds + 30) * 1000, env: { PGPASSWORD: url.password } },
        );
        const failed = /number of failed transactions: (\d+)/.exec(said)?.[1] ?? '0';
        const rate = Number(/^tps = ([\d.]+)/m.exec(said)?.[1]);
        if (!(rate > 0) || failed !== '0') throw new Error(`${options.name}: ${said.slice(-800)}`);
        return { rate, latency: latency(loggedMilliseconds(folder)) };
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** A line of the log is: client, number, microseconds, script, second, microsecond. */
function loggedMilliseconds(folder: string): number[] {
  const logs = readdirSync(folder).filter((file) => file.startsWith('log'));
  return logs.flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => Number(line.split(' ')[2]) / 1000),
  );
}
