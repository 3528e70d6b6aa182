/** The contracts of the consoles' reads, on a real PostgreSQL. */
import { describe } from 'bun:test';
import { postgresConsoleQueries } from '../../../../src/adapters/postgres/console/console-queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { postgresWebhookQueue } from '../../../../src/adapters/postgres/webhooks/webhook-queue.ts';
import { describeAttentionQueries } from '../../../contracts/console/attention-queries.ts';
import { describeCreditRequests } from '../../../contracts/console/credit-requests.ts';
import { describeMerchantFigures } from '../../../contracts/console/merchant-figures.ts';
import { describePaymentSearch } from '../../../contracts/console/payment-search.ts';
import { describeStatementQueries } from '../../../contracts/console/statement-queries.ts';
import { describeTimelineQueries } from '../../../contracts/console/timeline-queries.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

async function open() {
  const { database, drop } = await testDatabase();
  return {
    unitOfWork: postgresUnitOfWork(database, { sendsMails: true }),
    consoleQueries: postgresConsoleQueries(database),
    webhookQueue: postgresWebhookQueue(database),
    close: drop,
  };
}

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres queries of the consoles', () => {
  describeMerchantFigures('postgres', open);
  describePaymentSearch('postgres', open);
  describeAttentionQueries('postgres', open);
  describeStatementQueries('postgres', open);
  describeCreditRequests('postgres', open);
  describeTimelineQueries('postgres', open);
});
