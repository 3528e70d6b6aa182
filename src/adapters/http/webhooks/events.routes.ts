/** All that the merchant is told of: read in order, whether or not a webhook came through, and sent again in bulk. */
import { type Static, Type } from '@sinclair/typebox';
import { unixSeconds } from '../../../app/invoices/present-invoice.ts';
import { INVOICE_STATUSES, isDelivered } from '../../../domain/invoices/invoice.ts';
import { TOLD_PAYOUT_STATUSES } from '../../../domain/payouts/payout.ts';
import { ok } from '../../../domain/result.ts';
import type { MerchantEvent } from '../../../ports/queries.ts';
import type { WantedAgain } from '../../../ports/webhooks/webhook-outbox.ts';
import { answer, JsonText } from '../kit/answer.ts';
import { DATES } from '../kit/input/list-query.ts';
import { wholeNumber } from '../kit/input/query.ts';
import { Flag, Moment, OneOf, WholeNumber, whole } from '../kit/input/schema.ts';
import { boolean, integer, view } from '../kit/input/views.ts';
import { type BodyDefinition, route } from '../kit/route.ts';
import { EVENT_EXAMPLES, EventSchema } from './event-view.ts';

const list = route({
  operationId: 'listEvents',
  method: 'GET',
  path: '/api/v2/events',
  tag: 'Notifications',
  summary: 'Read events in order',
  description:
    'What you are told of by webhooks, the oldest first, also where you name no URL. Keep `next_after` and go on from there: a receiver that was away catches up by itself. Once read, a number is never followed by a smaller one that is new.',
  query: {
    after: wholeNumber({
      description: 'Only events with a greater number: the `next_after` of the answer before.',
      absent: 0,
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
    limit: wholeNumber({ description: 'Events per answer.', absent: 100, minimum: 1, maximum: 100 }),
  },
  success: {
    status: 200,
    description: 'The next events',
    result: Type.Array(EventSchema),
    list: 'onward',
    examples: { 'An invoice and a payout': EVENT_EXAMPLES },
  },
  async handle({ caller, query }, { application }) {
    const { events, last } = await application.queries.events(caller.scope, query);
    const next_after = events.at(-1)?.seq ?? Math.min(query.after, last);
    return ok({
      status: 200,
      result: new JsonText(`[${events.map(eventText).join(',')}]`),
      pagination: { next_after, has_more: next_after < last },
    });
  },
});

/** The data is what a webhook carries, byte for byte. */
function eventText({ seq, type, createdAt, body }: MerchantEvent): string {
  return `{"seq":${seq},"type":"${type}","created_at":${unixSeconds(createdAt)},"data":${body}}`;
}

const STATUSES = [...new Set([...INVOICE_STATUSES.filter(isDelivered), ...TOLD_PAYOUT_STATUSES])];

const replaySchema = Type.Object({
  from: Type.Optional(Moment({ description: 'Earliest event, inclusive. As `date_from` of lists.' })),
  to: Type.Optional(Moment({ description: 'Latest event, inclusive. As `date_to` of lists.' })),
  status: Type.Optional(
    Type.Array(OneOf(STATUSES), {
      minItems: 1,
      maxItems: STATUSES.length,
      description: 'Only these statuses.',
    }),
  ),
  undelivered: Type.Optional(
    Flag({ description: 'Only what no receiver took: given up, or never sent since there was no URL.' }),
  ),
  after: Type.Optional(
    WholeNumber({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'To go on: the `next_after` of the answer before.',
    }),
  ),
});

const replayBody: BodyDefinition<WantedAgain> = {
  schema: replaySchema,
  required: false,
  examples: {
    'What nobody took in an outage': {
      from: '2026-01-31T10:00:00Z',
      to: '2026-01-31T12:00:00Z',
      undelivered: true,
    },
    'All that was paid since': { from: 1_767_225_600, status: ['success', 'paid_over'] },
  },
  read(json, faults, { application }) {
    const { from, to, status, undelivered, after } = json as Static<typeof replaySchema>;
    const moment = (value: string | number | undefined, name: 'from' | 'to'): Date | null => {
      if (value === undefined) return null;
      const reading = DATES[`date_${name}`].read(String(value), application.catalog);
      if ('value' in reading) return reading.value;
      faults.add(name, reading.message);
      return null;
    };
    return {
      after: after === undefined ? 0 : whole(after),
      ...{ from: moment(from, 'from'), to: moment(to, 'to') },
      ...{ statuses: status ?? null, undelivered: undelivered ?? false },
    };
  },
};

const replay = route({
  operationId: 'replayNotifications',
  method: 'POST',
  path: '/api/v2/notifications/replay',
  tag: 'Notifications',
  summary: 'Send webhooks again, in bulk',
  description:
    'Queues the webhooks of your events again, to where they would go now, as they were: with the same `event_seq` and `X-Service-Delivery`. An event that another of the same invoice or payout followed is left out, as is what still waits to be sent, so repeating a call is harmless. A call looks at 10,000 events: while `has_more` is true, call again with `after`. One call at a time: another meanwhile is refused (429).',
  body: replayBody,
  success: {
    status: 200,
    description: 'How many were queued, and where to go on',
    result: view('Replayed', {
      queued: integer('Webhooks that were queued'),
      next_after: integer('Number of the last event that was looked at'),
      has_more: boolean(),
    }),
    examples: { 'All of them': { queued: 12, next_after: 43, has_more: false } },
  },
  async handle({ caller, body }, { application }) {
    const replayed = await application.replayEvents(caller, body);
    if (!replayed.ok) return replayed;
    const { queued, nextAfter, hasMore } = replayed.value;
    return ok(answer({ queued, next_after: nextAfter, has_more: hasMore }));
  },
});

export const EVENT_ROUTES = [list, replay];
