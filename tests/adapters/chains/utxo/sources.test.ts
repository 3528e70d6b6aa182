/**
 * Several sources behind one UTXO scanner: fail-over, other networks, lying and disagreeing nodes
 * (A3), and secrets.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { UtxoBackend } from '../../../../src/adapters/chains/utxo/backend.ts';
import { servesNetwork } from '../../../../src/adapters/chains/utxo/identity.ts';
import { utxoNetwork } from '../../../../src/adapters/chains/utxo/network.ts';
import { ChainUnavailable } from '../../../../src/ports/chains/chain-scanner.ts';
import { type RpcProxy, startRpcProxy } from '../../../support/chains/rpc-proxy.ts';
import { watching, watchingNobody } from '../../../support/chains/watch-list.ts';
import { recordingLogger } from '../../../support/evm/evm-lab.ts';
import { type EsploraServer, startEsploraServer } from '../../../support/nodes/esplora-server.ts';
import { type RegtestNode, unknownTxid } from '../../../support/nodes/regtest.ts';
import { BITCOIN } from '../../../support/utxo/utxo-nodes.ts';
import { scannerOn } from '../../../support/utxo/utxo-sources.ts';

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
    expect(await scanner.confirmWithNodes(block, [])).toMatchObject({ kind: 'agreed' });
    lying(unknownTxid());
    expect(await scanner.confirmWithNodes(block, [])).toMatchObject({ kind: 'disputed' });
    second.behave({
      refuse: ({ method, params }) => method === 'getblockhash' && params[0] === block.height,
    });
    expect(await scanner.confirmWithNodes(block, [])).toMatchObject({ kind: 'disputed' });
    second.behave({ drop: true });
    expect(await scanner.confirmWithNodes(block, [])).toMatchObject({ kind: 'agreed' });
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
