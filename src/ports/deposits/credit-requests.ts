/** Merchants' requests to credit unmatched deposits. */
import type { CreditRequest } from '../../domain/deposits/credit-request.ts';
import type { Deposit } from '../../domain/deposits/deposit.ts';
import type { Page, PageRequest, Scope } from '../list-queries.ts';

/** Inside UnitOfWork.run only. */
export interface CreditRequestRepository {
  /** False if the deposit has an open request. */
  insertIfAbsent(request: CreditRequest): Promise<boolean>;
  lock(id: string): Promise<CreditRequest | null>;
  /** The deposit's open request. */
  lockOpen(depositId: string): Promise<CreditRequest | null>;
  save(request: CreditRequest): Promise<void>;
}

export interface RequestedCredit {
  readonly request: CreditRequest;
  readonly deposit: Deposit;
}

export interface CreditRequestQueries {
  creditRequest(id: string): Promise<CreditRequest | null>;
  /** A merchant's, newest first, whatever became of them. */
  creditRequests(scope: Scope, page: PageRequest): Promise<Page<RequestedCredit>>;
  /** The operator's queue: open requests of deposits that are unmatched still, oldest first. */
  creditQueue(page: PageRequest): Promise<Page<RequestedCredit>>;
}
