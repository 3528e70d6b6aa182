/** /api/v2/events: all that the merchant is told of, in order, whether or not a webhook came through. */
import { Type } from '@sinclair/typebox';
import { unixSeconds } from '../../../app/present-invoice.ts';
import { ok } from '../../../domain/result.ts';
import type { MerchantEvent } from '../../../ports/queries.ts';
import { JsonText } from '../answer.ts';
import { wholeNumber } from '../query.ts';
import { route } from '../route.ts';
import { EVENT_EXAMPLES, EventSchema } from './event-view.ts';

const list = route({
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

export const EVENT_ROUTES = [list];
