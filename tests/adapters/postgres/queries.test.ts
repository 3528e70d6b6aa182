/** The reading contracts, and the intake that fills the lists, on a real PostgreSQL. */
import { describe } from 'bun:test';
import { postgresInvoiceIntake } from '../../../src/adapters/postgres/invoice-intake.ts';
import { postgresOperatorQueries } from '../../../src/adapters/postgres/operator-queries.ts';
import { postgresQueries } from '../../../src/adapters/postgres/queries.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { postgresWebhookQueue } from '../../../src/adapters/postgres/webhook-queue.ts';
import { describeFeedLists } from '../../contracts/feed-lists.ts';
import { describeInvoiceIntake, type OpenedIntake } from '../../contracts/invoice-intake.ts';
import { describeLists } from '../../contracts/lists.ts';
import { describeOperatorQueries, type OpenedOperator } from '../../contracts/operator-queries.ts';
import { describeQueries } from '../../contracts/queries.ts';
import { describeWebhookQueue } from '../../contracts/webhook-queue.ts';
import { needs } from '../../support/needs.ts';
import { postgresAvailable, testDatabase } from '../../support/postgres.ts';

async function open() {
  const { database, drop } = await testDatabase();
  return {
    unitOfWork: postgresUnitOfWork(database),
    queries: postgresQueries(database),
    webhookQueue: postgresWebhookQueue(database),
    operatorQueries: postgresOperatorQueries(database),
    intakes: [postgresInvoiceIntake(database), postgresInvoiceIntake(database)],
    close: drop,
  } satisfies OpenedIntake & OpenedOperator;
}

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres queries', () => {
  describeQueries('postgres', open);
  describeLists('postgres', open);
  describeFeedLists('postgres', open);
  describeInvoiceIntake('postgres', open);
  describeWebhookQueue('postgres', open);
  describeOperatorQueries('postgres', open);
});
