/** The key fingerprints that tie a database to its wallet, and whether it ever had one. */
import { getTableName, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Family } from '../../../domain/catalog/family.ts';
import type { KeyFingerprint } from '../../../domain/chains/wallet-keys.ts';
import type { Database } from '../client/client.ts';
import { limitIdleness } from '../client/idle-limit.ts';
import { otherSessions } from '../client/other-sessions.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { addresses as a, derivedAddresses as d } from '../schema/addresses.ts';
import { literals } from '../schema/columns.ts';
import { merchants as m } from '../schema/merchants.ts';
import { outgoingTransfers as t } from '../schema/outgoing.ts';
import { payouts } from '../schema/payouts.ts';
import { walletKeys as w } from '../schema/wallet.ts';
import { statement } from '../statement.ts';
import { columnsOf, insertSelect, records, value } from '../statement-parts.ts';
import { type ReplacedWallet, replaceWallet } from './replace-wallet.ts';

export interface WalletKeys {
  /**
   * Runs `work` while no other process decides which wallet the database belongs to. May run it
   * more than once.
   */
  holding<T>(work: (held: HeldWalletKeys) => Promise<T>): Promise<T>;
  /** The same for replacing the stored wallet, which may take minutes. */
  replacing<T>(work: (held: ReplaceableWalletKeys) => Promise<T>): Promise<T>;
}

export interface HeldWalletKeys {
  /** Of the present wallet; empty if the database has none yet. */
  noted(): Promise<readonly KeyFingerprint[]>;
  note(keys: readonly KeyFingerprint[], at: Date): Promise<void>;
  /** Whether a service was started on the database before: it then has a merchant or an address. */
  isUsed(): Promise<boolean>;
  /**
   * Up to three addresses per family with the highest issued or derived indexes. No addresses of
   * fake chains.
   */
  sampleAddresses(): Promise<readonly SampledAddress[]>;
}

export interface SampledAddress {
  readonly family: Family;
  readonly index: number;
  /** Normalized. */
  readonly address: string;
}

export interface ReplaceableWalletKeys extends HeldWalletKeys {
  /** The number of other processes that use the database. */
  otherSessions(): Promise<number>;
  /** Replaces the keys of these families (replace-wallet.ts). */
  replace(keys: readonly KeyFingerprint[], at: Date): Promise<ReplacedWallet>;
}

/** An arbitrary key that no other advisory lock of the gateway uses. */
const LOCK_KEY = 7_301_462_096n;
/** Creating a wallet takes part of a second, and several processes may start in a queue. */
const TIMEOUT_MS = 60_000;
const REPLACING_TIMEOUT_MS = 600_000;

const LOCK = statement({
  given: { key: value<bigint>('bigint') },
  text: ({ key }) => sql`select pg_advisory_xact_lock(${key})`,
});
const KEY = { family: w.family, fingerprint: w.fingerprint };
const NOTED = statement({
  selects: KEY,
  text: (_given, select) =>
    sql`select ${select} from ${w} where ${w.replacedAt} is null order by ${w.family}`,
});
const NOTE = statement({
  given: { keys: records('k', KEY), notedAt: w.notedAt },
  text: ({ keys, notedAt }) => sql`${insertSelect(w, { ...columnsOf('k', KEY), notedAt })} from ${keys}`,
});
const IS_USED = statement({
  selects: { used: sql<boolean>`exists (select from ${m}) or exists (select from ${a})` },
  text: (_given, select) => sql`select ${select}`,
});
const SAMPLE = statement({
  selects: { family: sql<Family>`${a.family}`, index: a.derivationIndex, address: a.address },
  text: (_given, select) => sql`
    select ${select} from (
      select *, row_number() over (partition by ${a.family} order by ${a.derivationIndex} desc) as place
      from (
        select ${a.family}, ${a.derivationIndex}, ${a.address} from ${a} where ${a.deriver} = ${a.family}
        union select ${d.family}, ${d.derivationIndex}, ${d.address} from ${d}) ${a}) ${a}
    where place <= 3`,
});

export function postgresWalletKeys(database: Database): WalletKeys {
  const locked = <T>(timeoutMs: number, work: (on: Sql) => Promise<T>): Promise<T> =>
    database.transaction(
      async (on) => {
        await limitIdleness(on, timeoutMs);
        await LOCK(on, { key: LOCK_KEY });
        return work(on);
      },
      { timeoutMs },
    );
  return {
    holding: (work) => locked(TIMEOUT_MS, (on) => work(heldOn(on))),
    replacing: (work) =>
      locked(REPLACING_TIMEOUT_MS, (on) =>
        work({
          ...heldOn(on),
          otherSessions: () => otherSessions(on),
          replace: (keys, at) => replaceWallet(on, keys, at),
        }),
      ),
  };
}

function heldOn(on: Sql): HeldWalletKeys {
  return {
    noted: () => NOTED(on),
    async note(keys, at) {
      await NOTE(on, { keys, notedAt: at });
    },
    isUsed: async () => theOnly(await IS_USED(on), 'whether the database is used').used,
    sampleAddresses: () => SAMPLE(on),
  };
}

const isMade = (table: PgTable) => sql<boolean>`to_regclass(${literals([getTableName(table)])}) is not null`;
const TABLES = statement({
  selects: { noted: isMade(w), migrated: isMade(payouts) },
  text: (_given, select) => sql`select ${select}`,
});
const HAS_SENT = statement({
  selects: { used: sql<boolean>`exists (select from ${payouts}) or exists (select from ${t})` },
  text: (_given, select) => sql`select ${select}`,
});

/**
 * The part that the signer's role can read (`select` on wallet_keys, payouts and
 * outgoing_transfers). A database that is not migrated yet has no wallet, and nothing was sent from
 * it.
 */
export async function walletSeenBySigner(
  on: Sql,
): Promise<{ readonly noted: readonly KeyFingerprint[]; readonly isUsed: boolean }> {
  const tables = theOnly(await TABLES(on), 'which tables there are');
  const noted = tables.noted ? await NOTED(on) : [];
  if (!tables.migrated) return { noted, isUsed: noted.length > 0 };
  const { used } = theOnly(await HAS_SENT(on), 'whether anything was sent');
  return { noted, isUsed: used || noted.length > 0 };
}
