/**
 * The EVM sender under the contract suite: on a node with EIP-1559 and the finalized tag, and on
 * one from before it, behind a plan.
 */
import { describe } from 'bun:test';
import { describeChainSender } from '../../../../contracts/sending/chain-sender.ts';
import { anvilAvailable } from '../../../../support/evm/anvil.ts';
import { openSendingStage } from '../../../../support/evm/evm-sending.ts';
import { behindPlan } from '../../../../support/providers/behind-plan.ts';
import { INFURA_FREE } from '../../../../support/providers/plans.ts';
import { needs } from '../../../../support/runtime/needs.ts';

const SETTINGS = [
  {
    name: 'evm, base fee, finalized tag',
    plan: null,
    stage: {},
    confirmations: 3,
    finality: { confirmations: null },
  },
  {
    name: `evm, legacy gas price, 5 confirmations, behind ${INFURA_FREE.name}`,
    plan: INFURA_FREE,
    stage: { hardfork: 'berlin' },
    confirmations: 5,
    finality: { confirmations: 5 },
  },
] as const;

describe.skipIf(!needs('anvil', anvilAvailable()))('on anvil', () => {
  for (const { name, plan, stage: options, confirmations, finality } of SETTINGS)
    describeChainSender(name, async () => {
      const stage = await openSendingStage(options);
      const opened = await stage.senderCase(confirmations, { finality, ...behindPlan(plan) });
      return { ...opened, close: stage.stop };
    });
});
