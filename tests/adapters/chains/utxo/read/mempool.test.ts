/**
 * What waits for a block at sources that list all of it: what is read of it, how often, and at
 * which node (safety.md K4).
 */
import { describe, expect, test } from 'bun:test';
import { NodeLagging } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import type { UtxoBackend } from '../../../../../src/adapters/chains/utxo/backend.ts';
import type { BackendPool } from '../../../../../src/adapters/chains/utxo/backends.ts';
import { addressOf, payToWitness } from '../../../../../src/adapters/chains/utxo/codec/address.ts';
import { decodeTransaction } from '../../../../../src/adapters/chains/utxo/codec/transaction.ts';
import { utxoNetwork } from '../../../../../src/adapters/chains/utxo/network.ts';
import { waitingPaying, waitingPayingAmongAll } from '../../../../../src/adapters/chains/utxo/read/owed.ts';
import { utxoScanner } from '../../../../../src/adapters/chains/utxo/read/scanner.ts';
import { waitingPayments } from '../../../../../src/adapters/chains/utxo/read/waiting-payments.ts';
import { utxoSpending } from '../../../../../src/adapters/chains/utxo/send/spendable.ts';
import { watching, watchingNobody } from '../../../../support/chains/watch-list.ts';
import { unsignedTransaction } from '../../../../support/nodes/raw-transaction.ts';
import { unknownTxid } from '../../../../support/nodes/regtest.ts';
import { silentLogger } from '../../../../support/runtime/silent-logger.ts';
import { stubSending } from '../../../../support/utxo/utxo-stub.ts';

describe('a mempool of thousands', () => {
  const network = utxoNetwork('bitcoin', 'regtest');

  test('one transaction that cannot be read hides no other', async () => {
    const to = payToWitness(0, new Uint8Array(20).fill(5));
    const raw = Buffer.from(
      unsignedTransaction([{ txid: unknownTxid(), vout: 1 }], [{ script: to, units: 7n }]),
      'hex',
    );
    const txid = decodeTransaction(network, raw).txid();
    const backend = {
      label: 'stub',
      mempool: { list: async () => [unknownTxid(), txid] },
      rawTransactions: async () => [Buffer.of(1, 2, 3), raw],
    } as unknown as UtxoBackend;
    const waiting = waitingPayments({ network, asset: 'btc_bitcoin' });
    const address = addressOf(network, to)!;
    expect(await waiting.read(backend, watching([address]))).toMatchObject([
      { txid, to: address, units: 7n },
    ]);
  });

  test('is read at a node of one’s own that stands behind one of a plan', async () => {
    const own = { mempool: { list: async () => [unknownTxid()] }, rawTransactions: async () => [null] };
    const ofPlan = { mempool: { ...own.mempool, isMetered: () => true } };
    const pendingAt = async (...backends: Partial<UtxoBackend>[]) => {
      const { pool } = await stubSending('bitcoin', backends);
      const options = { chain: 'bitcoin', network, source: { rpc: [] }, logger: silentLogger };
      const scanner = utxoScanner(
        { ...options, asset: 'btc_bitcoin', confirmations: 2 },
        pool as unknown as BackendPool,
      );
      return scanner.pending(watchingNobody);
    };
    expect(await pendingAt(ofPlan, own)).toEqual([]);
    expect(await pendingAt(ofPlan, ofPlan)).toBe(null);
    await expect(
      pendingAt({ mempool: { list: () => Promise.reject(new NodeLagging('starts')) } }),
    ).rejects.toThrow('starts');
  });

  test('K4: what waits and pays just what is owed is found in a list of all, or by its recipient', async () => {
    const scripts = [5, 6].map((byte) => payToWitness(0, new Uint8Array(20).fill(byte)));
    const [one, other] = scripts.map((script) => addressOf(network, script)!);
    const outputs = [
      { script: scripts[0]!, units: 7n },
      { script: scripts[1]!, units: 8n },
    ];
    const raw = Buffer.from(unsignedTransaction([{ txid: unknownTxid(), vout: 1 }], outputs), 'hex');
    const txid = decodeTransaction(network, raw).txid();
    const owed = [
      { to: one!, units: 8n },
      { to: other!, units: 8n },
    ];
    const rawTransactions = async (txids: readonly string[]) =>
      txids.map((each) => (each === txid ? raw : null));
    const listed = [...Array.from({ length: 600 }, unknownTxid), txid];
    const ofAddress = async (address: string) => (address === other ? [txid] : []);
    const list = async () => listed;
    const found = [[], [txid]];
    expect(await waitingPayingAmongAll(network, { mempool: { list }, rawTransactions })(owed)).toEqual(found);
    expect(await waitingPaying(network, { mempool: { ofAddress }, rawTransactions }, owed)).toEqual(found);
    const metered = { list, isMetered: () => true };
    const ask = waitingPayingAmongAll(network, { mempool: metered, rawTransactions });
    await expect(ask(owed)).rejects.toThrow('101 more transactions');
    expect(await ask(owed)).toEqual(found);
    // What was read first, and waits no more.
    listed.unshift(listed.pop()!);
    await expect(ask(owed)).rejects.toThrow('101 more');
    listed.shift();
    expect(await ask(owed)).toEqual([[], []]);
  });

  test('K4: what comes while all that waits is read keeps nobody waiting, however fast it comes', async () => {
    let listed = Array.from({ length: 1_200 }, unknownTxid);
    const before = new Set(listed);
    const ask = waitingPayingAmongAll(network, {
      mempool: {
        list: async () => {
          listed = [...Array.from({ length: 600 }, unknownTxid), ...listed];
          return listed;
        },
        isMetered: () => true,
      },
      rawTransactions: async (txids) => {
        for (const txid of txids) before.delete(txid);
        return txids.map(() => null);
      },
    });
    const owed = [{ to: 'one', units: 8n }];
    await expect(ask(owed)).rejects.toThrow('1300 more');
    for (const left of [800, 300]) await expect(ask(owed)).rejects.toThrow(`${left} more`);
    expect(await ask(owed)).toEqual([[]]);
    expect(before.size).toBe(0);
  });

  test('K4: a node of a plan is asked for what no other has shown, and nothing is told before it has read that', async () => {
    const script = payToWitness(0, new Uint8Array(20).fill(5));
    const raws = new Map(
      Array.from({ length: 1_300 }, (_, place) => {
        const inputs = [{ txid: unknownTxid(), vout: 1 }];
        const units = place === 599 ? 8n : 7n;
        const raw = Buffer.from(unsignedTransaction(inputs, [{ script, units }]), 'hex');
        return [decodeTransaction(network, raw).txid(), raw];
      }),
    );
    const listed = [...raws.keys()];
    const asked: string[][] = [[], []];
    const shared = { begun: null };
    const node = (place: number, waiting: readonly string[], isMetered: boolean) => ({
      waitingPaying: waitingPayingAmongAll(
        network,
        {
          mempool: { list: async () => waiting, isMetered: () => isMetered },
          rawTransactions: async (txids) => {
            asked[place]!.push(...txids);
            // The first one shows another in place of the last.
            return txids.map(
              (txid) => raws.get(place === 0 && txid === listed[1_299] ? listed[700]! : txid)!,
            );
          },
        },
        shared,
      ),
    });
    const nodes = [node(0, listed.slice(600), false), node(1, listed, true)];
    const { waitingPaying: ask } = utxoSpending(await stubSending('bitcoin', nodes));
    const owed = [{ to: addressOf(network, script)!, units: 8n }];
    await expect(ask(owed)).rejects.toThrow('more transactions that wait');
    expect(await ask(owed)).toEqual([[listed[599]!]]);
    // The first one is asked once more for what it did not show.
    const last = listed[1_299]!;
    expect(asked).toEqual([
      [...listed.slice(600), last],
      [...listed.slice(0, 600), last],
    ]);
    expect(shared.begun).toBeNull();
  });

  test('K4: what is owed otherwise meanwhile has all that waits read anew', async () => {
    const listed = Array.from({ length: 700 }, unknownTxid);
    const fetched: string[] = [];
    const ask = waitingPayingAmongAll(network, {
      mempool: { list: async () => listed, isMetered: () => true },
      rawTransactions: async (txids) => {
        fetched.push(...txids);
        return txids.map(() => null);
      },
    });
    const owed = [{ to: 'one', units: 8n }];
    await expect(ask(owed)).rejects.toThrow('200 more');
    await expect(ask([...owed, { to: 'other', units: 8n }])).rejects.toThrow('200 more');
    expect(await ask(owed)).toEqual([[]]);
    expect(fetched).toEqual([...listed.slice(0, 500), ...listed]);
  });

  test('is fetched in portions, what is new first, and each transaction once', async () => {
    const portions: (readonly string[])[] = [];
    let listed: readonly string[] = Array.from({ length: 3_500 }, unknownTxid);
    const backend = {
      label: 'stub',
      mempool: { list: async () => listed },
      rawTransactions: async (txids: readonly string[]) => {
        portions.push(txids);
        return txids.map(() => null);
      },
    } as unknown as UtxoBackend;
    const waiting = waitingPayments({ network, asset: 'btc_bitcoin' });
    await waiting.read(backend, watchingNobody);
    const [old, fresh] = [listed, Array.from({ length: 600 }, unknownTxid)];
    listed = [...listed, ...fresh];
    await waiting.read(backend, watchingNobody);
    await waiting.read(backend, watchingNobody);
    await waiting.read(backend, watchingNobody);
    expect(portions.map(({ length }) => length)).toEqual([2_000, 2_000, 100, 0]);
    expect(portions[1]!.slice(0, 600)).toEqual(fresh);
    expect(new Set(portions.flat())).toEqual(new Set([...old, ...fresh]));
  });
});
