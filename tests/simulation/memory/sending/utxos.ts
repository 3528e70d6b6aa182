import type { UtxoRepository } from '../../../../src/ports/sending/utxo-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function utxoRepository(_store: MemoryStore): UtxoRepository {
  return notYet('utxoRepository');
}
