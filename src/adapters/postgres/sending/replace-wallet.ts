/**
 * Puts another wallet in the place of the one that the database belongs to. What the former one gave out stays its own: nothing is
 * swept from there or spent, and what arrives is parked, since its keys are not here any more (safety.md K2).
 */
import { CHAINS } from '../../../domain/catalog/chain.ts';
import type { KeyFingerprint } from '../../../domain/chains/wallet-keys.ts';
import { failureOf } from '../../../domain/sending/outgoing-failure.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';

export interface ReplacedWallet {
  /** Addresses of the former wallet that were frozen, each once for every chain of its family. */
  readonly addresses: number;
  /** Transfers of which nothing was signed: they ended, and their payouts are paid from the new wallet. */
  readonly unsigned: number;
  /** Transfers that were signed, and may still be mined. */
  readonly signed: number;
}

const END_KEYS =
  'update wallet_keys set replaced_at = $2 where family = any ($1::text[]) and replaced_at is null';
const NOTE_KEYS = `
  insert into wallet_keys (family, fingerprint, noted_at)
  select family, fingerprint, $3 from unnest($1::text[], $2::text[]) as k (family, fingerprint)
  on conflict (family, fingerprint) do update set noted_at = excluded.noted_at, replaced_at = null`;
// $1 chains, $2 the family of each.
const FREEZE = `
  with place as (select chain, family from unnest($1::text[], $2::text[]) as p (chain, family)),
  frozen as (
    insert into frozen_addresses (chain, address, reason, frozen_at, former_wallet)
    select chain, address, 'of the wallet that was replaced', $3, true from (
      select p.chain, a.address from addresses a join place p on p.family = a.family where a.deriver = a.family
      union select c.chain, c.address from coins c join place p on p.chain = c.chain
      union select w.chain, w.address from wallets w join place p on p.chain = w.chain) as former
    on conflict (chain, address) do update set former_wallet = true
    returning 1)
  select count(*)::int as count from frozen`;
// The signer derives them again, for whatever family they are.
const FORGET_POOL = 'delete from derived_addresses';
// As decideOutgoing has it for a bundle that comes apart.
const END_UNSIGNED = `
  with ended as (
    update outgoing_transfers set status = 'failed', failure = coalesce(failure, $2), failure_code = coalesce(failure_code, $3)
    where chain = any ($1::text[]) and status = 'allocated' returning bundle_id),
  freed as (update coins set claimed_by = null where claimed_by in (select bundle_id from ended))
  select count(*)::int as count from ended`;
const SIGNED = `
  select count(*)::int as count from outgoing_transfers where chain = any ($1::text[]) and status = 'signed'`;

/** In the caller's transaction, while no other process uses the database. */
export async function replaceWallet(
  sql: Sql,
  keys: readonly KeyFingerprint[],
  at: Date,
): Promise<ReplacedWallet> {
  const families = keys.map(({ family }) => family);
  const chains = CHAINS.filter(({ family }) => families.includes(family));
  const names = chains.map(({ name }) => name);
  const count = async (text: string, parameters: Parameters<Sql['query']>[1]): Promise<number> =>
    theOnly(await sql.query<{ count: number }>(text, parameters), 'the replaced wallet').count;

  await sql.query(END_KEYS, [families, at]);
  await sql.query(NOTE_KEYS, [families, keys.map(({ fingerprint }) => fingerprint), at]);
  const failure = failureOf('wallet_replaced');
  const unsigned = await count(END_UNSIGNED, [names, failure.text, failure.code]);
  const addresses = await count(FREEZE, [names, chains.map(({ family }) => family), at]);
  await sql.query(FORGET_POOL);
  return { addresses, unsigned, signed: await count(SIGNED, [names]) };
}
