/** Payouts while a node's calls of a day are nearly used up (decision 0020, safety.md R7). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { senderInTurn } from '../../../src/adapters/chains/shared/nodes/client-urgencies.ts';
import { nodeBudget } from '../../../src/adapters/chains/shared/nodes/node-budget.ts';
import { inHaste } from '../../../src/adapters/chains/shared/nodes/urgency.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a plan of which polling used most', () => {
  let stage: PayoutStage;
  beforeAll(async () => {
    stage = await openPayoutStage();
  });
  afterAll(() => stage.close());

  test('R7: has room for payouts, with the balances that they are paid from, and none for audits', async () => {
    const budget = nodeBudget({ label: 'node 1', perSecond: null, perDay: 100 });
    await inHaste({ urgency: 'head' }, () => budget.take(85));
    const { sender } = stage.on;
    const { balances } = sender;
    const inTurn = senderInTurn({
      ...sender,
      // Each is a call of the plan.
      async balances(...given) {
        await budget.take(1);
        return balances(...given);
      },
    });
    const on = stage.journey.it.service.sending.chains.get('ethereum')!;
    stage.over.sender = { balances: inTurn.balances, forPayouts: inTurn.forPayouts! };
    const id = await stage.order();
    await stage.step();
    expect((await stage.open()).map(({ referenceId }) => referenceId)).toEqual([id]);
    const audit = reconcileChain(stage.deps, on, { height: null });
    await expect(audit).rejects.toThrow('the calls of today are used up');
  });
});
