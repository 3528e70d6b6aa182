/** The UTXO scanner keeps the scanner's contract on real nodes of the three chains, and on an Esplora server in front of one. */
import { utxoScanner } from '../../../src/adapters/chains/utxo/scanner.ts';
import { describeChainScanner } from '../../contracts/chain-scanner.ts';
import { recordingLogger } from '../../support/evm-lab.ts';
import { unknownTxid } from '../../support/nodes/regtest.ts';
import { UTXO_CHAINS } from '../../support/utxo-nodes.ts';
import { describeOverSources } from '../../support/utxo-suites.ts';

for (const chain of UTXO_CHAINS)
  describeOverSources(chain.family, chain, (name, on) =>
    describeChainScanner(name, async () => {
      const { node, source, outage } = on();
      const options = {
        chain: chain.family,
        network: node.network,
        asset: chain.asset,
        confirmations: chain.confirmations,
        source,
        logger: recordingLogger(),
        timing: { coolDownMs: 1 },
      };
      const scanner = utxoScanner(options);
      const twice =
        'rpc' in source
          ? { rpc: [...source.rpc, ...source.rpc] }
          : { esplora: [...source.esplora, ...source.esplora] };
      return {
        scanner,
        several: utxoScanner({ ...options, source: twice }),
        shows: 'nothing',
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
        outage: async (isOut) => outage(isOut),
        close: () => scanner.close(),
      };
    }),
  );
