import type { ApprovalRepository } from '../../../../src/ports/accounts/approvals.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function approvalRepository(_store: MemoryStore): ApprovalRepository {
  return notYet('approvalRepository');
}
