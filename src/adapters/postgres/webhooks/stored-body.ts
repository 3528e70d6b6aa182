/** The body of an event as its table keeps it: packed, and without the event's number. */
import { type SQL, sql } from 'drizzle-orm';
import { unpacked } from '../client/packed-text.ts';
import type { webhookDeliveries as d } from '../schema/webhooks.ts';

/** Null for events from before the packed form, whose `body` is whole. */
type Kept = Pick<typeof d.$inferSelect, 'body' | 'packedBody'>;

/** With the event's number as its last field. */
export function bodyOf({ body, packedBody }: Kept, eventSeq: number | bigint | null): string {
  if (packedBody !== null) return `${packedBody.slice(0, -1)},"event_seq":${eventSeq}}`;
  if (body === null) throw new Error('a webhook has no body');
  return body;
}

/** The same of what is still packed; null if it is damaged. */
export function readableBodyOf(
  { body, packedBody }: { readonly body: string | null; readonly packedBody: Uint8Array | null },
  eventSeq: number | null,
): string | null {
  let text: string | null = null;
  try {
    text = packedBody === null ? null : unpacked(packedBody);
  } catch {
    return null;
  }
  return bodyOf({ body, packedBody: text }, eventSeq);
}

/** What the body says of its subject: a column of its own since bodies are packed. */
export function toldIn(body: string): {
  readonly toldStatus: string | null;
  readonly toldEvent: string | null;
} {
  const { status, event } = JSON.parse(body) as { readonly status?: unknown; readonly event?: unknown };
  return {
    toldStatus: typeof status === 'string' ? status : null,
    toldEvent: typeof event === 'string' ? event : null,
  };
}

type Columns = Readonly<Record<'body' | 'toldStatus' | 'toldEvent' | 'payoutId', unknown>>;

/** The status that it reports. */
export function statusTold({ body, toldStatus }: Pick<Columns, 'body' | 'toldStatus'>): SQL<string> {
  return sql<string>`coalesce(${toldStatus}, ${body}::json ->> 'status')`;
}

/** `invoice.success`, for example. The body of a payout or refund names its event. */
export function eventTold(columns: Columns): SQL<string> {
  const { body, toldEvent, payoutId } = columns;
  return sql<string>`coalesce(${toldEvent}, ${body}::json ->> 'event',
    case when ${payoutId} is null then 'invoice.' else 'payout.' end || ${statusTold(columns)})`;
}
