/**
 * A merchant's events: read in order, whether or not their webhooks were delivered, and sent again
 * in bulk.
 */
import { type Static, Type } from '@sinclair/typebox';
import { unixSeconds } from '../../../app/invoices/present-invoice.ts';
import { INVOICE_STATUSES, isDelivered } from '../../../domain/invoices/invoice.ts';
import { TOLD_PAYOUT_STATUSES } from '../../../domain/payouts/payout.ts';
import { ok } from '../../../domain/result.ts';
import type { MerchantEvent } from '../../../ports/list-queries.ts';
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
    'Returns the events that webhooks carry, oldest first, also if you have no webhook URL. Store `next_after`, and send it as `after` in the next request. So a receiver catches up after an outage. After you have read a number, no new event has a smaller one.',
  query: {
    after: wholeNumber({
      description: 'Only events with a greater number: the `next_after` of the previous response.',
      absent: 0,
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
    limit: wholeNumber({ description: 'Events per response.', absent: 100, minimum: 1, maximum: 100 }),
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

/** `data` is the body of the webhook, byte for byte. */
function eventText({ seq, type, createdAt, body }: MerchantEvent): string {
  return `{"seq":${seq},"type":"${type}","created_at":${unixSeconds(createdAt)},"data":${body}}`;
}

const STATUSES = [...new Set([...INVOICE_STATUSES.filter(isDelivered), ...TOLD_PAYOUT_STATUSES])];

const replaySchema = Type.Object({
  from: Type.Optional(Moment({ description: 'Earliest event, inclusive. Format: as `date_from` of lists.' })),
  to: Type.Optional(Moment({ description: 'Latest event, inclusive. Format: as `date_to` of lists.' })),
  status: Type.Optional(
    Type.Array(OneOf(STATUSES), {
      minItems: 1,
      maxItems: STATUSES.length,
      description: 'Only these statuses.',
    }),
  ),
  undelivered: Type.Optional(
    Flag({
      description:
        'Only undelivered events: their webhook failed for good, or was never sent because there was no URL.',
    }),
  ),
  after: Type.Optional(
    WholeNumber({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Goes on after this number: the `next_after` of the previous response.',
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
    'Queues the webhooks of your events again, unchanged: with the same `event_seq` and `X-Service-Delivery`. They go to the current URL. An event is skipped if a later event of the same invoice or payout exists, or if its webhook is still queued. It is therefore safe to repeat a call. A call covers 10,000 events: while `has_more` is true, call again with `after`. A second call at the same time is refused with 429.',
  body: replayBody,
  success: {
    status: 200,
    description: 'The number of queued webhooks, and where to go on',
    result: view('Replayed', {
      queued: integer('Webhooks that were queued'),
      next_after: integer('Number of the last event that the call covered'),
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
