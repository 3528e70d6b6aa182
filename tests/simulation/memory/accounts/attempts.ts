import type {
  CeremonyRepository,
  SignInAttemptRepository,
} from '../../../../src/ports/accounts/sign-in-repositories.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function signInAttemptRepository(_store: MemoryStore): SignInAttemptRepository {
  return notYet('signInAttemptRepository');
}

export function ceremonyRepository(_store: MemoryStore): CeremonyRepository {
  return notYet('ceremonyRepository');
}
