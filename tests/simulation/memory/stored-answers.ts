import type { StoredAnswerRepository, StoredAnswers } from '../../../src/ports/stored-answers.ts';
import type { MemoryStore } from './store/memory-store.ts';
import { notYet } from './store/not-yet.ts';

export function storedAnswerRepository(_store: MemoryStore): StoredAnswerRepository {
  return notYet('storedAnswerRepository');
}

export function storedAnswers(_store: MemoryStore): StoredAnswers {
  return notYet('storedAnswers');
}
