/**
 * What an Electrum server is asked on a day with 2,000 open invoices, and how long a waiting
 * payment takes to show: the real client, on the tests' server in front of a regtest node. A day's
 * polls and blocks follow each other without their pauses; signs of life, which go by the clock,
 * are added.
 */
import { utxoScanner } from '../src/adapters/chains/utxo/read/scanner.ts';
import { watching } from '../tests/support/chains/watch-list.ts';
import { startElectrumServer } from '../tests/support/nodes/electrum-server.ts';
import { silentLogger } from '../tests/support/runtime/silent-logger.ts';
import { BITCOIN } from '../tests/support/utxo/utxo-nodes.ts';

const OPEN_INVOICES = 2_000;
const BLOCKS = 144;
const POLLS_A_BLOCK = 150;
const PAID = 60;
const SIGNS_OF_LIFE = 288;
const POLL_MS = 4_000;
const ROUNDS = 6;
const CALLS_GOAL = 3_000;
const SECONDS_GOAL = 10;

/**
 * Lines that tell it, and which goals were missed. `quick`: fewer blocks and rounds, and a figure
 * of no day.
 */
export async function electrumDay(
  quick: boolean,
): Promise<{ readonly lines: readonly string[]; readonly missed: number }> {
  if (!BITCOIN.there()) return { lines: ['not measured: bitcoind is missing'], missed: 0 };
  const [mined, rounds] = quick ? [6, 1] : [BLOCKS, ROUNDS];
  const node = await BITCOIN.start();
  const server = await startElectrumServer(node);
  const open = Array.from({ length: OPEN_INVOICES }, () => node.freshAddress());
  const watch = watching(open, open);
  const scanner = utxoScanner({
    ...{ chain: 'bitcoin', network: node.network, asset: 'btc_bitcoin', confirmations: 2 },
    ...{ source: { electrum: [server.url] }, logger: silentLogger },
  });
  let cursor = (await scanner.head()).tip.height;
  let found = 0;

  async function poll(): Promise<number> {
    const { tip } = await scanner.head();
    if (tip.height > cursor) {
      const blocks = await scanner.blocks({ from: cursor + 1, to: Math.min(tip.height, cursor + 16) }, watch);
      cursor = blocks.at(-1)?.height ?? cursor;
      found += blocks.reduce((sum, { transfers }) => sum + transfers.length, 0);
    }
    const waiting = (await scanner.pending(watch)) ?? [];
    await scanner.late?.(cursor, watch, async () => {});
    return waiting.length;
  }

  const begun = performance.now();
  await poll();
  const started = performance.now() - begun;
  const calls = () => server.asked.length;
  const atStart = { calls: calls(), lines: server.lines };
  for (let block = 0; block < mined; block++) {
    if (block % 2 === 0 && block / 2 < PAID) await node.pay([{ to: open[block]!, units: 100_000n }]);
    for (let each = 0; each < POLLS_A_BLOCK; each++) {
      if (each === 0) await server.push();
      await poll();
    }
    await node.mine();
    await server.push();
  }
  await Bun.sleep(100);
  await poll();
  const day = calls() + SIGNS_OF_LIFE;

  const waits: number[] = [];
  const pushing = setInterval(() => void server.push(), 100);
  for (let round = 0; round < rounds; round++) {
    const before = await poll();
    await Bun.sleep(Math.random() * POLL_MS);
    const paidAt = performance.now();
    await node.pay([{ to: open[1_000 + round]!, units: 100_000n }]);
    // The worst case: the payment came just after a look.
    while ((await poll()) === before) await Bun.sleep(POLL_MS);
    waits.push((performance.now() - paidAt) / 1_000);
  }
  clearInterval(pushing);
  await scanner.close();
  await server.stop();
  await node.stop();
  const longest = Math.max(...waits);
  const lines = [
    `${OPEN_INVOICES} open invoices are followed after ${(started / 1_000).toFixed(1)} s: ${atStart.calls} calls in ${atStart.lines} requests`,
    `a day of ${mined} blocks and ${mined * POLLS_A_BLOCK} polls with ${found} payments: ${day} calls (at most ${CALLS_GOAL})`,
    `a waiting payment shows after ${longest.toFixed(1)} s at most in ${rounds} rounds (at most ${SECONDS_GOAL} s)`,
  ];
  return { lines, missed: [day > CALLS_GOAL, longest > SECONDS_GOAL].filter(Boolean).length };
}
