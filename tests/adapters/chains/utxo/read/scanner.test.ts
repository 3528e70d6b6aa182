/**
 * The UTXO scanner keeps the scanner's contract on real nodes of the three chains, and on Esplora
 * and Electrum servers in front of them.
 */
import type { UtxoOptions } from '../../../../../src/adapters/chains/utxo/backends.ts';
import { utxoScanner } from '../../../../../src/adapters/chains/utxo/read/scanner.ts';
import { describeChainScanner } from '../../../../contracts/chains/chain-scanner.ts';
import { recordingLogger } from '../../../../support/evm/evm-lab.ts';
import { unknownTxid } from '../../../../support/nodes/regtest.ts';
import { behindPlan } from '../../../../support/providers/behind-plan.ts';
import { UTXO_CHAINS } from '../../../../support/utxo/utxo-nodes.ts';
import { describeOverSources } from '../../../../support/utxo/utxo-suites.ts';

function twice(source: UtxoOptions['source']): UtxoOptions['source'] {
  if ('rpc' in source) return { rpc: [...source.rpc, ...source.rpc] };
  if ('esplora' in source) return { esplora: [...source.esplora, ...source.esplora] };
  return { electrum: [...source.electrum, ...source.electrum] };
}

for (const chain of UTXO_CHAINS)
  describeOverSources(
    chain.family,
    chain,
    (name, on) =>
      describeChainScanner(name, async () => {
        const { node, source, plan, outage } = on();
        const options = {
          chain: chain.family,
          network: node.network,
          asset: chain.asset,
          confirmations: chain.confirmations,
          source,
          logger: recordingLogger(),
          timing: { coolDownMs: 1, quietMs: 0, restMs: 0 },
          ...behindPlan(plan),
        };
        const scanner = utxoScanner(options);
        return {
          scanner,
          several: utxoScanner({ ...options, source: twice(source) }),
          shows: 'nothing',
          confirmations: chain.confirmations,
          assets: [chain.asset],
          showsPending: !('rpc' in source) || plan === null,
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
    UTXO_CHAINS,
  );
