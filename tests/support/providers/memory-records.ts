/**
 * What following a chain keeps, in memory: how far it was read, and every payment to a watched
 * address. For virtual time, which waits for no database. All addresses are of a sandbox, so that a
 * payment is recorded, becomes final, and concerns no invoice.
 */
import type { WatcherNeeds } from '../../../src/app/watching/watch-chain.ts';
import { type Deposit, outputKey } from '../../../src/domain/deposits/deposit.ts';
import type { ChainCursor } from '../../../src/ports/chains/chain-repository.ts';
import type { BlockRef } from '../../../src/ports/chains/chain-scanner.ts';
import type { Repositories } from '../../../src/ports/repositories.ts';
import type { Clock } from '../../../src/ports/runtime/clock.ts';
import type { Logger } from '../../../src/ports/runtime/logger.ts';
import { anId, anIssuedAddress } from '../builders.ts';

export interface MemoryRecords {
  /** What chainWatcher needs to follow one chain. */
  readonly needs: WatcherNeeds;
  cursor(): ChainCursor | null;
  readonly deposits: readonly Deposit[];
}

export function memoryRecords({ clock, logger }: { clock: Clock; logger: Logger }): MemoryRecords {
  let cursor: ChainCursor | null = null;
  let blocks: readonly BlockRef[] = [];
  const deposits = new Map<string, Deposit>();
  const all = () => [...deposits.values()];
  const save = async (saved: readonly Deposit[]) => {
    for (const deposit of saved) deposits.set(outputKey(deposit), deposit);
  };
  const nothing = async () => undefined;
  const lockedOf = async (ids: readonly string[]) => all().filter(({ id }) => ids.includes(id));

  const repositories = {
    chains: {
      cursor: async () => cursor,
      lockCursor: nothing,
      async moveCursor(_: string, expected: ChainCursor | null, next: ChainCursor) {
        if (cursor !== null && expected?.hash !== cursor.hash) return false;
        cursor = next;
        return true;
      },
      async rememberBlocks(_: string, fresh: readonly BlockRef[], keep: number) {
        blocks = [...blocks, ...fresh].slice(-keep);
      },
      rememberedBlocks: async (_: string, limit: number) => blocks.toReversed().slice(0, limit),
      blocksLaterThan: async (_: string, time: number) =>
        blocks.slice(blocks.findLastIndex((block) => block.time <= time) + 1).toReversed(),
      async forgetBlocksAbove(_: string, height: number) {
        blocks = blocks.filter((block) => block.height <= height);
      },
      noteRead: nothing,
    },
    deposits: {
      async insertAll(given: readonly Deposit[]) {
        for (const deposit of given) deposits.set(outputKey(deposit), deposit);
      },
      findByKeys: async (_: string, keys: readonly { txid: string; output: string }[]) =>
        keys.flatMap((key) => deposits.get(outputKey(key)) ?? []),
      lock: async (id: string) => all().find((deposit) => deposit.id === id) ?? null,
      lockAll: lockedOf,
      lockFree: lockedOf,
      save: (deposit: Deposit) => save([deposit]),
      saveAll: save,
      unfinal: async (_: string, height: number) =>
        all().filter(
          ({ status, block }) => status === 'confirming' && block !== null && block.height <= height,
        ),
      anyUnfinal: async () => all().some(({ status, block }) => status === 'confirming' && block !== null),
      withoutBlock: async () => all().filter(({ block }) => block === null),
      async orphanAbove(_: string, height: number, limit: number) {
        const above = all()
          .filter(({ block }) => (block?.height ?? 0) > height)
          .slice(0, limit);
        await save(above.map((each) => ({ ...each, block: null })));
        return above.length;
      },
    },
    addresses: {
      find: async (family: string, addresses: readonly string[]) =>
        addresses.map((address) => anIssuedAddress({ family, address, sandbox: true })),
    },
    invoices: { lockAll: async () => [], lockFree: async () => [], saveAll: nothing },
    outgoing: { ours: async () => new Set(), open: async () => [] },
    frozen: { among: async () => new Set(), freeze: async () => true },
    utxos: { orphanAbove: nothing },
    unknown: { orphanAbove: nothing },
    ledger: { postAll: nothing },
    merchants: {},
  } as unknown as Repositories;

  return {
    needs: {
      riskScreener: { screen: async () => ({ kind: 'pass' }) },
      ...{ clock, logger, ids: { id: anId }, liveDerivers: new Map() },
      unitOfWork: { run: (work: (r: Repositories) => Promise<unknown>) => work(repositories) },
    } as unknown as WatcherNeeds,
    cursor: () => cursor,
    get deposits() {
      return all();
    },
  };
}
