/**
 * Searches by the values that people know. Every branch of a statement reads an index for at most
 * as many rows as are shown; a null value finds nothing. Across merchants, indexes that begin with
 * the merchant are read once for each of them.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { SearchTerms } from '../../../domain/console/search-terms.ts';
import { FOUND_MAX, type PaymentSearch } from '../../../ports/console/payment-search.ts';
import type { Scope } from '../../../ports/list-queries.ts';
import type { Sql } from '../client/sql.ts';
import { DEPOSIT, depositFromRow } from '../deposits/deposit-row.ts';
import { INVOICE, invoiceFromRow } from '../invoices/invoice-row.ts';
import { PERMANENT_ADDRESS } from '../invoices/permanent-address-row.ts';
import { CHAIN_NAMES, FAMILIES } from '../lists/conditions.ts';
import { MERCHANT } from '../merchants/merchant-row.ts';
import { PAYOUT, payoutFromRow } from '../payouts/payout-row.ts';
import { addresses as a, deposits as d, permanentAddresses as p } from '../schema/addresses.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { invoiceEmails as m, invoiceExtras as x } from '../schema/lists.ts';
import { merchants } from '../schema/merchants.ts';
import { payouts as o } from '../schema/payouts.ts';
import { type PlacesOf, statement, statementsBy } from '../statement.ts';
import { listOf, nullable, value } from '../statement-parts.ts';

const MOST = sql.raw(String(FOUND_MAX));
/** Of one amount so many newest invoices are tried for their currency, which no index has. */
const SAME_AMOUNT = sql.raw('500');

const GIVEN = {
  merchantId: nullable(i.merchantId),
  sandbox: nullable(i.sandbox),
  text: value<string>('text'),
  id: value<string | null>('text'),
  txids: listOf(d.txid),
  addresses: listOf(d.address),
  micros: nullable(i.initialFiatMicros),
  currency: value<string | null>('text'),
};
const COINS = { assets: listOf(d.asset), units: listOf(d.units) };
type Places = Pick<PlacesOf<typeof GIVEN>, 'merchantId' | 'sandbox'>;
type Owned = { readonly merchantId: unknown; readonly sandbox: unknown };

interface Shape {
  /** Of all merchants and environments. */
  readonly everywhere: boolean;
}
const SHAPES: readonly Shape[] = [{ everywhere: true }, { everywhere: false }];

/** `with scope as (...)`: the pairs of merchant and environment that are searched. */
function scopes({ everywhere }: Shape, { merchantId, sandbox }: Places): SQL {
  return everywhere
    ? sql`scope (merchant_id, sandbox) as materialized (
        select ${merchants.id}, s from ${merchants} cross join unnest(array[false, true]) s
        where ${merchantId} is null and ${sandbox} is null)`
    : sql`scope (merchant_id, sandbox) as materialized (select ${merchantId}, ${sandbox})`;
}

/** Whether a row that another index found is in the scope. */
const inScope = ({ everywhere }: Shape, t: Owned, { merchantId, sandbox }: Places): SQL =>
  everywhere ? sql`true` : sql`${t.merchantId} = ${merchantId} and ${t.sandbox} = ${sandbox}`;
const ofScope = (t: Owned): SQL => sql`${t.merchantId} = scope.merchant_id and ${t.sandbox} = scope.sandbox`;

/**
 * Equality, as a range that the order begins with. Where few amounts are usual the planner would
 * otherwise read by the id, in the hope that this amount comes soon.
 */
const is = (t: AnyPgColumn, amount: SQL): SQL => sql`${t} between ${amount} and ${amount}`;

/** The amounts to look for in each scope: across merchants only those that somebody paid. */
const coinsIn = ({ everywhere }: Shape, { assets, units }: PlacesOf<typeof COINS>): SQL => {
  const coins = sql`unnest(${assets}, ${units}) as coin (asset, units)`;
  return everywhere
    ? sql`(select coin.* from ${coins} cross join lateral (
        select from ${d} where ${d.asset} = coin.asset and ${is(d.units, sql`coin.units`)}
        order by ${d.units}, ${d.merchantId} limit 1) paid) coin`
    : coins;
};

/** Rows of each scope, by an index that begins with it. */
const each = (rows: SQL): SQL => sql`select found.id from scope cross join lateral (${rows}) as found (id)`;
const chosen = (branches: readonly SQL[]): SQL =>
  sql`found (id) as materialized (${sql.join(
    branches.map((branch) => sql`(${branch})`),
    sql` union `,
  )})`;

/**
 * `offset 0` reads one by one: of many merchants the planner expects so many rows that it would
 * read the table.
 */
const byKey = (t: typeof i | typeof o | typeof d | typeof p, id = sql`found.id`): SQL =>
  sql`cross join lateral (select * from ${t} where ${t.id} = ${id} offset 0) ${t}`;

const INVOICES = statementsBy(SHAPES, (shape: Shape) =>
  statement({
    given: {
      ...GIVEN,
      ...COINS,
      externalId: value<string | null>('uuid'),
      email: value<string | null>('text'),
    },
    selects: INVOICE,
    text: (of, select) => {
      const { text, id, externalId, email, txids, addresses, micros, currency, assets, units } = of;
      const bySeq = (t: typeof x | typeof m, fits: SQL) => sql`
        select ${i.id} from (
          select ${t.seq} as number from ${t} where ${ofScope(t)} and ${fits} order by ${t.seq} desc limit ${MOST}) k
        cross join lateral (select * from ${i} where ${ofScope(i)} and ${i.seq} = k.number offset 0) ${i}`;
      const branches = [
        sql`select ${i.id} from ${i} where ${i.id} = ${id} and ${inScope(shape, i, of)}`,
        sql`select ${i.id} from ${i} where ${i.externalId} = ${externalId} and ${inScope(shape, i, of)}`,
        each(bySeq(x, sql`${x.extra} = ${text}`)),
        each(bySeq(m, sql`${m.email} = ${email}`)),
        each(sql`
          select ${i.id} from ${i} where ${ofScope(i)} and ${i.userId} = ${text}
          order by ${i.seq} desc limit ${MOST}`),
        each(sql`
          select k.id from (
            select ${i.id}, ${i.fiatCurrency} as currency from ${i}
            where ${ofScope(i)} and ${is(i.initialFiatMicros, micros)}
            order by ${i.initialFiatMicros} desc, ${i.id} desc limit ${SAME_AMOUNT}) k
          where ${currency} is null or k.currency = ${currency} order by k.id desc limit ${MOST}`),
        each(sql`
          select ${d.invoiceId} from ${coinsIn(shape, { assets, units })}
          cross join lateral (
            select ${d.invoiceId} from ${d}
            where ${ofScope(d)} and ${d.asset} = coin.asset and ${is(d.units, sql`coin.units`)}
            order by ${d.units} desc, ${d.id} desc limit ${MOST}) ${d}`),
        sql`select ${d.invoiceId} from ${d}
          where ${oneOf(d.chain, CHAIN_NAMES)} and ${d.txid} = any (${txids}) and ${inScope(shape, d, of)}
          limit ${MOST}`,
        sql`select ${a.invoiceId} from ${a}
          where ${oneOf(a.family, FAMILIES)} and ${a.address} = any (${addresses}) and ${inScope(shape, a, of)}`,
        // The invoices of a permanent address: its user has them.
        sql`select k.id from ${a} ${byKey(p, sql`${a.permanentAddressId}`)}
          cross join lateral (
            select ${i.id} from ${i}
            where ${i.merchantId} = ${p.merchantId} and ${i.sandbox} = ${p.sandbox} and ${i.userId} = ${p.userId}
              and ${i.permanentAddressId} = ${p.id}
            order by ${i.seq} desc limit ${MOST}) k
          where ${oneOf(a.family, FAMILIES)} and ${a.address} = any (${addresses}) and ${inScope(shape, a, of)}`,
      ];
      return sql`
        with ${scopes(shape, of)}, ${chosen(branches)}
        select ${select} from found ${byKey(i)}
        order by ${i.createdAt} desc, ${i.id} desc limit ${MOST}`;
    },
  }),
);

const PAYOUTS = statementsBy(SHAPES, (shape: Shape) =>
  statement({
    given: GIVEN,
    selects: PAYOUT,
    text: (of, select) => {
      const { text, id, txids, addresses, micros, currency } = of;
      // Refunds are the operator's; a merchant finds them in its ledger.
      const shown = shape.everywhere ? sql`true` : equals(o.kind, 'payout');
      const branches = [
        sql`select ${o.id} from ${o} where ${o.id} = ${id} and ${inScope(shape, o, of)} and ${shown}`,
        sql`select ${o.id} from ${o}
          where ${o.txHashes} <> '{}' and ${o.txHashes} && ${txids} and ${inScope(shape, o, of)} and ${shown}`,
        each(sql`
          select ${o.id} from ${o} where ${ofScope(o)} and ${o.ref} = ${text} and ${shown}
          order by ${o.seq} desc limit ${MOST}`),
        each(sql`
          select ${o.id} from unnest(${addresses}) as given (address) cross join lateral (
            select ${o.id} from ${o} where ${ofScope(o)} and lower(${o.address}) = lower(given.address) and ${shown}
            order by ${o.seq} desc nulls last limit ${MOST}) ${o}`),
        each(sql`
          select ${o.id} from ${o}
          where ${ofScope(o)} and ${is(o.amountMicroUsd, micros)} and coalesce(${currency}, 'USD') = 'USD' and ${shown}
          order by ${o.amountMicroUsd} desc, ${o.id} desc limit ${MOST}`),
      ];
      return sql`
        with ${scopes(shape, of)}, ${chosen(branches)}
        select ${select} from found ${byKey(o)}
        order by ${o.createdAt} desc, ${o.id} desc limit ${MOST}`;
    },
  }),
);

const DEPOSITS = statementsBy(SHAPES, (shape: Shape) =>
  statement({
    given: {
      ...{ merchantId: GIVEN.merchantId, sandbox: GIVEN.sandbox, id: GIVEN.id },
      ...{ txids: GIVEN.txids, addresses: GIVEN.addresses },
      ...COINS,
    },
    selects: DEPOSIT,
    text: (of, select) => {
      const { id, txids, addresses, assets, units } = of;
      const unmatched = shape.everywhere ? sql`true` : equals(d.status, 'stray');
      const here = inScope(shape, d, of);
      const branches = [
        sql`select ${d.id} from ${d} where ${d.id} = ${id} and ${here} and ${unmatched}`,
        sql`select ${d.id} from ${d}
          where ${oneOf(d.chain, CHAIN_NAMES)} and ${d.txid} = any (${txids}) and ${here} and ${unmatched}`,
        sql`select ${d.id} from ${d}
          where ${oneOf(d.chain, CHAIN_NAMES)} and ${d.address} = any (${addresses}) and ${here} and ${unmatched}
          limit ${SAME_AMOUNT}`,
        each(sql`
          select ${d.id} from ${coinsIn(shape, { assets, units })}
          cross join lateral (
            select ${d.id} from ${d}
            where ${ofScope(d)} and ${d.asset} = coin.asset and ${is(d.units, sql`coin.units`)} and ${unmatched}
            order by ${d.units} desc, ${d.id} desc limit ${MOST}) ${d}`),
      ];
      return sql`
        with ${scopes(shape, of)}, ${chosen(branches)}
        select ${select} from found ${byKey(d)}
        order by ${d.firstSeenAt} desc, ${d.id} desc limit ${MOST}`;
    },
  }),
);

const ADDRESSES = statementsBy(SHAPES, (shape: Shape) =>
  statement({
    given: {
      ...{ merchantId: GIVEN.merchantId, sandbox: GIVEN.sandbox, id: GIVEN.id },
      ...{ text: GIVEN.text, addresses: GIVEN.addresses },
    },
    selects: PERMANENT_ADDRESS,
    text: (of, select) => {
      const { id, text, addresses } = of;
      const branches = [
        sql`select ${p.id} from ${p} where ${p.id} = ${id} and ${inScope(shape, p, of)}`,
        sql`select ${a.permanentAddressId} from ${a}
          where ${oneOf(a.family, FAMILIES)} and ${a.address} = any (${addresses}) and ${inScope(shape, a, of)}`,
        each(sql`
          select ${p.id} from ${p} where ${ofScope(p)} and ${p.userId} = ${text}
          order by ${p.createdAt} desc limit ${MOST}`),
      ];
      return sql`
        with ${scopes(shape, of)}, ${chosen(branches)}
        select ${select} from found ${byKey(p)}
        order by ${p.createdAt} desc, ${p.id} desc limit ${MOST}`;
    },
  }),
);

// There are far fewer merchants than payments: their names are read one by one.
const MERCHANTS = statement({
  given: { id: GIVEN.id, text: GIVEN.text },
  selects: MERCHANT,
  text: ({ id, text }, select) => sql`
    select ${select} from ${merchants}
    where ${merchants.id} = ${id} or strpos(lower(${merchants.name}), lower(${text})) > 0
    order by ${merchants.createdAt} desc, ${merchants.id} desc limit ${MOST}`,
});

export function paymentSearch(on: Sql): PaymentSearch {
  return {
    async findPayments(scope: Scope | null, terms: SearchTerms) {
      const { text, id, externalId, email, txids, addresses, fiat, coins } = terms;
      const { merchantId = null, sandbox = null } = scope ?? {};
      const where = { merchantId, sandbox, id, txids, addresses };
      const amount = { micros: fiat?.micros ?? null, currency: fiat?.currency ?? null };
      const paid = { assets: coins.map(({ asset }) => asset), units: coins.map(({ units }) => units) };
      const shape = { everywhere: scope === null };
      const [invoices, payouts, deposits, permanentAddresses] = await Promise.all([
        INVOICES(shape)(on, { ...where, ...amount, ...paid, text, externalId, email }),
        PAYOUTS(shape)(on, { ...where, ...amount, text }),
        DEPOSITS(shape)(on, { ...where, ...paid }),
        ADDRESSES(shape)(on, { ...where, text }),
      ]);
      return {
        invoices: invoices.map(invoiceFromRow),
        payouts: payouts.map(payoutFromRow),
        deposits: deposits.map(depositFromRow),
        permanentAddresses,
      };
    },
    findMerchants: ({ id, text }) => MERCHANTS(on, { id, text }),
  };
}
