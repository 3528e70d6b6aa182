/** Merchants' requests to credit unmatched deposits, in memory, with the deposits. */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import { depositFromRow } from '../../../../src/adapters/postgres/deposits/deposit-row.ts';
import type { CreditRequest } from '../../../../src/domain/deposits/credit-request.ts';
import type {
  CreditRequestQueries,
  CreditRequestRepository,
  RequestedCredit,
} from '../../../../src/ports/deposits/credit-requests.ts';
import type { Page, PageRequest } from '../../../../src/ports/list-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';

export function creditRequestRepository({ tables }: MemoryStore): CreditRequestRepository {
  const { creditRequests } = tables;
  return {
    insertIfAbsent: async (request) => creditRequests.insertUnlessThere(request) !== null,
    lock: async (id) => creditRequests.find(id) ?? null,
    lockOpen: async (depositId) =>
      creditRequests.by('depositId', depositId).find(({ status }) => status === 'requested') ?? null,
    async save({ id, status, decidedBy, answer, decidedAt }) {
      const row = creditRequests.find(id);
      const there = theOnly(row ? [row] : [], `save of credit request ${id}`);
      creditRequests.update(there, { status, decidedBy, answer, decidedAt });
    },
  };
}

export function creditRequestQueries({ tables }: MemoryStore): CreditRequestQueries {
  const { creditRequests, deposits } = tables;
  const pageOf = (all: readonly CreditRequest[], { page, perPage }: PageRequest): Page<RequestedCredit> => ({
    rows: all.slice((page - 1) * perPage, page * perPage).flatMap((request) => {
      const deposit = deposits.find(request.depositId);
      return deposit === undefined ? [] : [{ request, deposit: depositFromRow(deposit) }];
    }),
    total: all.length,
  });
  return {
    creditRequest: async (id) => creditRequests.find(id) ?? null,
    creditRequests: async ({ merchantId, sandbox }, page) =>
      pageOf(
        creditRequests
          .where((row) => row.merchantId === merchantId && row.sandbox === sandbox)
          .sort((a, b) => oldestFirst(b, a)),
        page,
      ),
    creditQueue: async (page) =>
      pageOf(
        creditRequests
          .where((row) => row.status === 'requested' && deposits.find(row.depositId)?.status === 'stray')
          .sort(oldestFirst),
        page,
      ),
  };
}

function oldestFirst(a: CreditRequest, b: CreditRequest): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || byText(a.id, b.id);
}
