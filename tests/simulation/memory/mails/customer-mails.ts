import type { CustomerMailRepository } from '../../../../src/ports/mails/customer-mail-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function customerMailRepository(_store: MemoryStore, _sendsMails: boolean): CustomerMailRepository {
  return notYet('customerMailRepository');
}
