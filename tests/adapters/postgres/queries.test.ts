/** The reading contracts, and the intakes that fill the lists, on a real PostgreSQL. */
import { describe } from 'bun:test';
import { postgresInvoiceWriter } from '../../../src/adapters/postgres/invoices/invoice-writer.ts';
import { postgresOperatorQueries } from '../../../src/adapters/postgres/operator-queries.ts';
import { postgresPayoutWriter } from '../../../src/adapters/postgres/payouts/payout-writer.ts';
import { postgresQueries } from '../../../src/adapters/postgres/queries.ts';
import { postgresStoredAnswers } from '../../../src/adapters/postgres/stored-answers.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { postgresReceiverCircuits } from '../../../src/adapters/postgres/webhooks/webhook-circuits.ts';
import { postgresWebhookQueue } from '../../../src/adapters/postgres/webhooks/webhook-queue.ts';
import { describeCheckoutQueries } from '../../contracts/checkout/checkout-queries.ts';
import { describeInvoiceWriter } from '../../contracts/invoices/invoice-writer.ts';
import { describePaymentLinks } from '../../contracts/links/payment-links.ts';
import { describeFeedLists } from '../../contracts/lists/feed-lists.ts';
import { describeFollowedAddresses } from '../../contracts/lists/followed-addresses.ts';
import { describeFoundRows } from '../../contracts/lists/found-rows.ts';
import { describeLists } from '../../contracts/lists/lists.ts';
import { describeOperatorQueries, type OpenedOperator } from '../../contracts/lists/operator-queries.ts';
import { describeQueries } from '../../contracts/lists/queries.ts';
import { describeBrands } from '../../contracts/merchants/brands.ts';
import { describeMerchantQueries } from '../../contracts/merchants/merchant-queries.ts';
import { describePayoutWriter } from '../../contracts/payouts/payout-writer.ts';
import { describePayoutGroups } from '../../contracts/payouts/payout-writer-groups.ts';
import { describeStoredAnswers, type OpenedAnswers } from '../../contracts/stored-answers.ts';
import { describeEvents } from '../../contracts/webhooks/events.ts';
import { describeEventsAgain } from '../../contracts/webhooks/events-again.ts';
import { describeReceiverCircuits } from '../../contracts/webhooks/receiver-circuits.ts';
import { describeWebhookLanes } from '../../contracts/webhooks/webhook-lanes.ts';
import { describeWebhookQueue } from '../../contracts/webhooks/webhook-queue.ts';
import { describeWebhookRetention } from '../../contracts/webhooks/webhook-retention.ts';
import { postgresAvailable, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { lanesOn, type OpenedLanes } from '../../support/webhooks/lane-desk.ts';

async function open() {
  const { database, drop } = await testDatabase();
  return {
    unitOfWork: postgresUnitOfWork(database),
    queries: postgresQueries(database, database),
    webhookQueue: postgresWebhookQueue(database),
    receiverCircuits: postgresReceiverCircuits(database),
    operatorQueries: postgresOperatorQueries(database),
    intakes: [postgresInvoiceWriter(database), postgresInvoiceWriter(database)],
    payoutIntakes: [postgresPayoutWriter(database), postgresPayoutWriter(database)],
    storedAnswers: postgresStoredAnswers(database),
    close: drop,
  } satisfies OpenedAnswers & OpenedOperator & Pick<OpenedLanes, 'receiverCircuits'>;
}

const openLanes = async () => lanesOn(await open());

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres queries', () => {
  describeQueries('postgres', open);
  describeMerchantQueries('postgres', open);
  describeBrands('postgres', open);
  describeCheckoutQueries('postgres', open);
  describePaymentLinks('postgres', open);
  describeLists('postgres', open);
  describeFoundRows('postgres', open);
  describeFeedLists('postgres', open);
  describeEvents('postgres', open);
  describeWebhookRetention('postgres', open);
  describeEventsAgain('postgres', open);
  describeInvoiceWriter('postgres', open);
  describePayoutWriter('postgres', open);
  describePayoutGroups('postgres', open);
  describeStoredAnswers('postgres', open);
  describeWebhookQueue('postgres', open);
  describeWebhookLanes('postgres', openLanes);
  describeReceiverCircuits('postgres', openLanes);
  describeOperatorQueries('postgres', open);
  describeFollowedAddresses('postgres', open);
});
