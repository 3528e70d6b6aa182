/** The wallet that the database belongs to (safety.md K1, K2). */
import { sql } from 'drizzle-orm';
import { check, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { Family } from '../../../domain/catalog/family.ts';
import { instant, isFamily } from './columns.ts';

/**
 * One row per family of the wallet's keys, and those of replaced wallets (`bun run wallet
 * replace`).
 */
export const walletKeys = pgTable(
  'wallet_keys',
  {
    family: text('family').$type<Family>().notNull(),
    /** SHA-256 of the public key (adapters/signer/key-fingerprints.ts). */
    fingerprint: text('fingerprint').notNull(),
    notedAt: instant('noted_at').notNull(),
    replacedAt: instant('replaced_at'),
  },
  (t) => [
    primaryKey({ columns: [t.family, t.fingerprint] }),
    uniqueIndex('wallet_keys_one_wallet').on(t.family).where(sql`${t.replacedAt} is null`),
    check('wallet_keys_family', isFamily(t.family)),
    check('wallet_keys_fingerprint', sql`${t.fingerprint} ~ '^[0-9a-f]{64}$'`),
  ],
);
