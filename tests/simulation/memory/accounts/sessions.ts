import type {
  PasskeyRepository,
  RecoveryCodeRepository,
  SessionRepository,
} from '../../../../src/ports/accounts/sign-in-repositories.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function sessionRepository(_store: MemoryStore): SessionRepository {
  return notYet('sessionRepository');
}

export function passkeyRepository(_store: MemoryStore): PasskeyRepository {
  return notYet('passkeyRepository');
}

export function recoveryCodeRepository(_store: MemoryStore): RecoveryCodeRepository {
  return notYet('recoveryCodeRepository');
}
