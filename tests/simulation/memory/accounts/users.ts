import type {
  InvitationRepository,
  MembershipRepository,
  UserRepository,
} from '../../../../src/ports/accounts/account-repositories.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function userRepository(_store: MemoryStore): UserRepository {
  return notYet('userRepository');
}

export function membershipRepository(_store: MemoryStore): MembershipRepository {
  return notYet('membershipRepository');
}

export function invitationRepository(_store: MemoryStore): InvitationRepository {
  return notYet('invitationRepository');
}
