/** The contracts of payouts, and of the figures made of them, on the storage in memory. */
import { describe } from 'bun:test';
import { describeMerchantFigures } from '../../../contracts/console/merchant-figures.ts';
import { describeStatementQueries } from '../../../contracts/console/statement-queries.ts';
import { describePayoutRepository } from '../../../contracts/payouts/payout-repository.ts';
import { describePayoutWriter } from '../../../contracts/payouts/payout-writer.ts';
import { describePayoutGroups } from '../../../contracts/payouts/payout-writer-groups.ts';
import { describePayoutsAsked } from '../../../contracts/payouts/payouts-asked.ts';
import { describePayoutsToSend } from '../../../contracts/payouts/payouts-to-send.ts';
import { describeRefundClaims } from '../../../contracts/payouts/refund-claims.ts';
import { merchantFigures } from '../console/merchant-figures.ts';
import { statementQueries } from '../console/statement-queries.ts';
import { memoryDatabase } from '../memory-database.ts';
import { refundClaimQueries } from '../payouts/refund-claims.ts';
import { memoryStore } from '../store/memory-store.ts';

async function open() {
  const store = memoryStore();
  const { ports, close } = memoryDatabase(store);
  return {
    ...ports,
    consoleQueries: { ...merchantFigures(store), ...statementQueries(store) },
    payoutIntakes: [ports.payoutWriter, memoryDatabase(store).ports.payoutWriter] as const,
    close,
  };
}

async function openClaims() {
  const store = memoryStore();
  const { ports, close } = memoryDatabase(store);
  return { unitOfWork: ports.unitOfWork, queries: refundClaimQueries(store), close };
}

describe('memory: payouts', () => {
  describePayoutRepository('memory', open);
  describePayoutsToSend('memory', open);
  describePayoutsAsked('memory', open);
  describeRefundClaims('memory', openClaims);
  describePayoutWriter('memory', open);
  describePayoutGroups('memory', open);
  describeMerchantFigures('memory', open);
  describeStatementQueries('memory', open);
});
