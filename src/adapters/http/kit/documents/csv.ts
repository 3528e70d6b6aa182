/**
 * Whole lists as CSV (RFC 4180; decision 0002). Rows are read no faster than the client takes them,
 * so that neither a long list nor a slow client costs memory. A failure cuts the connection, so
 * that no part of a list passes for the whole.
 */
import { type AppError, validationError } from '../../../../domain/errors.ts';
import { err, ok, type Result } from '../../../../domain/result.ts';
import type { Sort } from '../../../../ports/list-queries.ts';
import { headersOf } from '../answer.ts';
import type { ApiContext, Call } from '../call.ts';
import { choice } from '../input/query.ts';

export interface CsvList<Query = unknown> {
  /** The name of the file for browsers, without its ending. */
  readonly name: string;
  readonly columns: readonly string[];
  /** Rows by column. A column that a row lacks is empty. */
  rows(
    call: Pick<Call<Query>, 'caller' | 'query'>,
    context: ApiContext,
  ): Result<AsyncIterable<readonly CsvRow[]>, AppError>;
}

export type CsvRow = Readonly<Record<string, unknown>>;

export const CSV = {
  format: choice(
    '`csv` returns the whole list as `text/csv`, as `Accept: text/csv` does. `page` and `per_page` are then ignored, and `sort` must be `created_at`.',
    ['json', 'csv'],
  ),
} as const;

/** The order of the rows. A CSV is sorted by `created_at` only. */
export function csvOrder({
  sort,
  order,
}: {
  sort: Sort['by'];
  order: Sort['order'];
}): Result<Sort['order'], AppError> {
  if (sort === 'created_at') return ok(order);
  return err(validationError([{ field: 'sort', message: 'must be created_at in a CSV' }]));
}

/** Presents each row of each batch. */
export async function* shown<Row>(
  batches: AsyncIterable<readonly Row[]>,
  show: (row: Row) => CsvRow,
): AsyncGenerator<readonly CsvRow[], void> {
  for await (const batch of batches) yield batch.map(show);
}

/** Whether the client requested CSV: by `format`, or by naming text/csv before JSON in Accept. */
export function wantsCsv(headers: Headers, query: unknown): boolean {
  const { format } = query as { format?: string | null };
  if (format) return format === 'csv';
  const types = (headers.get('accept') ?? '')
    .split(',')
    .map((type) => type.split(';')[0]?.trim().toLowerCase());
  return (
    types.find((type) => type === 'text/csv' || type === 'application/json' || type === '*/*') === 'text/csv'
  );
}

export function csvHeaders({ name }: CsvList, requestId: string): Record<string, string> {
  return {
    ...headersOf(requestId),
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${name}.csv"`,
  };
}

/** Rejects when the first rows cannot be read. Later failures go to `onFailure`. */
export async function csvBody(
  { columns }: Pick<CsvList, 'columns'>,
  rows: AsyncIterable<readonly CsvRow[]>,
  { signal, onFailure }: { signal: AbortSignal; onFailure: (thrown: unknown) => void },
): Promise<ReadableStream<Uint8Array>> {
  const batches = rows[Symbol.asyncIterator]();
  const first = await batches.next();
  let text: string | null = `${csvHead(columns)}${linesOf(first, columns)}`;
  const stop = async (): Promise<void> => void (await batches.return?.());
  signal.addEventListener('abort', () => void stop(), { once: true });
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = text === null ? await batches.next() : null;
        if (next?.done === true) return controller.close();
        controller.enqueue(ENCODER.encode(text ?? (next === null ? '' : linesOf(next, columns))));
        text = null;
      } catch (thrown) {
        onFailure(thrown);
        controller.error(thrown);
      }
    },
    cancel: stop,
  });
}

const ENCODER = new TextEncoder();

function linesOf(batch: IteratorResult<readonly CsvRow[], unknown>, columns: readonly string[]): string {
  return batch.done === true ? '' : csvLines(columns, batch.value);
}

export function csvHead(columns: readonly string[]): string {
  return `${columns.join(',')}\r\n`;
}

export function csvLines<Name extends string>(
  columns: readonly Name[],
  rows: readonly Readonly<Partial<Record<Name, unknown>>>[],
): string {
  return rows.map((row) => `${columns.map((name) => cell(name, row[name])).join(',')}\r\n`).join('');
}

/** A spreadsheet must not read a text as a formula, whoever wrote it. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(name: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return quoted(FORMULA.test(value) ? `'${value}` : value);
  if (typeof value === 'number') return name.endsWith('_at') ? isoTime(value) : String(value);
  if (Array.isArray(value)) return quoted(value.join(' '));
  return quoted(JSON.stringify(value));
}

function isoTime(seconds: number): string {
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
