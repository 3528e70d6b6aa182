/**
 * Replaces the wallet that the database belongs to. Addresses of the former wallet stay its own:
 * they are not swept or spent, and incoming money there is parked, because their keys are gone
 * (safety.md K2).
 */
import { sql } from 'drizzle-orm';
import { CHAINS } from '../../../domain/catalog/chain.ts';
import type { KeyFingerprint } from '../../../domain/chains/wallet-keys.ts';
import { failureOf } from '../../../domain/sending/outgoing-failure.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { addresses as a, derivedAddresses } from '../schema/addresses.ts';
import { equals } from '../schema/columns.ts';
import { utxos as c, outgoingTransfers as t, wallets } from '../schema/outgoing.ts';
import { frozenAddresses as f } from '../schema/treasury.ts';
import { walletKeys as w } from '../schema/wallet.ts';
import { statement } from '../statement.ts';
import {
  columnsOf,
  insertSelect,
  like,
  listOf,
  names,
  records,
  set,
  toExcluded,
} from '../statement-parts.ts';

export interface ReplacedWallet {
  /** Frozen addresses of the former wallet, counted once per chain of their family. */
  readonly addresses: number;
  /** Transfers without a signature: they ended, and the new wallet pays their payouts. */
  readonly unsigned: number;
  /** Signed transfers, which may still be mined. */
  readonly signed: number;
}

const END_KEYS = statement({
  given: { families: listOf(w.family), replacedAt: w.replacedAt },
  text: ({ families, replacedAt }) => sql`
    update ${w} set ${set(w, { replacedAt })} where ${w.family} = any (${families}) and ${w.replacedAt} is null`,
});
const KEY = { family: w.family, fingerprint: w.fingerprint };
const NOTE_KEYS = statement({
  given: { keys: records('k', KEY), notedAt: w.notedAt },
  text: ({ keys, notedAt }) => sql`
    ${insertSelect(w, { ...columnsOf('k', KEY), notedAt })} from ${keys}
    on conflict (${names(w.family, w.fingerprint)}) do update
      set ${toExcluded(w.notedAt)}, ${names(w.replacedAt)} = null`,
});
const COUNT = sql`count(*)`.mapWith(Number);
const FREEZE = statement({
  given: { places: records('p', { chain: f.chain, family: a.family }), frozenAt: f.frozenAt },
  selects: { count: COUNT },
  text: ({ places, frozenAt }, select) => sql`
    with place as (select * from ${places}),
    frozen as (
      ${insertSelect(f, {
        ...columnsOf('former', { chain: f.chain, address: f.address }),
        reason: sql<string>`'of the wallet that was replaced'`,
        frozenAt,
        formerWallet: sql<boolean>`true`,
      })}
      from (
        select place.chain, ${a.address} from ${a} join place on place.family = ${a.family}
        where ${a.deriver} = ${a.family}
        union select ${c.chain}, ${c.address} from ${c} join place on place.chain = ${c.chain}
        union select ${wallets.chain}, ${wallets.address} from ${wallets} join place on place.chain = ${wallets.chain}
      ) as former
      on conflict (${names(f.chain, f.address)}) do update set ${names(f.formerWallet)} = true
      returning 1)
    select ${select} from frozen`,
});
// The signer derives them again, for every family.
const FORGET_POOL = statement({ text: () => sql`delete from ${derivedAddresses}` });
// As decideOutgoing does for the parts of a dissolved batch.
const END_UNSIGNED = statement({
  given: { chains: listOf(t.chain), failure: t.failure, failureCode: t.failureCode },
  selects: { count: COUNT },
  text: ({ chains, failure, failureCode }, select) => sql`
    with ended as (
      update ${t} set ${set(t, {
        status: sql<'failed'>`'failed'`,
        failure: like(t.failure, sql`coalesce(${t.failure}, ${failure})`),
        failureCode: like(t.failureCode, sql`coalesce(${t.failureCode}, ${failureCode})`),
      })}
      where ${t.chain} = any (${chains}) and ${equals(t.status, 'allocated')} returning ${names(t.transferBatchId)}),
    freed as (
      update ${c} set ${names(c.claimedBy)} = null where ${c.claimedBy} in (select ${names(t.transferBatchId)} from ended))
    select ${select} from ended`,
});
const SIGNED = statement({
  given: { chains: listOf(t.chain) },
  selects: { count: COUNT },
  text: ({ chains }, select) => sql`
    select ${select} from ${t} where ${t.chain} = any (${chains}) and ${equals(t.status, 'signed')}`,
});

/** In the caller's transaction, while no other process uses the database. */
export async function replaceWallet(
  on: Sql,
  keys: readonly KeyFingerprint[],
  at: Date,
): Promise<ReplacedWallet> {
  const families = keys.map(({ family }) => family);
  const places = CHAINS.filter(({ family }) => families.includes(family)).map(({ name, family }) => ({
    chain: name,
    family,
  }));
  const chains = places.map(({ chain }) => chain);
  const counted = (rows: readonly { readonly count: number }[]) => theOnly(rows, 'the replaced wallet').count;

  await END_KEYS(on, { families, replacedAt: at });
  await NOTE_KEYS(on, { keys, notedAt: at });
  const { text: failure, code: failureCode } = failureOf('wallet_replaced');
  const unsigned = counted(await END_UNSIGNED(on, { chains, failure, failureCode }));
  const addresses = counted(await FREEZE(on, { places, frozenAt: at }));
  await FORGET_POOL(on);
  return { addresses, unsigned, signed: counted(await SIGNED(on, { chains })) };
}
