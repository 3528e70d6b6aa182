/** Merchants' requests to credit unmatched deposits, with the deposits. */
import { getTableColumns, sql } from 'drizzle-orm';
import type {
  CreditRequestQueries,
  CreditRequestRepository,
} from '../../../ports/deposits/credit-requests.ts';
import type { PageRequest } from '../../../ports/list-queries.ts';
import type { Reads } from '../client/client.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { deposits as d } from '../schema/addresses.ts';
import { equals } from '../schema/columns.ts';
import { creditRequests as c } from '../schema/console/credit-requests.ts';
import { type RowOf, statement } from '../statement.ts';
import { insertInto, listOf, updateById, value } from '../statement-parts.ts';
import { DEPOSIT, depositFromRow } from './deposit-row.ts';

const REQUEST = getTableColumns(c);

const INSERT = statement({
  given: REQUEST,
  selects: { id: c.id },
  text: (values, select) => sql`${insertInto(c, values)} on conflict do nothing returning ${select}`,
});
const FIND = statement({
  given: { id: c.id },
  selects: REQUEST,
  text: ({ id }, select) => sql`select ${select} from ${c} where ${c.id} = ${id}`,
});
const LOCK = statement({
  given: { id: c.id },
  selects: REQUEST,
  text: ({ id }, select) => sql`select ${select} from ${c} where ${c.id} = ${id} for no key update`,
});
const LOCK_OPEN = statement({
  given: { depositId: c.depositId },
  selects: REQUEST,
  text: ({ depositId }, select) => sql`
    select ${select} from ${c} where ${c.depositId} = ${depositId} and ${equals(c.status, 'requested')}
    for no key update`,
});
const SAVE = statement({
  given: { id: c.id, status: c.status, decidedBy: c.decidedBy, answer: c.answer, decidedAt: c.decidedAt },
  selects: { id: c.id },
  text: (given, select) => updateById(c, given, select),
});

export function creditRequestRepository(on: Sql): CreditRequestRepository {
  return {
    insertIfAbsent: async (request) => (await INSERT(on, request)).length === 1,
    lock: async (id) => (await LOCK(on, { id }))[0] ?? null,
    lockOpen: async (depositId) => (await LOCK_OPEN(on, { depositId }))[0] ?? null,
    async save(request) {
      theOnly(await SAVE(on, request), `save of credit request ${request.id}`);
    },
  };
}

const CUT = { limit: value<number>('bigint'), offset: value<number>('bigint') };
const ROWS = { rows: sql`count(*)`.mapWith(Number) };
const OF_MERCHANT = statement({
  given: { merchantId: c.merchantId, sandbox: c.sandbox, ...CUT },
  selects: REQUEST,
  text: ({ merchantId, sandbox, limit, offset }, select) => sql`
    select ${select} from ${c} where ${c.merchantId} = ${merchantId} and ${c.sandbox} = ${sandbox}
    order by ${c.createdAt} desc, ${c.id} desc limit ${limit} offset ${offset}`,
});
const COUNT_OF_MERCHANT = statement({
  given: { merchantId: c.merchantId, sandbox: c.sandbox },
  selects: ROWS,
  text: ({ merchantId, sandbox }, select) =>
    sql`select ${select} from ${c} where ${c.merchantId} = ${merchantId} and ${c.sandbox} = ${sandbox}`,
});
const OPEN = sql`${equals(c.status, 'requested')}
  and exists (select from ${d} where ${d.id} = ${c.depositId} and ${equals(d.status, 'stray')})`;
const QUEUE = statement({
  given: CUT,
  selects: REQUEST,
  text: ({ limit, offset }, select) => sql`
    select ${select} from ${c} where ${OPEN} order by ${c.createdAt}, ${c.id} limit ${limit} offset ${offset}`,
});
const COUNT_QUEUE = statement({
  selects: ROWS,
  text: (_given, select) => sql`select ${select} from ${c} where ${OPEN}`,
});
const DEPOSITS = statement({
  given: { ids: listOf(d.id) },
  selects: DEPOSIT,
  text: ({ ids }, select) => sql`select ${select} from ${d} where ${d.id} = any (${ids})`,
});

export function creditRequestQueries(lists: Reads): CreditRequestQueries {
  const cut = ({ page, perPage }: PageRequest) => ({ limit: perPage, offset: (page - 1) * perPage });
  const withDeposits = async (on: Sql, requests: readonly RowOf<typeof REQUEST>[]) => {
    const rows = await DEPOSITS(on, { ids: requests.map(({ depositId }) => depositId) });
    const byId = new Map(rows.map((row) => [row.id, depositFromRow(row)]));
    return requests.flatMap((request) => {
      const deposit = byId.get(request.depositId);
      return deposit === undefined ? [] : [{ request, deposit }];
    });
  };
  return {
    creditRequest: async (id) => (await FIND(lists, { id }))[0] ?? null,
    creditRequests: ({ merchantId, sandbox }, page) =>
      lists.snapshot(async (on) => ({
        rows: await withDeposits(on, await OF_MERCHANT(on, { merchantId, sandbox, ...cut(page) })),
        total: theOnly(await COUNT_OF_MERCHANT(on, { merchantId, sandbox }), 'a count').rows,
      })),
    creditQueue: (page) =>
      lists.snapshot(async (on) => ({
        rows: await withDeposits(on, await QUEUE(on, cut(page))),
        total: theOnly(await COUNT_QUEUE(on), 'a count').rows,
      })),
  };
}
