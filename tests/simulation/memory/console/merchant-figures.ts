import type { DayFigureRepository } from '../../../../src/ports/console/merchant-figures.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function dayFigureRepository(_store: MemoryStore): DayFigureRepository {
  return notYet('dayFigureRepository');
}
