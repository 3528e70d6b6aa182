/** The outbox of e-mails to customers. */
import { getTableColumns, sql } from 'drizzle-orm';
import type { CustomerMailRepository } from '../../../ports/mails/customer-mail-repository.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { equals } from '../schema/columns.ts';
import { customerMails as m } from '../schema/mails.ts';
import { statement } from '../statement.ts';
import { at, insertInto, names, set, toExcluded, updateById, value } from '../statement-parts.ts';

const MAIL = getTableColumns(m);

// One that was not sent, because it was not true any more, is true again. A link has a claim of its
// own, which is new.
const QUEUE = statement({
  given: MAIL,
  text: (values) => sql`
    ${insertInto(m, values)}
    on conflict (${names(m.invoiceId, m.kind)}) where ${names(m.refundClaimId)} is null
    do update set ${toExcluded(m.recipient, m.language, m.status, m.tries, m.dueAt, m.failure, m.createdAt)}
    where ${equals(m.failure, 'obsolete')}`,
});
const TAKE = statement({
  given: { now: m.dueAt, until: m.dueAt, limit: value<number>('bigint') },
  selects: MAIL,
  text: ({ now, until, limit }, select) => sql`
    with due as (
      select ${names(m.id, m.dueAt)} from ${m} where ${equals(m.status, 'queued')} and ${m.dueAt} <= ${now}
      order by ${m.dueAt}, ${m.id} limit ${limit} for no key update skip locked),
    taken as (
      update ${m} set ${set(m, { tries: sql<number>`${m.tries} + 1`, dueAt: until })}
      from due where ${m.id} = ${at('due', m.id)}
      returning ${m}.*, ${at('due', m.dueAt)} as was_due)
    select ${select} from taken ${m} order by was_due, ${m.id}`,
});
const SAVE = statement({
  given: { id: m.id, status: m.status, dueAt: m.dueAt, failure: m.failure },
  selects: { id: m.id },
  text: (given, select) => updateById(m, given, select),
});

export function customerMailRepository(on: Sql, isOn: boolean): CustomerMailRepository {
  return {
    isOn,
    async queue(mail) {
      if (isOn) await QUEUE(on, mail);
    },
    take: ({ now, until, limit }) => TAKE(on, { now, until, limit }),
    async save(mail) {
      theOnly(await SAVE(on, mail), `save of customer mail ${mail.id}`);
    },
  };
}
