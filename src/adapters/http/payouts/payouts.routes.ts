/** /api/v2/payouts: create one or a batch, list, read. */
import { Type } from '@sinclair/typebox';
import type { BatchItemResult, CreatedBatch } from '../../../app/application.ts';
import { presentPayout } from '../../../app/payouts/present-payout.ts';
import { PAYOUT_STATUSES } from '../../../domain/payouts/payout.ts';
import { err, ok } from '../../../domain/result.ts';
import type { PayoutFilter } from '../../../ports/list-queries.ts';
import { answer, created, listed } from '../kit/answer.ts';
import { CSV, csvOrder, shown } from '../kit/documents/csv.ts';
import { notFound } from '../kit/errors.ts';
import {
  chainText,
  DATES,
  PAGE,
  pageOf,
  rangeOf,
  SORT,
  sortOf,
  txid,
  UPDATED_FROM,
} from '../kit/input/list-query.ts';
import { assetName, idList, type QueryValues, text } from '../kit/input/query.ts';
import { ID_SCHEMA, id, view } from '../kit/input/views.ts';
import { route } from '../kit/route.ts';
import { batchBody, payoutBody } from './payout-body.ts';
import { PAYOUT_EXAMPLE, PAYOUT_FIELDS, PayoutSchema } from './payout-view.ts';

const tag = 'Payouts';

function presentBatchItem(item: BatchItemResult) {
  return item.orderId === null
    ? { order_id: null, status: 'failed', error: item.error }
    : { order_id: item.orderId, status: item.status };
}

const createPayout = route({
  operationId: 'createPayout',
  method: 'POST',
  path: '/api/v2/payouts',
  tag,
  summary: 'Create a payout',
  description:
    'Sends an asset to an external address. Your address must be in `allowed_subnets`. A used `X-Uniq-Id` is refused for two hours, so that a repeated request does not pay twice.',
  access: 'payout',
  idempotent: true,
  body: payoutBody,
  rejects: ['DUPLICATE', 'PAYOUT_REJECTED', 'RATES_UNAVAILABLE'],
  success: {
    status: 201,
    description: 'Accepted. The amount is reserved',
    result: view(null, { order_id: id() }),
    examples: { Accepted: { order_id: PAYOUT_EXAMPLE.order_id } },
  },
  handle: ({ caller, uniqId, body, respondOnce }, { application }) =>
    respondOnce(
      ({ orderId }: { orderId: string }) => created({ order_id: orderId }),
      (once) => application.createPayout(caller, uniqId, body, once),
    ),
});

const createBatch = route({
  operationId: 'createPayoutBatch',
  method: 'POST',
  path: '/api/v2/payouts/batch',
  tag,
  summary: 'Create up to 200 payouts',
  description: 'Each item is accepted or refused on its own. A malformed item refuses the whole request.',
  access: 'payout',
  idempotent: true,
  body: batchBody,
  rejects: ['DUPLICATE', 'PAYOUT_REJECTED', 'RATES_UNAVAILABLE'],
  success: {
    status: 201,
    description: 'The outcome of each item, in order',
    result: view(null, {
      batch_id: id(),
      items: Type.Array(
        Type.Unsafe({
          type: 'object',
          required: ['order_id', 'status'],
          additionalProperties: false,
          properties: {
            order_id: { ...ID_SCHEMA, type: ['string', 'null'] },
            status: { type: 'string', enum: [...PAYOUT_STATUSES] },
            error: { type: 'string', description: 'Why the item was refused' },
          },
        }),
      ),
    }),
    examples: {
      'One accepted, one refused': {
        batch_id: '0190f3a1b2c30a1b2c3d4e61',
        items: [
          { order_id: PAYOUT_EXAMPLE.order_id, status: 'pending' },
          { order_id: null, status: 'failed', error: 'The balance does not cover the payout.' },
        ],
      },
    },
  },
  handle: ({ caller, uniqId, body, respondOnce }, { application }) =>
    respondOnce(
      ({ batchId, items }: CreatedBatch) =>
        created({ batch_id: batchId, items: items.map(presentBatchItem) }),
      (once) => application.createPayoutBatch(caller, uniqId, body, once),
    ),
});

const QUERY = {
  ...PAGE,
  ...DATES,
  ...SORT,
  ...CSV,
  asset: assetName('Only payouts of this asset.'),
  order_ids: idList('Only these payouts: ids separated by commas.'),
  ref: text('Only payouts with this `ref`.', 128),
  txid: txid('Only payouts that this transaction was broadcast for.'),
  address: chainText('Only payouts whose request had this address. Upper and lower case are the same.'),
  updated_from: UPDATED_FROM,
} as const;

function filterOf(query: QueryValues<typeof QUERY>): PayoutFilter {
  return {
    ...rangeOf(query),
    ...{ asset: query.asset, ids: query.order_ids, ref: query.ref, address: query.address },
    ...{ txids: query.txid, updatedFrom: query.updated_from },
  };
}

const listPayouts = route({
  operationId: 'listPayouts',
  method: 'GET',
  path: '/api/v2/payouts',
  tag,
  summary: 'List payouts',
  description: 'Returns the payouts of this merchant and environment.',
  query: QUERY,
  success: {
    status: 200,
    description: 'A page of payouts',
    result: Type.Array(PayoutSchema),
    list: 'pages',
    examples: { 'One payout': [PAYOUT_EXAMPLE] },
  },
  csv: {
    name: 'payouts',
    columns: Object.keys(PAYOUT_FIELDS),
    rows({ caller, query }, { application: { queries, catalog } }) {
      const order = csvOrder(query);
      if (!order.ok) return order;
      const payouts = queries.every.payouts(caller.scope, filterOf(query), order.value);
      return ok(shown(payouts, (payout) => presentPayout(payout, catalog)));
    },
  },
  async handle({ caller, query }, { application }) {
    const page = pageOf(query);
    const { rows, total } = await application.queries.payouts(
      caller.scope,
      filterOf(query),
      sortOf(query),
      page,
    );
    return ok(
      listed(
        rows.map((payout) => presentPayout(payout, application.catalog)),
        page,
        total,
      ),
    );
  },
});

const getPayout = route({
  operationId: 'getPayout',
  method: 'GET',
  path: '/api/v2/payouts/:payout_id',
  tag,
  summary: 'Read a payout',
  description: 'Returns one payout of this merchant and environment.',
  rejects: ['NOT_FOUND'],
  success: {
    status: 200,
    description: 'The payout',
    result: PayoutSchema,
    examples: { Pending: PAYOUT_EXAMPLE },
  },
  async handle({ caller, id: payoutId }, { application }) {
    const payout = await application.queries.payout(caller.scope, payoutId);
    return payout === null ? err(notFound('payout')) : ok(answer(presentPayout(payout, application.catalog)));
  },
});

export const PAYOUT_ROUTES = [createPayout, createBatch, listPayouts, getPayout];
