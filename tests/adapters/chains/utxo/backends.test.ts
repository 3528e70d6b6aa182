/**
 * Nodes, Esplora and Electrum servers answer alike what a sender asks: where a transaction is, what
 * is unspent, fees, and what became of a broadcast.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { UtxoBackend } from '../../../../src/adapters/chains/utxo/backend.ts';
import type { UtxoOptions } from '../../../../src/adapters/chains/utxo/backends.ts';
import { type RpcProxy, startRpcProxy } from '../../../support/chains/rpc-proxy.ts';
import { type ElectrumServer, startElectrumServer } from '../../../support/nodes/electrum-server.ts';
import { type EsploraServer, startEsploraServer } from '../../../support/nodes/esplora-server.ts';
import { type RegtestNode, unknownTxid } from '../../../support/nodes/regtest.ts';
import { BITCOIN, BITCOIN_CASH, LITECOIN, WITHOUT_INDEX } from '../../../support/utxo/utxo-nodes.ts';
import { onBackend } from '../../../support/utxo/utxo-sources.ts';

const cases = [
  { name: 'bitcoin', chain: BITCOIN, over: 'rpc' },
  { name: 'bitcoin without an index of transactions', chain: WITHOUT_INDEX, over: 'rpc' },
  { name: 'litecoin', chain: LITECOIN, over: 'rpc' },
  { name: 'bitcoincash', chain: BITCOIN_CASH, over: 'rpc' },
  { name: 'bitcoin over esplora', chain: BITCOIN, over: 'esplora' },
  { name: 'bitcoin over electrum', chain: BITCOIN, over: 'electrum' },
  { name: 'bitcoincash over electrum', chain: BITCOIN_CASH, over: 'electrum' },
] as const;
const ESTIMATES = { rpc: null, esplora: 87_882n, electrum: 87_882n };

for (const { name, chain, over } of cases)
  describe.skipIf(!chain.there())(`the backend of ${name}`, () => {
    let node: RegtestNode;
    let server: EsploraServer | ElectrumServer | null = null;
    beforeAll(async () => {
      node = await chain.start();
      if (over === 'esplora') server = await startEsploraServer(node);
      if (over === 'electrum') server = await startElectrumServer(node);
    });
    afterAll(async () => {
      await server?.stop();
      await node.stop();
    });

    const source = (): UtxoOptions['source'] => {
      if (server === null) return { rpc: [node.url] };
      return over === 'esplora' ? { esplora: [server.url] } : { electrum: [server.url] };
    };
    const ask = <T>(work: (backend: UtxoBackend) => Promise<T>): Promise<T> =>
      onBackend(node, source(), work);
    const place = (txid: string) => ask((backend) => backend.place(txid));
    const broadcast = (raw: string) => ask((backend) => backend.broadcast(raw));
    const elsewhere = (units = 60_000n) => [{ to: node.freshAddress(), units }];

    test('tells where a transaction is, also long after it was mined, and not after a reorganisation', async () => {
      expect(await place(unknownTxid())).toEqual({ state: 'unknown' });
      const { txid } = await node.pay(elsewhere());
      expect(await place(txid)).toEqual({ state: 'pending' });
      const [blockHash] = await node.mine();
      const mined = { state: 'mined' as const, height: await node.height(), blockHash: blockHash! };
      expect(await place(txid)).toEqual(mined);
      await node.mine(30);
      expect(await place(txid)).toEqual(mined);
      const later = await node.pay(elsewhere());
      await node.mine();
      await place(later.txid);
      await node.reorg(1);
      expect(await place(later.txid)).toEqual({ state: 'pending' });
      await node.mine();
      await node.reorgAway(1);
      expect(await place(later.txid)).toEqual({ state: 'unknown' });
    });

    test('tells what is unspent and since when', async () => {
      const unspent = (txid: string, vout: number) => ask((backend) => backend.unspent({ txid, vout }));
      const { txid, utxos } = await node.pay(elsewhere());
      expect(await unspent(txid, 0)).toBeNull();
      await node.mine();
      expect(await unspent(txid, 0)).toMatchObject({ height: await node.height() });
      expect(await unspent(utxos[0]!.txid, utxos[0]!.vout)).toBeNull();
      expect(await unspent(unknownTxid(), 0)).toBeNull();
    });

    test('broadcasts, again and again, and once it is mined', async () => {
      const { raw, txid } = await node.sign(elsewhere());
      expect(await broadcast(raw)).toEqual({ kind: 'accepted' });
      expect(await broadcast(raw)).toEqual({ kind: 'accepted' });
      expect(await place(txid)).toEqual({ state: 'pending' });
      await node.mine();
      expect(await broadcast(raw)).toEqual({ kind: 'accepted' });
    });

    test('tells a refusal from coins that are spent for good', async () => {
      const first = await node.pay(elsewhere());
      const rival = await node.sign(elsewhere(), { spending: first.utxos });
      expect(await broadcast(rival.raw)).toMatchObject({ kind: 'refused' });
      await node.mine();
      expect(await broadcast(rival.raw)).toEqual({ kind: 'nonce_used' });
    });

    test('broadcasts what spends a waiting transaction', async () => {
      const parent = await node.pay([{ to: node.ownAddress, units: 500_000n }]);
      const script = Buffer.from(node.scriptOf(node.ownAddress)).toString('hex');
      const coin = { txid: parent.txid, vout: 0, units: 500_000n, script };
      const child = await node.sign(elsewhere(), { spending: [coin] });
      expect(await broadcast(child.raw)).toEqual({ kind: 'accepted' });
      await node.mine();
      expect((await place(child.txid)).state).toBe('mined');
    });

    test('has fee rates', async () => {
      expect(await ask((backend) => backend.minimumFeeRate())).toBeGreaterThanOrEqual(100n);
      const estimate = await ask((backend) => backend.feeRate(2));
      expect(estimate).toBe(ESTIMATES[over]);
      if (over === 'esplora') expect(await ask((backend) => backend.feeRate(20))).toBe(20_500n);
    });
  });

describe.skipIf(!BITCOIN.there())('answers of a node', () => {
  let node: RegtestNode;
  let proxy: RpcProxy;
  beforeAll(async () => {
    node = await BITCOIN.start();
    proxy = await startRpcProxy(node.url);
  });
  afterAll(async () => {
    await proxy.stop();
    await node.stop();
  });
  const ask = <T>(work: (backend: UtxoBackend) => Promise<T>): Promise<T> =>
    onBackend(node, { rpc: [proxy.url] }, work);

  test.each([
    [{ feerate: 0.00012345, blocks: 2 }, 12_345n],
    [{ feerate: 1, blocks: 2 }, 100_000_000n],
    [{ errors: ['Insufficient data'], blocks: 2 }, null],
    [{ fee: -1, blocks: 2 }, null],
  ])('an estimate of %j is %p base units per 1,000 bytes', async (answer, expected) => {
    proxy.behave({ instead: ({ method }) => (method === 'estimatesmartfee' ? answer : undefined) });
    expect(await ask((backend) => backend.feeRate(2))).toBe(expected);
  });

  test('a node that knows only estimatefee is asked that', async () => {
    proxy.behave({
      refuse: ['estimatesmartfee'],
      instead: ({ method }) => (method === 'estimatefee' ? 0.00001 : undefined),
    });
    expect(await ask((backend) => backend.feeRate(2))).toBe(1_000n);
  });

  test('a node that is starting does not make a transaction unknown', async () => {
    proxy.behave({ refuse: ['getrawtransaction'] });
    await expect(ask((backend) => backend.place(unknownTxid()))).rejects.toThrow('no node could answer');
  });
});
