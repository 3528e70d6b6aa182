/** The contract of ChainRecords. Nobody else uses the storage meanwhile. */
import { describe, expect, test } from 'bun:test';
import type { NotedChain, UnnotedChain } from '../../../src/adapters/postgres/chains/chain-identities.ts';
import type { ComposedDatabase } from '../../../src/compose/database.ts';
import { aHash, anId, NOW } from '../../support/builders.ts';
import { aUtxo } from '../../support/chains/utxo-builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export type OpenedRecords = Opened & Pick<ComposedDatabase, 'chainRecords'>;

export function describeChainRecords(name: string, open: () => Promise<OpenedRecords>): void {
  describe(`${name}: networks of chains`, () => {
    const storage = openedFor(open);
    const records = () => storage.ports().chainRecords;
    interface Judged {
      readonly noted: readonly NotedChain[];
      readonly unnoted: readonly UnnotedChain[];
    }
    /** What was judged. */
    async function note(...chains: readonly { chain: string; network: string }[]): Promise<Judged> {
      const judged: Judged[] = [];
      await records().note(chains, NOW, (noted, unnoted) => void judged.push({ noted, unnoted }));
      expect(judged).toHaveLength(1);
      return judged[0]!;
    }
    const read = (chain: string, heights: readonly number[]) =>
      storage.run(async ({ chains }) => {
        const blocks = heights.map((height) => {
          return { height, hash: `hash ${height}`, parentHash: aHash(), time: height };
        });
        await chains.rememberBlocks(chain, blocks, 10);
        const last = { height: heights.at(-1)!, hash: aHash(), coveredUntil: NOW, finalizedHeight: 0 };
        await chains.moveCursor(chain, null, last);
      });

    test('the first network of a chain stands, and all are told by name', async () => {
      const id = anId();
      const [a, b, c] = ['a', 'b', 'c'].map((letter) => `${letter} ${id}`) as [string, string, string];
      const ofThese = (noted: readonly NotedChain[]) => noted.filter(({ chain }) => chain.endsWith(id));
      const first = await note({ chain: c, network: 'main' }, { chain: a, network: 'test' });
      const stored = [
        { chain: a, network: 'test', genesis: null },
        { chain: c, network: 'main', genesis: null },
      ];
      expect(ofThese(first.noted)).toEqual(stored);
      const second = await note({ chain: a, network: 'main' }, { chain: b, network: 'eip155:1' });
      const [ofA, ofC] = stored;
      const all = [ofA!, { chain: b, network: 'eip155:1', genesis: null }, ofC!];
      expect(ofThese(second.noted)).toEqual(all);
      expect(ofThese(await records().all())).toEqual(all);
    });

    test('what is judged to be wrong is not noted', async () => {
      const chain = `chain ${anId()}`;
      const refused = new Error('another network');
      const noting = records().note([{ chain, network: 'main' }], NOW, () => {
        throw refused;
      });
      await expect(noting).rejects.toBe(refused);
      expect((await records().all()).map((one) => one.chain)).not.toContain(chain);
    });

    test('a chain that was read and never noted is judged by its oldest block, until it is noted', async () => {
      const chain = `chain ${anId()}`;
      await read(chain, [7, 5, 9]);
      const unnoted = async (...of: readonly { chain: string; network: string }[]) =>
        (await note(...of)).unnoted.filter((one) => one.chain === chain);
      const oldest = { chain, height: 5, hash: 'hash 5' };
      expect(await unnoted({ chain, network: 'main' })).toEqual([oldest]);
      expect(await unnoted()).toEqual([]);
    });

    test('the first block of a chain that was told first stands', async () => {
      const chain = `chain ${anId()}`;
      await expect(records().noteGenesis(chain, 'first')).rejects.toThrow();
      await note({ chain, network: 'main' });
      const told = await Promise.all(['first', 'second'].map((hash) => records().noteGenesis(chain, hash)));
      expect(new Set(told).size).toBe(1);
      expect(await records().all()).toContainEqual({ chain, network: 'main', genesis: told[0]! });
    });

    test('K3: a fake chain has no first block', async () => {
      const chain = `chain ${anId()}`;
      await note({ chain, network: 'fake' });
      await expect(records().noteGenesis(chain, 'first')).rejects.toThrow();
    });

    test('a chain without money is forgotten with all that is known of it, and one with money is not', async () => {
      const [empty, booked] = [`chain ${anId()}`, `chain ${anId()}`];
      expect(await records().forget(empty)).toEqual({ kind: 'unknown' });
      for (const chain of [empty, booked]) {
        await note({ chain, network: 'main' });
        await read(chain, [5]);
      }
      await storage.run(async (r) => {
        await r.outgoing.takeNonce({ chain: empty, address: 'wallet', atLeast: 7n });
        await r.utxos.insertChange(booked, aUtxo({ key: { role: 'change', index: 7 } }), {
          ...{ height: 5, hash: 'hash 5' },
        });
      });
      expect(await records().forget(booked)).toEqual({
        kind: 'booked',
        booked: [{ what: 'coins', count: 1 }],
      });
      expect(await records().forget(empty)).toEqual({ kind: 'forgotten' });
      expect(await records().forget(empty)).toEqual({ kind: 'unknown' });
      await storage.run(async ({ chains, outgoing }) => {
        expect(await chains.cursor(empty)).toBeNull();
        expect(await chains.rememberedBlocks(empty, 9)).toEqual([]);
        expect(await outgoing.nextOf({ chain: empty, address: 'wallet' })).toBe(0n);
        expect(await chains.rememberedBlocks(booked, 9)).toHaveLength(1);
      });
    });
  });
}
