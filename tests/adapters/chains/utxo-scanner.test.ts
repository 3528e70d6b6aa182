/** The UTXO scanner keeps the scanner's contract on real nodes of the three chains, and on an Esplora server in front of one. */
import { afterAll, beforeAll, describe } from 'bun:test';
import type { UtxoOptions } from '../../../src/adapters/chains/utxo/backends.ts';
import { utxoScanner } from '../../../src/adapters/chains/utxo/scanner.ts';
import { describeChainScanner } from '../../contracts/chain-scanner.ts';
import { recordingLogger } from '../../support/evm-lab.ts';
import { type EsploraServer, startEsploraServer } from '../../support/nodes/esplora-server.ts';
import { type RegtestNode, unknownTxid } from '../../support/nodes/regtest.ts';
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts';
import { BITCOIN, UTXO_CHAINS } from '../../support/utxo-nodes.ts';

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
      describeChainScanner(name, async () => {
        const scanner = utxoScanner({
          chain: chain.family,
          network: node.network,
          asset: chain.asset,
          confirmations: chain.confirmations,
          source: source(),
          logger: recordingLogger(),
          timing: { coolDownMs: 1 },
        });
        return {
          scanner,
          confirmations: chain.confirmations,
          assets: [chain.asset],
          showsPending: true,
          unknownTxid: unknownTxid(),
          freshAddress: () => node.freshAddress(),
          pay: async ({ to, units }) => node.pay([{ to, units }]),
          mine: async (count) => {
            await node.mine(count);
          },
          reorg: (depth) => node.reorgAway(depth),
          outage: async (on) => outage(on),
          close: () => scanner.close(),
        };
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
