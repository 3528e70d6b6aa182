/** Requests to credit unmatched deposits, as they are stored, listed and queued. */
import { describe, expect, test } from 'bun:test';
import { type CreditRequest, decidedRequest } from '../../../src/domain/deposits/credit-request.ts';
import type { Deposit } from '../../../src/domain/deposits/deposit.ts';
import type { CreditRequestQueries } from '../../../src/ports/deposits/credit-requests.ts';
import type { Scope } from '../../../src/ports/list-queries.ts';
import { aDeposit, anId, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export interface OpenedCreditRequests extends Opened {
  readonly consoleQueries: CreditRequestQueries;
}

const PAGE = { page: 1, perPage: 10 };

export function describeCreditRequests(name: string, open: () => Promise<OpenedCreditRequests>): void {
  describe(`${name}: credit requests`, () => {
    const storage = openedFor(open);
    const aRequest = ({ id: depositId, merchantId, sandbox }: Deposit, seconds = 0): CreditRequest => ({
      ...{ id: anId(), merchantId, sandbox, depositId, status: 'requested', requestedBy: 'Ann' },
      ...{ reason: 'It was for order 7', decidedBy: null, answer: null },
      ...{ createdAt: secondsAfter(seconds), decidedAt: null },
    });
    const stored = async (scope: Scope, given: Partial<Deposit> = {}) => {
      const deposit = aDeposit({ ...scope, status: 'stray', ...given });
      await storage.run((r) => r.deposits.insertAll([deposit]));
      return deposit;
    };

    test('a deposit has one open request, and another once that was decided', async () => {
      const { id: merchantId } = await storage.merchant();
      const scope = { merchantId, sandbox: false };
      const deposit = await stored(scope);
      const [first, second] = [aRequest(deposit), aRequest(deposit, 1)];
      const insert = (request: CreditRequest) => storage.run((r) => r.creditRequests.insertIfAbsent(request));
      expect([await insert(first), await insert(second)]).toEqual([true, false]);
      const decision = {
        status: 'declined',
        by: 'Olga',
        answer: 'Whose is it?',
        at: secondsAfter(9),
      } as const;
      const declined = decidedRequest(first, decision);
      if (declined === null) throw new Error('it is open');
      expect(decidedRequest(declined, decision)).toBeNull();
      await storage.run((r) => r.creditRequests.save(declined));
      expect(await insert(second)).toBe(true);
      const queries = storage.ports().consoleQueries;
      expect(await queries.creditRequest(first.id)).toEqual(declined);
      expect(await storage.run((r) => r.creditRequests.lock(first.id))).toEqual(declined);
      expect(await storage.run((r) => r.creditRequests.lockOpen(deposit.id))).toEqual(second);
      expect(await queries.creditRequests(scope, PAGE)).toEqual({
        rows: [second, declined].map((request) => ({ request, deposit })),
        total: 2,
      });
      expect(await queries.creditRequests({ ...scope, sandbox: true }, PAGE)).toEqual({ rows: [], total: 0 });
    });

    test('the queue has open requests of unmatched deposits, oldest first', async () => {
      const { id: merchantId } = await storage.merchant();
      const scope = { merchantId, sandbox: true };
      const [late, early, gone] = [await stored(scope), await stored(scope), await stored(scope)];
      const requests = [aRequest(late, -50), aRequest(early, -100), aRequest(gone, -70)];
      await storage.run(async (r) => {
        for (const request of requests) await r.creditRequests.insertIfAbsent(request);
        await r.deposits.save({ ...gone, status: 'reversed', block: null });
      });
      const queries = storage.ports().consoleQueries;
      const { rows, total } = await queries.creditQueue({ page: 1, perPage: 2 });
      expect(rows.map(({ deposit }) => deposit.id)).toEqual([early.id, late.id]);
      expect((await queries.creditQueue({ page: 2, perPage: 2 })).rows).toHaveLength(total - 2);
    });
  });
}
