/**
 * Suites on the real node of a UTXO chain, once for each kind of source in front of it: JSON-RPC,
 * and for some an Esplora or an Electrum server.
 */
import { afterAll, beforeAll, describe } from 'bun:test';
import type { UtxoOptions } from '../../../src/adapters/chains/utxo/backends.ts';
import { type RpcProxy, startRpcProxy } from '../chains/rpc-proxy.ts';
import { type ElectrumServer, startElectrumServer } from '../nodes/electrum-server.ts';
import { type EsploraServer, startEsploraServer } from '../nodes/esplora-server.ts';
import type { RegtestNode } from '../nodes/regtest.ts';
import { type Plan, PUBLIC_ESPLORA, QUICKNODE_FREE } from '../providers/plans.ts';
import { BITCOIN, type UtxoChain } from './utxo-nodes.ts';

/** While tests run. */
export interface NodeAndSource {
  readonly node: RegtestNode;
  readonly source: UtxoOptions['source'];
  /** Of a hosted source; null: it is one's own. */
  readonly plan: Plan | null;
  /** While on, the source cannot be reached. */
  outage(on: boolean): void;
}

/**
 * `suite` is told its name, and may ask `on` from its first test on. `electrum`: the chains that
 * have an Electrum server, too.
 */
export function describeOverSources(
  name: string,
  chain: UtxoChain,
  suite: (name: string, on: () => NodeAndSource) => void,
  electrum: readonly UtxoChain[] = [BITCOIN],
): void {
  describe.skipIf(!chain.there())(`on a node of ${name}`, () => {
    let node: RegtestNode;
    let proxy: RpcProxy;
    let server: EsploraServer;
    let histories: ElectrumServer;
    beforeAll(async () => {
      node = await chain.start();
      proxy = await startRpcProxy(node.url);
      server = await startEsploraServer(node);
      histories = await startElectrumServer(node);
    });
    afterAll(async () => {
      await histories.stop();
      await server.stop();
      await proxy.stop();
      await node.stop();
    });

    // Bitcoin's node is one's own, the others stand for hosted ones.
    const plan = chain === BITCOIN ? null : QUICKNODE_FREE;
    suite(`${name}, json-rpc${plan === null ? '' : ` behind ${plan.name}`}`, () => ({
      ...{ node, plan },
      // Its limit has to be learnt; that it has one is known.
      source: { rpc: [plan === null ? proxy.url : { url: proxy.url, pricePerMillionCalls: '60' }] },
      outage: (on) => proxy.behave({ drop: on }),
    }));
    if (chain === BITCOIN)
      suite(`${name}, esplora behind ${PUBLIC_ESPLORA.name}`, () => ({
        ...{ node, plan: PUBLIC_ESPLORA },
        source: { esplora: [server.url] },
        outage: (on) => server.behave({ drop: on }),
      }));
    if (electrum.includes(chain))
      suite(`${name}, electrum`, () => ({
        ...{ node, plan: null },
        source: { electrum: [histories.url] },
        outage: (on) => histories.behave({ drop: on }),
      }));
  });
}
