import type { AuditRepository } from '../../../../src/ports/audit/audit-log.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function auditRepository(_store: MemoryStore): AuditRepository {
  return notYet('auditRepository');
}
