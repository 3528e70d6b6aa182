/** Histories that an Electrum server does not tell at once, or not at all. */
import { describe, expect, test } from 'bun:test';
import { RpcError } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import {
  type ElectrumClient,
  type HistoryEntry,
  statusOf,
} from '../../../../../src/adapters/chains/utxo/electrum/client.ts';
import { electrumHistories } from '../../../../../src/adapters/chains/utxo/electrum/histories.ts';
import { recordingLogger } from '../../../../support/evm/evm-lab.ts';
import { unknownTxid } from '../../../../support/nodes/regtest.ts';
import { virtualTime } from '../../../../support/runtime/virtual-time.ts';

/**
 * A server that has `paid` in the history of every script, and tells none while it is `busy`, or an
 * old one.
 */
async function stage(paid: HistoryEntry) {
  const world = virtualTime();
  const logger = recordingLogger();
  const server: { busy: boolean | 'old'; asked: number } = { busy: true, asked: 0 };
  const histories = electrumHistories({
    chain: 'bitcoin',
    logger,
    time: { now: world.elapsedMs, wall: world.elapsedMs, after: () => undefined },
    client: {
      label: 'node 1',
      connection: { alive: async () => 1, close: () => undefined },
      subscribe: async (hashes: readonly string[]) => hashes.map(() => statusOf([paid])),
      histories: async (hashes: readonly string[]) => {
        server.asked += hashes.length;
        const error = new RpcError(-102, 'server busy - request timed out');
        const told = server.busy === 'old' ? { entries: [] } : { entries: [paid] };
        return hashes.map(() => (server.busy === true ? { error } : told));
      },
    } as unknown as ElectrumClient,
  });
  await histories.follow(new Map([['ab'.repeat(32), 'an address']]));
  return { world, histories, server, logger };
}

describe('a history that a server does not tell', () => {
  const paid: HistoryEntry = { txid: unknownTxid(), height: 100 };

  test('is asked for again after a minute, though its state stays the same', async () => {
    const { world, histories, server } = await stage(paid);
    expect(await histories.entries()).toEqual([]);
    server.busy = false;
    await world.pass(60_000);
    expect(await histories.entries()).toEqual([paid]);
  });

  test('is asked for again after a minute where an old one was told again and again', async () => {
    const { world, histories, server } = await stage(paid);
    server.busy = 'old';
    await world.pass(60_000);
    for (let poll = 0; poll < 20; poll++) expect(await histories.entries()).toEqual([]);
    expect(server.asked).toBeLessThan(8);
    server.busy = false;
    await world.pass(60_000);
    expect(await histories.entries()).toEqual([paid]);
  });

  test('is told of once, and asked for no more than once a minute', async () => {
    const { world, histories, server, logger } = await stage(paid);
    for (let seconds = 0; seconds < 600; seconds += 4) {
      await histories.entries();
      await world.pass(4_000);
    }
    expect(server.asked).toBeLessThan(12);
    expect(logger.lines.map(({ event }) => event)).toEqual(['node.history_unreadable']);
  });
});
