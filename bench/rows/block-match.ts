/** Which outputs of a block are ours: 3,000 transactions (7,500 outputs) against a million issued addresses. */
import { watchList } from '../../src/app/watch-list.ts';
import { CHAINS } from '../../src/domain/chain.ts';
import { composeForBench } from '../harness/composed.ts';
import { atMost } from '../harness/finding.ts';
import { millionInvoices } from '../harness/million-invoices.ts';
import type { Row } from '../harness/row.ts';
import { serviceEnvironment } from '../harness/service.ts';
import { latency, spread } from '../harness/statistics.ts';

const OUTPUTS = 7_500;
const OURS = 50;
const BLOCKS = 50;

export const blockMatch: Row = {
  name: 'block-match',
  async run(context) {
    const { databaseUrl, sql, count, dataDir } = await millionInvoices(context);
    const service = await composeForBench({ ...serviceEnvironment(databaseUrl), DATA_DIR: dataDir });
    try {
      const ethereum = CHAINS.find((chain) => chain.name === 'ethereum');
      if (!ethereum) throw new Error('the catalog has no ethereum');
      const watch = watchList(service.dependencies, ethereum);
      const milliseconds: number[] = [];
      const memoryBefore = process.memoryUsage().rss;
      for (let block = 0; block < (context.quick ? 5 : BLOCKS); block++) {
        const issued: { address: string }[] = await sql.unsafe(
          `select address_to as address from invoices where seq = any ($1)`,
          [
            sql.array(
              Array.from({ length: OURS }, (_, n) => 1 + (((block * OURS + n) * 7_919) % count)),
              'BIGINT',
            ),
          ],
        );
        const strangers = Array.from({ length: OUTPUTS - issued.length }, (_, n) =>
          stranger(block * OUTPUTS + n),
        );
        const outputs = [...issued.map(({ address }) => address), ...strangers];
        const began = performance.now();
        const known = await watch.known(outputs);
        milliseconds.push(performance.now() - began);
        if (known.size !== issued.length)
          throw new Error(`${known.size} of ${issued.length} addresses were found`);
      }
      const grownMiB = Math.max(0, process.memoryUsage().rss - memoryBefore) / 2 ** 20;
      return [
        {
          what: `a 3,000-transaction block (${OUTPUTS.toLocaleString('en')} outputs) matched with ${count.toLocaleString('en')} addresses`,
          target: atMost(50, 'ms'),
          unit: 'ms',
          measured: spread(milliseconds),
          absolute: `${OURS} of them ours; no address is kept in memory, which grew by ${grownMiB.toFixed(0)} MB over all blocks`,
          latencies: [latency(milliseconds)],
        },
      ];
    } finally {
      await service.stop();
    }
  },
};

function stranger(number: number): string {
  return `0x${Bun.hash(String(number)).toString(16).padStart(16, '0')}${'e'.repeat(24)}`;
}
