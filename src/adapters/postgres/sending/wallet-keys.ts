/** The fingerprints by which a database knows its wallet, and what shows whether it ever had one. */
import type { Family } from '../../../domain/catalog/family.ts';
import type { KeyFingerprint } from '../../../domain/chains/wallet-keys.ts';
import type { Database } from '../client/client.ts';
import { otherSessions } from '../client/other-sessions.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { type ReplacedWallet, replaceWallet } from './replace-wallet.ts';

export interface WalletKeys {
  /** Runs `work` while no other process decides which wallet the database belongs to. It may run more than once. */
  holding<T>(work: (held: HeldWalletKeys) => Promise<T>): Promise<T>;
  /** The same for putting another wallet in the place of the one that is noted, which may take minutes. */
  replacing<T>(work: (held: ReplaceableWalletKeys) => Promise<T>): Promise<T>;
}

export interface HeldWalletKeys {
  /** Of the present wallet; empty where the database knows none yet. */
  noted(): Promise<readonly KeyFingerprint[]>;
  note(keys: readonly KeyFingerprint[], at: Date): Promise<void>;
  /** Whether a service was started on the database before: there is a merchant then, or an address. */
  isUsed(): Promise<boolean>;
  /** Up to three addresses of each family, of the highest indexes that were given out or derived ahead. None that were made up. */
  sampleAddresses(): Promise<readonly SampledAddress[]>;
}

export interface SampledAddress {
  readonly family: Family;
  readonly index: number;
  /** Normalized. */
  readonly address: string;
}

export interface ReplaceableWalletKeys extends HeldWalletKeys {
  /** Of processes that use the database meanwhile. */
  otherSessions(): Promise<number>;
  /** Puts `keys` in the place of those of their families (replace-wallet.ts). */
  replace(keys: readonly KeyFingerprint[], at: Date): Promise<ReplacedWallet>;
}

/** An arbitrary key that no other advisory lock of ours uses. */
const LOCK_KEY = 7_301_462_096n;
/** Making a wallet takes part of a second, and there may be a queue of processes that start. */
const TIMEOUT_MS = 60_000;
const REPLACING_TIMEOUT_MS = 600_000;

const NOTED = 'select family, fingerprint from wallet_keys where replaced_at is null order by family';
const NOTE = `
  insert into wallet_keys (family, fingerprint, noted_at)
  select family, fingerprint, $3 from unnest($1::text[], $2::text[]) as k (family, fingerprint)`;
const IS_USED = 'select exists (select from merchants) or exists (select from addresses) as used';
const SAMPLE = `
  select family, derivation_index, address from (
    select family, derivation_index, address,
      row_number() over (partition by family order by derivation_index desc) as place
    from (
      select family, derivation_index, address from addresses where deriver = family
      union select family, derivation_index, address from derived_addresses) as known) as latest
  where place <= 3`;

export function postgresWalletKeys(database: Database): WalletKeys {
  const locked = <T>(timeoutMs: number, work: (sql: Sql) => Promise<T>): Promise<T> =>
    database.transaction(
      async (sql) => {
        await sql.script(`set local idle_in_transaction_session_timeout = ${timeoutMs}`);
        await sql.query('select pg_advisory_xact_lock($1)', [LOCK_KEY]);
        return work(sql);
      },
      { timeoutMs },
    );
  return {
    holding: (work) => locked(TIMEOUT_MS, (sql) => work(heldOn(sql))),
    replacing: (work) =>
      locked(REPLACING_TIMEOUT_MS, (sql) =>
        work({
          ...heldOn(sql),
          otherSessions: () => otherSessions(sql),
          replace: (keys, at) => replaceWallet(sql, keys, at),
        }),
      ),
  };
}

function heldOn(sql: Sql): HeldWalletKeys {
  return {
    noted: () => notedKeys(sql),
    async note(keys, at) {
      const families = keys.map(({ family }) => family);
      await sql.query(NOTE, [families, keys.map(({ fingerprint }) => fingerprint), at]);
    },
    isUsed: async () =>
      theOnly(await sql.query<{ used: boolean }>(IS_USED), 'whether the database is used').used,
    async sampleAddresses() {
      type Row = { family: Family; derivation_index: string; address: string };
      const rows = await sql.query<Row>(SAMPLE);
      return rows.map(({ family, derivation_index, address }) => ({
        ...{ family, address },
        index: Number(derivation_index),
      }));
    },
  };
}

function notedKeys(sql: Sql): Promise<readonly KeyFingerprint[]> {
  return sql.query<KeyFingerprint>(NOTED);
}

const TABLES = `select to_regclass('wallet_keys') is not null as noted, to_regclass('payouts') is not null as migrated`;
const HAS_SENT = 'select exists (select from payouts) or exists (select from outgoing_transfers) as used';

/**
 * As much as the signer's role may see (`select` on wallet_keys, payouts and outgoing_transfers): nothing is noted, and nothing
 * was sent, on a database that no other process has migrated yet.
 */
export async function walletSeenBySigner(
  sql: Sql,
): Promise<{ readonly noted: readonly KeyFingerprint[]; readonly isUsed: boolean }> {
  type Tables = { noted: boolean; migrated: boolean };
  const tables = theOnly(await sql.query<Tables>(TABLES), 'which tables there are');
  const noted = tables.noted ? await notedKeys(sql) : [];
  if (!tables.migrated) return { noted, isUsed: noted.length > 0 };
  const { used } = theOnly(await sql.query<{ used: boolean }>(HAS_SENT), 'whether anything was sent');
  return { noted, isUsed: used || noted.length > 0 };
}
