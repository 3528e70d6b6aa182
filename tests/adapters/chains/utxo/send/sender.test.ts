/**
 * The sender of UTXOs keeps its contract on real nodes of the three chains, with and without an
 * index of transactions, and on an Esplora and an Electrum server in front of one.
 */
import { describeCoinSender } from '../../../../contracts/sending/utxo-sender.ts';
import { behindPlan } from '../../../../support/providers/behind-plan.ts';
import { UTXO_CHAINS, WITHOUT_INDEX } from '../../../../support/utxo/utxo-nodes.ts';
import { coinStage } from '../../../../support/utxo/utxo-sending.ts';
import { describeOverSources } from '../../../../support/utxo/utxo-suites.ts';

const nodes = [
  ...UTXO_CHAINS.map((chain) => [chain.family, chain] as const),
  ['bitcoin without an index of transactions', WITHOUT_INDEX] as const,
];

for (const [nodeName, chain] of nodes)
  describeOverSources(nodeName, chain, (name, on) =>
    describeCoinSender(name, async () => {
      const { node, source, plan, outage } = on();
      const stage = await coinStage(chain, node);
      return stage.senderCase(stage.open(source, behindPlan(plan)), outage);
    }),
  );
