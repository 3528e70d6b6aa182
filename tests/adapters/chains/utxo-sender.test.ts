/** The sender of coins keeps its contract on real nodes of the three chains, and on an Esplora server in front of one. */
import { afterAll, beforeAll, describe } from 'bun:test';
import type { UtxoOptions } from '../../../src/adapters/chains/utxo/backends.ts';
import { describeCoinSender } from '../../contracts/coin-sender.ts';
import { startCoreNode } from '../../support/nodes/core-nodes.ts';
import { type EsploraServer, startEsploraServer } from '../../support/nodes/esplora-server.ts';
import type { RegtestNode } from '../../support/nodes/regtest.ts';
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts';
import { BITCOIN, UTXO_CHAINS } from '../../support/utxo-nodes.ts';
import { coinStage } from '../../support/utxo-sending.ts';

for (const chain of UTXO_CHAINS)
  describe.skipIf(!chain.there())(`on a node of ${chain.family}`, () => {
    let node: RegtestNode;
    let proxy: RpcProxy;
    let server: EsploraServer;
    beforeAll(async () => {
      node = await chain.start();
      proxy = await startRpcProxy(node.url);
      server = await startEsploraServer(node);
    });
    afterAll(async () => {
      await server.stop();
      await proxy.stop();
      await node.stop();
    });

    function describeOver(
      name: string,
      source: () => UtxoOptions['source'],
      outage: (on: boolean) => void,
    ): void {
      describeCoinSender(name, async () => {
        const stage = await coinStage(chain, node);
        return stage.senderCase(stage.open(source()), outage);
      });
    }

    describeOver(
      `${chain.family}, json-rpc`,
      () => ({ rpc: [proxy.url] }),
      (on) => proxy.behave({ drop: on }),
    );
    if (chain === BITCOIN)
      describeOver(
        'bitcoin, esplora',
        () => ({ esplora: [server.url] }),
        (on) => server.behave({ drop: on }),
      );
  });

describe.skipIf(!BITCOIN.there())('on a node without an index of transactions', () => {
  let node: RegtestNode;
  let proxy: RpcProxy;
  beforeAll(async () => {
    node = await startCoreNode('bitcoin', { txindex: false });
    proxy = await startRpcProxy(node.url);
  });
  afterAll(async () => {
    await proxy.stop();
    await node.stop();
  });

  describeCoinSender('bitcoin, json-rpc, no index', async () => {
    const stage = await coinStage(BITCOIN, node);
    return stage.senderCase(stage.open({ rpc: [proxy.url] }), (on) => proxy.behave({ drop: on }));
  });
});
