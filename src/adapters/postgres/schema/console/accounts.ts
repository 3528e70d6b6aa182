/**
 * Users of the console, with what they prove themselves by. Passwords are argon2id hashes; tokens,
 * recovery codes and what is counted are keyed hashes of the vault; the secrets of one-time codes
 * are sealed. So nobody can sign in with what is in these tables.
 */
import { type SQL, sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { CEREMONY_KINDS, type CeremonyKind } from '../../../../domain/accounts/ceremony.ts';
import {
  MERCHANT_ROLES,
  type MerchantRole,
  OPERATOR_ROLES,
  type OperatorRole,
} from '../../../../domain/accounts/role.ts';
import {
  EMAIL_LENGTH_MAX,
  INVITATION_KINDS,
  type InvitationKind,
  MERCHANT_NAME_LENGTH_MAX,
  NAME_LENGTH_MAX,
  USER_STATUSES,
  type UserStatus,
} from '../../../../domain/accounts/user.ts';
import { bytes, instant, isId, literals, notNegative, oneOf, units } from '../columns.ts';
import { merchants } from '../merchants.ts';

/** HMAC-SHA256 in hex. */
function isHash(column: AnyPgColumn): SQL {
  return sql`${column} ~ '^[0-9a-f]{64}$'`;
}

/** Printable ASCII in lower case (domain/accounts/user.ts, normalizedEmail). */
function isEmail(column: AnyPgColumn): SQL {
  const part = sql.raw('[!#-:=?[-~]+');
  return sql`${column} ~ '^${part}@${part}[.]${part}$' and char_length(${column}) <= ${sql.raw(String(EMAIL_LENGTH_MAX))}`;
}

const nameLength = sql.raw(String(NAME_LENGTH_MAX));

export const users = pgTable(
  'users',
  {
    id: text('id').primaryKey(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    status: text('status').$type<UserStatus>().notNull(),
    operatorRole: text('operator_role').$type<OperatorRole>(),
    /** For the foreign key of memberships: an operator has none. */
    isOperator: boolean('is_operator').notNull().generatedAlwaysAs(sql`operator_role is not null`),
    passwordHash: text('password_hash').notNull(),
    /** The secret of one-time codes, sealed. */
    codesSealed: text('codes_sealed'),
    /** The time step of the last code that was taken: none is taken twice. */
    codesStep: integer('codes_step'),
    /** Of an operator: who let them in (domain/accounts/sponsors.ts). */
    sponsors: text('sponsors').array().notNull().default([]),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('users_email').on(t.email),
    unique('users_side').on(t.id, t.isOperator),
    check('users_id', isId(t.id)),
    check('users_email_form', isEmail(t.email)),
    check('users_name', sql`char_length(${t.name}) between 1 and ${nameLength}`),
    check('users_status', oneOf(t.status, USER_STATUSES)),
    check('users_operator_role', oneOf(t.operatorRole, OPERATOR_ROLES)),
    check('users_password', sql`${t.passwordHash} like '$argon2id$%'`),
    check('users_codes', sql`${t.codesSealed} is not null or ${t.codesStep} is null`),
  ],
);

export const memberships = pgTable(
  'memberships',
  {
    userId: text('user_id').notNull(),
    merchantId: text('merchant_id')
      .notNull()
      .references(() => merchants.id),
    role: text('role').$type<MerchantRole>().notNull(),
    refundLimitMicroUsd: units('refund_limit_micro_usd'),
    /** Who let them in (domain/accounts/sponsors.ts). */
    sponsors: text('sponsors').array().notNull().default([]),
    isOperator: boolean('is_operator').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.merchantId] }),
    foreignKey({
      name: 'memberships_no_operator',
      columns: [t.userId, t.isOperator],
      foreignColumns: [users.id, users.isOperator],
    }),
    index('memberships_of_merchant').on(t.merchantId),
    check('memberships_role', oneOf(t.role, MERCHANT_ROLES)),
    check('memberships_refund_limit', notNegative(t.refundLimitMicroUsd)),
    check('memberships_is_operator', sql`not ${t.isOperator}`),
  ],
);

export const sessions = pgTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    tokenHash: text('token_hash').notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    secondFactorAt: instant('second_factor_at'),
    ip: text('ip'),
    userAgent: text('user_agent'),
    createdAt: instant('created_at').notNull(),
    lastSeenAt: instant('last_seen_at').notNull(),
  },
  (t) => [
    uniqueIndex('sessions_token').on(t.tokenHash),
    index('sessions_of_user').on(t.userId),
    check('sessions_id', isId(t.id)),
    check('sessions_token_hash', isHash(t.tokenHash)),
  ],
);

export const invitations = pgTable(
  'invitations',
  {
    id: text('id').primaryKey(),
    tokenHash: text('token_hash').notNull(),
    kind: text('kind').$type<InvitationKind>().notNull(),
    email: text('email').notNull(),
    merchantId: text('merchant_id').references(() => merchants.id),
    merchantName: text('merchant_name'),
    role: text('role').$type<MerchantRole | OperatorRole>(),
    refundLimitMicroUsd: units('refund_limit_micro_usd'),
    invitedBy: text('invited_by').references(() => users.id),
    expiresAt: instant('expires_at').notNull(),
    acceptedAt: instant('accepted_at'),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('invitations_token').on(t.tokenHash),
    index('invitations_of_email').on(t.email),
    index('invitations_of_merchant').on(t.merchantId),
    index('invitations_by_inviter').on(t.invitedBy),
    index('invitations_expire').on(t.expiresAt),
    check('invitations_id', isId(t.id)),
    check('invitations_token_hash', isHash(t.tokenHash)),
    check('invitations_kind', oneOf(t.kind, INVITATION_KINDS)),
    check('invitations_email_form', isEmail(t.email)),
    check(
      'invitations_role',
      sql`case when ${t.kind} <> 'invitation' then ${t.role} is null and ${t.merchantId} is null
        when ${t.merchantId} is null then coalesce(${t.role} in (${literals(OPERATOR_ROLES)}), false)
        else coalesce(${t.role} in (${literals(MERCHANT_ROLES)}), false) end`,
    ),
    check(
      'invitations_merchant_name',
      sql`(${t.merchantName} is not null) = (${t.kind} = 'registration')
        and char_length(${t.merchantName}) between 1 and ${sql.raw(String(MERCHANT_NAME_LENGTH_MAX))}`,
    ),
    check(
      'invitations_refund_limit',
      sql`${notNegative(t.refundLimitMicroUsd)} and (${t.refundLimitMicroUsd} is null or ${t.merchantId} is not null)`,
    ),
  ],
);

export const passkeys = pgTable(
  'passkeys',
  {
    credentialId: text('credential_id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    publicKey: bytes('public_key').notNull(),
    signCount: bigint('sign_count', { mode: 'number' }).notNull(),
    transports: text('transports').array().notNull(),
    name: text('name').notNull(),
    createdAt: instant('created_at').notNull(),
    lastUsedAt: instant('last_used_at'),
  },
  (t) => [
    index('passkeys_of_user').on(t.userId),
    check(
      'passkeys_credential_id',
      sql`${t.credentialId} ~ '^[A-Za-z0-9_-]+$' and char_length(${t.credentialId}) <= 1366`,
    ),
    check('passkeys_public_key', sql`octet_length(${t.publicKey}) between 1 and 4096`),
    check('passkeys_sign_count', sql`${t.signCount} >= 0`),
    check('passkeys_name', sql`char_length(${t.name}) between 1 and ${nameLength}`),
  ],
);

export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    codeHash: text('code_hash').notNull(),
    usedAt: instant('used_at'),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.codeHash] }),
    check('recovery_codes_code_hash', isHash(t.codeHash)),
  ],
);

/** Tries that are counted, by a keyed hash of what they were at: no typed address is stored. */
export const signInAttempts = pgTable(
  'sign_in_attempts',
  {
    key: text('key').primaryKey(),
    failures: integer('failures').notNull(),
    lastAt: instant('last_at').notNull(),
  },
  (t) => [
    index('sign_in_attempts_by_age').on(t.lastAt),
    check('sign_in_attempts_key', isHash(t.key)),
    check('sign_in_attempts_failures', sql`${t.failures} >= 0`),
  ],
);

/** Networks from which a user has signed in, by their keyed hashes. */
export const knownNetworks = pgTable(
  'known_networks',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    network: text('network').notNull(),
    lastAt: instant('last_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.network] }),
    index('known_networks_by_age').on(t.lastAt),
    check('known_networks_network', isHash(t.network)),
  ],
);

/** What was begun and awaits an answer, within minutes. */
export const ceremonies = pgTable(
  'ceremonies',
  {
    /** A keyed hash of what names it. */
    key: text('key').primaryKey(),
    kind: text('kind').$type<CeremonyKind>().notNull(),
    sessionId: text('session_id').references(() => sessions.id, { onDelete: 'cascade' }),
    /** Sealed; null where only that it was used is of interest. */
    sealed: text('sealed'),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    index('ceremonies_of_session').on(t.sessionId),
    index('ceremonies_expire').on(t.expiresAt),
    check('ceremonies_key', isHash(t.key)),
    check('ceremonies_kind', oneOf(t.kind, CEREMONY_KINDS)),
    check(
      'ceremonies_of',
      sql`(${t.sessionId} is null) = (${t.kind} = 'sign_in') and (${t.sealed} is null) = (${t.kind} = 'sign_in')`,
    ),
  ],
);
