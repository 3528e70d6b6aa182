/**
 * Searches by the values that people know. Every branch of a statement reads an index for at most
 * as many rows as are shown; a null value finds nothing. Across merchants it is read once for each
 * that has such rows.
 */
import { type SQL, sql } from 'drizzle-orm';
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
import { invoices as i, isAsked } from '../schema/invoices.ts';
import { invoiceEmails as m, invoiceExtras as x } from '../schema/lists.ts';
import { merchants } from '../schema/merchants.ts';
import { payouts as o } from '../schema/payouts.ts';
import { type PlacesOf, statement, statementsBy } from '../statement.ts';
import { listOf, nullable, value } from '../statement-parts.ts';
import {
  byKey,
  chosen,
  each,
  eachOf,
  everyOwner,
  inScope,
  is,
  ofScope,
  owners,
  SHAPES,
  type Shape,
} from './search-scopes.ts';

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
const coinsOf = ({ assets, units }: PlacesOf<typeof COINS>): SQL =>
  sql`unnest(${assets}, ${units}) as given (asset, units)`;
const textsOf = (texts: SQL): SQL => sql`unnest(${texts}) as given (text)`;

/** The invoices of a permanent address: its user has them. */
const OF_PERMANENT_ADDRESS = sql`${byKey(p, sql`${a.permanentAddressId}`)}
  cross join lateral (
    select ${i.id} from ${i}
    where ${i.merchantId} = ${p.merchantId} and ${i.sandbox} = ${p.sandbox} and ${i.userId} = ${p.userId}
      and ${i.permanentAddressId} = ${p.id}
    order by ${i.seq} desc limit ${MOST}) k`;

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
      const bySeq = (t: typeof x | typeof m, fits: SQL) =>
        each(
          owners(shape, of, t, fits),
          sql`
            select ${i.id} from (
              select ${t.seq} as number from ${t} where ${ofScope(t)} and ${fits} order by ${t.seq} desc limit ${MOST}) k
            cross join lateral (select * from ${i} where ${ofScope(i)} and ${i.seq} = k.number offset 0) ${i}`,
        );
      const ofUser = sql`${i.userId} = ${text}`;
      const paid = sql`${d.asset} = given.asset and ${d.units} = given.units`;
      const asked = sql`${isAsked(i)} and ${i.asset} = given.asset and ${i.dueUnits} = given.units`;
      const sent = sql`lower(${d.addressFrom}) = lower(given.text)`;
      const branches = [
        sql`select ${i.id} from ${i} where ${i.id} = ${id} and ${inScope(shape, i, of)}`,
        sql`select ${i.id} from ${i} where ${i.externalId} = ${externalId} and ${inScope(shape, i, of)}`,
        bySeq(x, sql`${x.extra} = ${text}`),
        bySeq(m, sql`${m.email} = ${email}`),
        each(
          owners(shape, of, i, ofUser),
          sql`select ${i.id} from ${i} where ${ofScope(i)} and ${ofUser} order by ${i.seq} desc limit ${MOST}`,
        ),
        each(
          everyOwner(shape, of, micros),
          sql`
            select k.id from (
              select ${i.id}, ${i.seq}, ${i.fiatCurrency} as currency from ${i}
              where ${ofScope(i)} and ${is(i.initialFiatMicros, micros)}
              order by ${i.initialFiatMicros} desc, ${i.seq} desc limit ${SAME_AMOUNT}) k
            where ${currency} is null or k.currency = ${currency} order by k.seq desc limit ${MOST}`,
        ),
        eachOf(
          coinsOf({ assets, units }),
          owners(shape, of, d, paid),
          sql`
            select ${d.invoiceId} from ${d}
            where ${ofScope(d)} and ${d.asset} = given.asset and ${is(d.units, sql`given.units`)}
            order by ${d.units} desc, ${d.id} desc limit ${MOST}`,
        ),
        eachOf(
          coinsOf({ assets, units }),
          owners(shape, of, i, asked),
          sql`
            select ${i.id} from ${i}
            where ${ofScope(i)} and ${isAsked(i)} and ${i.asset} = given.asset and ${is(i.dueUnits, sql`given.units`)}
            order by ${i.dueUnits} desc, ${i.id} desc limit ${MOST}`,
        ),
        eachOf(
          textsOf(addresses),
          owners(shape, of, d, sent),
          sql`select ${d.invoiceId} from ${d} where ${ofScope(d)} and ${sent} order by ${d.id} desc limit ${MOST}`,
        ),
        sql`select ${d.invoiceId} from ${d}
          where ${oneOf(d.chain, CHAIN_NAMES)} and ${d.txid} = any (${txids}) and ${inScope(shape, d, of)}
          limit ${MOST}`,
        sql`select ${a.invoiceId} from ${a}
          where ${oneOf(a.family, FAMILIES)} and ${a.address} = any (${addresses}) and ${inScope(shape, a, of)}`,
        sql`select k.id from ${a} ${OF_PERMANENT_ADDRESS}
          where ${oneOf(a.family, FAMILIES)} and ${a.address} = any (${addresses}) and ${inScope(shape, a, of)}`,
      ];
      return sql`
        with ${chosen(branches)}
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
      const ofRef = sql`${o.ref} = ${text}`;
      const to = sql`lower(${o.address}) = lower(given.text)`;
      const branches = [
        sql`select ${o.id} from ${o} where ${o.id} = ${id} and ${inScope(shape, o, of)} and ${shown}`,
        sql`select ${o.id} from ${o}
          where ${o.txHashes} <> '{}' and ${o.txHashes} && ${txids} and ${inScope(shape, o, of)} and ${shown}`,
        each(
          owners(shape, of, o, ofRef),
          sql`
            select ${o.id} from ${o} where ${ofScope(o)} and ${ofRef} and ${shown}
            order by ${o.seq} desc limit ${MOST}`,
        ),
        eachOf(
          textsOf(addresses),
          owners(shape, of, o, to),
          sql`
            select ${o.id} from ${o} where ${ofScope(o)} and ${to} and ${shown}
            order by ${o.seq} desc nulls last limit ${MOST}`,
        ),
        each(
          everyOwner(shape, of, micros),
          sql`
            select ${o.id} from ${o}
            where ${ofScope(o)} and ${is(o.amountMicroUsd, micros)} and coalesce(${currency}, 'USD') = 'USD' and ${shown}
            order by ${o.amountMicroUsd} desc, ${o.id} desc limit ${MOST}`,
        ),
      ];
      return sql`
        with ${chosen(branches)}
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
      const paid = sql`${d.asset} = given.asset and ${d.units} = given.units`;
      const sent = sql`lower(${d.addressFrom}) = lower(given.text)`;
      const branches = [
        sql`select ${d.id} from ${d} where ${d.id} = ${id} and ${here} and ${unmatched}`,
        sql`select ${d.id} from ${d}
          where ${oneOf(d.chain, CHAIN_NAMES)} and ${d.txid} = any (${txids}) and ${here} and ${unmatched}`,
        sql`select ${d.id} from ${d}
          where ${oneOf(d.chain, CHAIN_NAMES)} and ${d.address} = any (${addresses}) and ${here} and ${unmatched}
          limit ${SAME_AMOUNT}`,
        eachOf(
          coinsOf({ assets, units }),
          owners(shape, of, d, paid),
          sql`
            select ${d.id} from ${d}
            where ${ofScope(d)} and ${d.asset} = given.asset and ${is(d.units, sql`given.units`)} and ${unmatched}
            order by ${d.units} desc, ${d.id} desc limit ${MOST}`,
        ),
        // Of a sender with many the newest are tried.
        eachOf(
          textsOf(addresses),
          owners(shape, of, d, sent),
          sql`
            select ${d.id} from (
              select * from ${d} where ${ofScope(d)} and ${sent} order by ${d.id} desc limit ${SAME_AMOUNT}) ${d}
            where ${unmatched} order by ${d.id} desc limit ${MOST}`,
        ),
      ];
      return sql`
        with ${chosen(branches)}
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
      const ofUser = sql`${p.userId} = ${text}`;
      const branches = [
        sql`select ${p.id} from ${p} where ${p.id} = ${id} and ${inScope(shape, p, of)}`,
        sql`select ${a.permanentAddressId} from ${a}
          where ${oneOf(a.family, FAMILIES)} and ${a.address} = any (${addresses}) and ${inScope(shape, a, of)}`,
        each(
          owners(shape, of, p, ofUser),
          sql`
            select ${p.id} from ${p} where ${ofScope(p)} and ${ofUser}
            order by ${p.createdAt} desc limit ${MOST}`,
        ),
      ];
      return sql`
        with ${chosen(branches)}
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
