/**
 * The embedded database from nothing to the answer of its first query: on an empty disk, and on
 * files that exist.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { startEmbeddedPostgres } from '../../src/adapters/embedded-postgres/embedded-postgres.ts';
import { atMost, type Finding, type Target } from '../harness/finding.ts';
import type { Row } from '../harness/row.ts';
import { silentLogger } from '../harness/silent-logger.ts';
import { latency, spread } from '../harness/statistics.ts';

export const embeddedDatabase: Row = {
  name: 'embedded-database',
  async run({ rounds }) {
    const cold: number[] = [];
    const warm: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const directory = mkdtempSync(join(tmpdir(), 'quittance-embedded-'));
      // What rounds and rows before this one left to be written is on the disk before the clock
      // starts.
      await Bun.spawn(['sync']).exited;
      try {
        cold.push(await millisecondsToFirstQuery(directory));
        warm.push(await millisecondsToFirstQuery(directory));
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    }
    return [
      finding('embedded database, cold, to the first query', cold, atMost(1, 's')),
      finding('embedded database, warm, to the first query', warm, atMost(0.1, 's')),
    ];
  },
};

async function millisecondsToFirstQuery(directory: string): Promise<number> {
  const began = performance.now();
  const server = await startEmbeddedPostgres({ directory, logger: silentLogger });
  const sql = new SQL({ url: server.url, adapter: 'postgres', max: 1 });
  await sql.unsafe('select 1');
  const took = performance.now() - began;
  await sql.close();
  await server.stop();
  return took;
}

function finding(what: string, times: number[], target: Target): Finding {
  const seconds = times.map((time) => time / 1000);
  return {
    what,
    target,
    unit: 's',
    measured: spread(seconds),
    absolute: `${times.length} starts`,
    latencies: [latency(times)],
  };
}
