import type { OutgoingRepository } from '../../../../src/ports/sending/outgoing-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function outgoingRepository(_store: MemoryStore): OutgoingRepository {
  return notYet('outgoingRepository');
}
