/**
 * Which outputs of a Bitcoin block are ours: 3,000 transactions (7,500 outputs), decoded already,
 * against a million issued addresses.
 */

import { decodeBlock } from '../../src/adapters/chains/utxo/codec/raw-block.ts';
import { utxoNetwork } from '../../src/adapters/chains/utxo/network.ts';
import { paymentsIn } from '../../src/adapters/chains/utxo/read/payments.ts';
import { watchList } from '../../src/app/watching/watch-list.ts';
import { chainNamed } from '../../src/domain/catalog/chain.ts';
import { coinBlock, OUTPUTS, ownAddress, ownScript } from '../../tests/support/chains/utxo-blocks.ts';
import { composeForBench } from '../harness/composed.ts';
import { atMost } from '../harness/finding.ts';
import { type MillionInvoices, millionInvoices } from '../harness/million-invoices.ts';
import type { Row } from '../harness/row.ts';
import { serviceEnvironment } from '../harness/service.ts';
import { latency, spread } from '../harness/statistics.ts';

const OURS = 50;
const BLOCKS = 50;
/** Untimed: the first look-ups read the index from the disk's cache, and the code is compiled. */
const FIRST_BLOCKS = 3;

export const blockMatch: Row = {
  name: 'block-match',
  async run(context) {
    const million = await millionInvoices(context);
    const { databaseUrl, sql, count, dataDir } = million;
    const network = utxoNetwork('bitcoin', 'main');
    const blocks = FIRST_BLOCKS + (context.quick ? 5 : BLOCKS);
    await issue(million, blocks * OURS);
    const service = await composeForBench({ ...serviceEnvironment(databaseUrl), DATA_DIR: dataDir });
    try {
      const watch = watchList(service.dependencies, chainNamed('bitcoin'), {
        arrivals: null,
        spending: null,
      });
      const milliseconds: number[] = [];
      const heapBefore = heapMiB();
      for (let block = 0; block < blocks; block++) {
        const ours = Array.from({ length: OURS }, (_, n) => ownScript(block * OURS + n));
        const { transactions } = decodeBlock(network, coinBlock(block, ours));
        const placed = transactions.map((transaction, position) => ({
          transaction,
          block: { height: block, position },
        }));
        const began = performance.now();
        const payments = await paymentsIn(placed, { network, asset: 'btc_bitcoin', watch });
        if (block >= FIRST_BLOCKS) milliseconds.push(performance.now() - began);
        const found = payments.flat().length;
        if (found !== OURS) throw new Error(`${found} of ${OURS} payments were found`);
      }
      const grownMiB = Math.max(0, heapMiB() - heapBefore);
      return [
        {
          what: `a 3,000-transaction block (${OUTPUTS.toLocaleString('en')} outputs) matched with ${count.toLocaleString('en')} addresses`,
          target: atMost(50, 'ms'),
          unit: 'ms',
          measured: spread(milliseconds),
          absolute: `${OURS} of them ours; no address is kept in memory: the heap grew by ${grownMiB.toFixed(0)} MB over all blocks`,
          latencies: [latency(milliseconds)],
        },
      ];
    } finally {
      await service.stop();
      await sql.unsafe(`delete from addresses where family = 'bitcoin'`);
    }
  },
};

/** What is still in use, without garbage. */
function heapMiB(): number {
  Bun.gc(true);
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/**
 * An address for each of the million invoices, not for those that other rows made: real ones for
 * the payments, texts of their shape for the rest.
 */
async function issue({ sql, merchants }: MillionInvoices, real: number): Promise<void> {
  const addresses = Array.from({ length: real }, (_, n) => ownAddress(n));
  await sql.unsafe(ISSUE, [sql.array(addresses, 'TEXT'), merchants[0]?.id ?? '']);
  await sql.unsafe('vacuum (analyze) addresses');
}

const ISSUE = `
  insert into addresses (family, address, deriver, derivation_index, merchant_id, sandbox, invoice_id)
  select 'bitcoin', coalesce(($1::text[])[seq], 'bc1q' || substr(md5('b' || seq) || md5('c' || seq), 1, 38)), 'bitcoin', seq,
    merchant_id, sandbox, id
  from invoices where merchant_id = $2`;
