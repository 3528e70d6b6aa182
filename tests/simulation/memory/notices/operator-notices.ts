import type { OperatorNoticeRepository } from '../../../../src/ports/notices/operator-notice-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function operatorNoticeRepository(_store: MemoryStore): OperatorNoticeRepository {
  return notYet('operatorNoticeRepository');
}
