/** Sessions, passkeys and recovery codes in memory. */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import type { Passkey } from '../../../../src/ports/accounts/credentials.ts';
import type {
  PasskeyRepository,
  RecoveryCodeRepository,
  SessionRepository,
} from '../../../../src/ports/accounts/sign-in-repositories.ts';
import { check } from '../store/checks.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { checkPasskey, isHash, isId, sessionOf } from './account-rows.ts';

export function sessionRepository(store: MemoryStore): SessionRepository {
  const { sessions, ceremonies } = store.tables;
  const isToken = (hash: string): void => check('sessions_token_hash', isHash(hash));
  const end = (rows: ReturnType<typeof sessions.by>): number => {
    for (const row of rows) {
      for (const awaited of ceremonies.by('sessionId', row.id)) ceremonies.delete(awaited);
      sessions.delete(row);
    }
    return rows.length;
  };
  return {
    async insert({ tokenHash, ...session }) {
      check('sessions_id', isId(session.id));
      isToken(tokenHash);
      sessions.insert({ ...sessionOf(session), tokenHash });
    },

    async replaceToken(id, { tokenHash, secondFactorAt }) {
      const row = sessions.find(id);
      if (row === undefined) return false;
      isToken(tokenHash);
      sessions.update(row, { tokenHash, secondFactorAt });
      return true;
    },

    async seen(id, at) {
      const row = sessions.find(id);
      if (row !== undefined && row.lastSeenAt < at) sessions.update(row, { lastSeenAt: at });
    },

    async end(userId, id) {
      const row = sessions.find(id);
      return row?.userId === userId && end([row]) === 1;
    },

    endAll: async (userId, but) => end(sessions.by('userId', userId).filter(({ id }) => id !== but)),

    async forgetSecondFactor(userId) {
      for (const row of sessions.by('userId', userId)) sessions.update(row, { secondFactorAt: null });
    },

    purge: async ({ createdAt, lastSeenAt }, limit) =>
      end(sessions.where((row) => row.createdAt < createdAt || row.lastSeenAt < lastSeenAt).slice(0, limit)),
  };
}

export function passkeyRepository(store: MemoryStore): PasskeyRepository {
  const { passkeys } = store.tables;
  return {
    async insert(passkey) {
      checkPasskey(passkey);
      return passkeys.insertUnlessThere({ ...passkey, transports: [...passkey.transports] }) !== null;
    },
    lock: async (credentialId) => passkeys.find(credentialId) ?? null,
    of: async (userId) => passkeysOf(store, userId),
    async used(credentialId, { signCount, at }) {
      const row = passkeys.find(credentialId);
      passkeys.update(theOnly(row === undefined ? [] : [row], `use of passkey ${credentialId}`), {
        ...{ signCount, lastUsedAt: at },
      });
    },
    async remove(userId, credentialId) {
      const rows = passkeys
        .by('userId', userId)
        .filter((row) => credentialId === null || row.credentialId === credentialId);
      for (const row of rows) passkeys.delete(row);
      return rows.length;
    },
  };
}

/** Oldest first. */
export function passkeysOf({ tables }: MemoryStore, userId: string): readonly Passkey[] {
  return tables.passkeys
    .by('userId', userId)
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || byText(a.credentialId, b.credentialId));
}

export function recoveryCodeRepository(store: MemoryStore): RecoveryCodeRepository {
  const { recoveryCodes } = store.tables;
  return {
    async replace(userId, codeHashes) {
      for (const row of recoveryCodes.by('userId', userId)) recoveryCodes.delete(row);
      for (const codeHash of codeHashes) {
        check('recovery_codes_code_hash', isHash(codeHash));
        recoveryCodes.insert({ userId, codeHash });
      }
    },
    async use(userId, codeHash, at) {
      const row = recoveryCodes.find(userId, codeHash);
      if (row === undefined || row.usedAt !== null) return false;
      recoveryCodes.update(row, { usedAt: at });
      return true;
    },
  };
}
