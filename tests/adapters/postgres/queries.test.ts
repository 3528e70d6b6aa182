/** The reading contracts, and the intakes that fill the lists, on a real PostgreSQL. */
import { describe } from 'bun:test';
import { postgresInvoiceIntake } from '../../../src/adapters/postgres/invoice-intake.ts';
import { postgresOperatorQueries } from '../../../src/adapters/postgres/operator-queries.ts';
import { postgresPayoutIntake } from '../../../src/adapters/postgres/payout-intake.ts';
import { postgresQueries } from '../../../src/adapters/postgres/queries.ts';
import { postgresStoredAnswers } from '../../../src/adapters/postgres/stored-answers.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { postgresReceiverCircuits } from '../../../src/adapters/postgres/webhook-circuits.ts';
import { postgresWebhookQueue } from '../../../src/adapters/postgres/webhook-queue.ts';
import { describeBrands } from '../../contracts/brands.ts';
import { describeCheckoutQueries } from '../../contracts/checkout-queries.ts';
import { describeEvents } from '../../contracts/events.ts';
import { describeEventsAgain } from '../../contracts/events-again.ts';
import { describeFeedLists } from '../../contracts/feed-lists.ts';
import { describeInvoiceIntake } from '../../contracts/invoice-intake.ts';
import { describeLists } from '../../contracts/lists.ts';
import { describeOperatorQueries, type OpenedOperator } from '../../contracts/operator-queries.ts';
import { describePayoutIntake } from '../../contracts/payout-intake.ts';
import { describePayoutGroups } from '../../contracts/payout-intake-groups.ts';
import { describeQueries } from '../../contracts/queries.ts';
import { describeReceiverCircuits } from '../../contracts/receiver-circuits.ts';
import { describeStoredAnswers, type OpenedAnswers } from '../../contracts/stored-answers.ts';
import { describeWebhookLanes } from '../../contracts/webhook-lanes.ts';
import { describeWebhookQueue } from '../../contracts/webhook-queue.ts';
import { aMerchant, anInvoice } from '../../support/builders.ts';
import type { OpenedLanes } from '../../support/lane-desk.ts';
import { needs } from '../../support/needs.ts';
import { postgresAvailable, testDatabase } from '../../support/postgres.ts';

async function open() {
  const { database, drop } = await testDatabase();
  return {
    unitOfWork: postgresUnitOfWork(database),
    queries: postgresQueries(database, database),
    webhookQueue: postgresWebhookQueue(database),
    receiverCircuits: postgresReceiverCircuits(database),
    operatorQueries: postgresOperatorQueries(database),
    intakes: [postgresInvoiceIntake(database), postgresInvoiceIntake(database)],
    payoutIntakes: [postgresPayoutIntake(database), postgresPayoutIntake(database)],
    storedAnswers: postgresStoredAnswers(database),
    close: drop,
  } satisfies OpenedAnswers & OpenedOperator & Pick<OpenedLanes, 'receiverCircuits'>;
}

/** Each delivery with an invoice of its own. */
async function openLanes(): Promise<OpenedLanes> {
  const { unitOfWork, webhookQueue, receiverCircuits, close } = await open();
  return {
    ...{ webhookQueue, receiverCircuits, close },
    async merchant() {
      const merchant = aMerchant();
      await unitOfWork.run((repositories) => repositories.merchants.insert(merchant));
      return merchant.id;
    },
    enqueue: (deliveries) =>
      unitOfWork.run(async (repositories) => {
        for (const delivery of deliveries) {
          const { merchantId } = delivery;
          const id = delivery.invoiceId ?? '';
          await repositories.invoices.insert(anInvoice({ id, merchantId }));
          await repositories.webhooks.enqueue(delivery);
        }
      }),
  };
}

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres queries', () => {
  describeQueries('postgres', open);
  describeBrands('postgres', open);
  describeCheckoutQueries('postgres', open);
  describeLists('postgres', open);
  describeFeedLists('postgres', open);
  describeEvents('postgres', open);
  describeEventsAgain('postgres', open);
  describeInvoiceIntake('postgres', open);
  describePayoutIntake('postgres', open);
  describePayoutGroups('postgres', open);
  describeStoredAnswers('postgres', open);
  describeWebhookQueue('postgres', open);
  describeWebhookLanes('postgres', openLanes);
  describeReceiverCircuits('postgres', openLanes);
  describeOperatorQueries('postgres', open);
});
