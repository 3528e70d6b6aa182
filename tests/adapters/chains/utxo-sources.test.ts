/** Several sources behind one UTXO scanner: fail-over, other networks, lying and disagreeing nodes (A3), secrets, and the mempool's bounds. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { NodeBehind } from '../../../src/adapters/chains/shared/faults.ts';
import { addressOf, payToWitness } from '../../../src/adapters/chains/utxo/address.ts';
import type { UtxoBackend } from '../../../src/adapters/chains/utxo/backend.ts';
import type { BackendPool } from '../../../src/adapters/chains/utxo/backends.ts';
import { servesNetwork } from '../../../src/adapters/chains/utxo/identity.ts';
import { utxoNetwork } from '../../../src/adapters/chains/utxo/network.ts';
import { waitingPaying, waitingPayingAmongAll } from '../../../src/adapters/chains/utxo/owed.ts';
import { utxoScanner } from '../../../src/adapters/chains/utxo/scanner.ts';
import { decodeTransaction } from '../../../src/adapters/chains/utxo/transaction.ts';
import { waitingPayments } from '../../../src/adapters/chains/utxo/waiting-payments.ts';
import { ChainUnavailable } from '../../../src/ports/chain-scanner.ts';
import { recordingLogger } from '../../support/evm-lab.ts';
import { type EsploraServer, startEsploraServer } from '../../support/nodes/esplora-server.ts';
import { unsignedTransaction } from '../../support/nodes/raw-transaction.ts';
import { type RegtestNode, unknownTxid } from '../../support/nodes/regtest.ts';
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts';
import { silentLogger } from '../../support/silent-logger.ts';
import { BITCOIN } from '../../support/utxo-nodes.ts';
import { scannerOn } from '../../support/utxo-sources.ts';
import { stubSending } from '../../support/utxo-stub.ts';
import { watching, watchingNobody } from '../../support/watch-list.ts';

describe.skipIf(!BITCOIN.there())('several sources of bitcoin', () => {
  let node: RegtestNode;
  let first: RpcProxy;
  let second: RpcProxy;
  let server: EsploraServer;
  beforeAll(async () => {
    node = await BITCOIN.start();
    first = await startRpcProxy(node.url);
    second = await startRpcProxy(node.url);
    server = await startEsploraServer(node);
  });
  afterAll(async () => {
    await server.stop();
    await first.stop();
    await second.stop();
    await node.stop();
  });
  const tip = async () => {
    const height = await node.height();
    return { height, hash: await node.rpc<string>('getblockhash', height) };
  };

  test('a node that fails is replaced by the next and left alone for a while', async () => {
    first.behave({ status: 503 });
    second.behave({});
    const logger = recordingLogger();
    const scanner = scannerOn(node, { rpc: [first.url, second.url] }, logger);
    expect((await scanner.head()).tip).toMatchObject(await tip());
    await scanner.blocks({ from: 0, to: 5 }, watchingNobody);
    expect(first.requests).toBe(1);
    expect(logger.lines.map(({ event }) => event)).toEqual(['node.failed']);
    await scanner.close();
  });

  test('a node of another network is never used, and said so loudly', async () => {
    const genesis = utxoNetwork('bitcoin', 'main').genesis[0];
    first.behave({ instead: ({ method }) => (method === 'getblockhash' ? genesis : undefined) });
    second.behave({});
    const logger = recordingLogger();
    const scanner = scannerOn(node, { rpc: [first.url, second.url] }, logger);
    expect((await scanner.head()).tip).toMatchObject(await tip());
    expect(first.asked).toEqual(['getblockhash']);
    expect(logger.lines).toMatchObject([
      {
        level: 'error',
        event: 'node.wrong_chain',
        fields: { wanted: 'bitcoin regtest' },
      },
    ]);
    await scanner.close();
  });

  test('a node that answers another block than asked, or a damaged one, is replaced by the next', async () => {
    const { height } = await tip();
    const other = await node.rpc<string>('getblock', await node.rpc<string>('getblockhash', 3), false);
    for (const lie of [other, other.slice(0, -2), 'zz', 7]) {
      first.behave({ answer: ({ method }) => (method === 'getblock' ? lie : undefined) });
      second.behave({});
      const scanner = scannerOn(node, { rpc: [first.url, second.url] });
      const [block] = await scanner.blocks({ from: height, to: height }, watchingNobody);
      expect(block!.hash).toBe((await tip()).hash);
      expect(second.asked).toContain('getblock');
      await scanner.close();
    }
  });

  test('A3: a node with another block at the height, or none, does not agree; one that is away abstains', async () => {
    const scanner = scannerOn(node, { rpc: [first.url, second.url] });
    const block = (await scanner.blockAt((await tip()).height - 1))!;
    const lying = (answer: unknown) =>
      second.behave({
        answer: ({ method, params }) =>
          method === 'getblockhash' && params[0] === block.height ? answer : undefined,
      });
    first.behave({});
    second.behave({});
    expect(await scanner.agreeOn(block, [])).toMatchObject({ kind: 'agreed' });
    lying(unknownTxid());
    expect(await scanner.agreeOn(block, [])).toMatchObject({ kind: 'disputed' });
    second.behave({
      refuse: ({ method, params }) => method === 'getblockhash' && params[0] === block.height,
    });
    expect(await scanner.agreeOn(block, [])).toMatchObject({ kind: 'disputed' });
    second.behave({ drop: true });
    expect(await scanner.agreeOn(block, [])).toMatchObject({ kind: 'agreed' });
    await scanner.close();
  });

  test('no message shows user, password or key of a URL', async () => {
    const secret = 'correct-horse-battery';
    const rpc = [first.url, second.url].map((url) => url.replace('//', `//merchant:${secret}@`));
    const keyed = server.url.replace('/api', `/${secret}/api`);
    first.behave({ status: 401 });
    second.behave({ drop: true });
    for (const source of [{ rpc }, { esplora: [keyed] }]) {
      const logger = recordingLogger();
      const scanner = scannerOn(node, source, logger);
      const error: unknown = await scanner.head().catch((problem: unknown) => problem);
      expect(error).toBeInstanceOf(ChainUnavailable);
      expect(`${String(error)} ${JSON.stringify(logger.lines)}`).not.toMatch(/correct-horse|merchant/);
      await scanner.close();
    }
    expect(first.authorizations).toContain(`Basic ${btoa(`merchant:${secret}`)}`);
  });

  test('an Esplora server that fails is replaced by the next', async () => {
    server.behave({ status: 429 });
    const other = await startEsploraServer(node);
    const scanner = scannerOn(node, { esplora: [server.url, other.url] });
    const to = node.freshAddress();
    const { txid } = await node.pay([{ to, units: 80_000n }]);
    expect(await scanner.pending(watching([to], [to]))).toMatchObject([{ txid, to, units: 80_000n }]);
    server.behave({});
    await scanner.close();
    await other.stop();
  });

  test('on an Esplora server many addresses are asked about in turns, and a payment found stays found', async () => {
    server.behave({});
    const scanner = scannerOn(node, { esplora: [server.url] });
    const addresses = Array.from({ length: 45 }, () => node.freshAddress());
    const to = addresses.toSorted()[40]!;
    const watch = watching(addresses, addresses);
    const { txid } = await node.pay([{ to, units: 90_000n }]);
    const found = [];
    for (let poll = 0; poll < 5; poll++) {
      server.behave({});
      found.push((await scanner.pending(watch))?.map((transfer) => transfer.txid));
      expect(server.asked.filter((path) => path.startsWith('address/')).length).toBe(20);
    }
    expect(found).toEqual([[], [], [txid], [txid], [txid]]);
    await node.mine();
    expect(await scanner.pending(watch)).toEqual([]);
    await scanner.close();
  });
});

describe('which network a source serves', () => {
  const chainOf = (hashes: Readonly<Record<number, string>>) =>
    ({
      hashesAt: async (heights: readonly number[]) => heights.map((height) => hashes[height] ?? null),
    }) as unknown as UtxoBackend;
  const genesis = utxoNetwork('bitcoin', 'main').genesis[0]!;
  const bitcoin = '00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148';
  const cash = '0000000000000000029e471c41818d24b8b74c911071c4ef0b4a0509f9b5a8ce';

  test('Bitcoin and Bitcoin Cash are told apart although they begin with one block', async () => {
    const serves = (family: 'bitcoin' | 'bitcoincash', hashes: Readonly<Record<number, string>>) =>
      servesNetwork(chainOf({ 0: genesis, ...hashes }), utxoNetwork(family, 'main'));
    expect(await serves('bitcoin', { 478559: bitcoin })).toBe(true);
    expect(await serves('bitcoin', { 478559: cash })).toBe(false);
    expect(await serves('bitcoincash', { 661648: cash })).toBe(true);
    expect(await serves('bitcoincash', { 661648: bitcoin })).toBe(false);
    await expect(serves('bitcoin', { 5: bitcoin })).rejects.toThrow('has not reached');
  });

  test('another genesis block is another network', async () => {
    expect(await servesNetwork(chainOf({ 0: genesis }), utxoNetwork('bitcoin', 'regtest'))).toBe(false);
    expect(await servesNetwork(chainOf({ 0: genesis }), utxoNetwork('litecoin', 'main'))).toBe(false);
    expect(await servesNetwork(chainOf({}), utxoNetwork('litecoin', 'main'))).toBe(false);
  });
});

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
      pendingAt({ mempool: { list: () => Promise.reject(new NodeBehind('starts')) } }),
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
