/**
 * From the start of the process to the first 200 of /ready, without any configuration: on an empty
 * folder, and again.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost, type Finding, type Target } from '../harness/finding.ts';
import type { Row } from '../harness/row.ts';
import { startService } from '../harness/service.ts';
import { latency, spread } from '../harness/statistics.ts';

export const startUp: Row = {
  name: 'start-up',
  async run({ rounds }) {
    const cold: number[] = [];
    const warm: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const dataDir = mkdtempSync(join(tmpdir(), 'quittance-start-'));
      try {
        for (const times of [cold, warm]) {
          const service = await startService({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' });
          times.push(service.readyAfterMs);
          await service.stop();
        }
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    }
    return [
      finding('start to /ready, cold: database, tables, keys and demo merchant made', cold, null),
      finding('start to /ready, warm', warm, atMost(0.3, 's')),
    ];
  },
};

function finding(what: string, milliseconds: number[], target: Target | null): Finding {
  return {
    what,
    target,
    unit: 's',
    measured: spread(milliseconds.map((time) => time / 1000)),
    absolute: `${milliseconds.length} starts`,
    latencies: [latency(milliseconds)],
  };
}
