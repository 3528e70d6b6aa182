/** Bugs in statements and rows. */
import { bugs, type Mutant } from './mutant.ts';

const REPOSITORIES = 'tests/adapters/postgres/repositories.test.ts';
const QUERIES = 'tests/adapters/postgres/queries.test.ts';
const RECONCILIATION = 'tests/adapters/postgres/reconciliation.test.ts';

const RESTORED = [
  'tests/journeys/restore/restored-decisions.test.ts',
  'tests/journeys/restore/restored-payouts.test.ts',
  'tests/journeys/restore/restored-wallets.test.ts',
  'tests/scripts/restore.test.ts',
];

export const POSTGRES_MUTANTS: readonly Mutant[] = [
  ...bugs(
    'src/adapters/postgres/client/migrate.ts',
    ['tests/adapters/postgres/migrations/migrate.test.ts'],
    [
      ['await takeOver(sql, migrations);', ''],
      ['if (last !== oldLast.name ||', 'if ('],
      [' || hashes.get(oldLast.name) !== oldLast.hash)', ')'],
      ["await sql.query('delete from schema_migrations');", ''],
      ['await record(sql, first);', ''],
      ['if (present.get(name) !== hash)', 'if (false)'],
      ["await sql.query('select pg_advisory_xact_lock($1)', [LOCK_KEY]);", ''],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/lists/changed-pages.ts',
    [QUERIES, 'tests/adapters/postgres/lists/whole-lists.test.ts'],
    [
      ['met.length < Math.min(left, page.perPage)', 'met.length === 0'],
      ['both(...holding(list, names, places))', 'sql.join([...holding(list, names, places)], sql` or `)'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/chains/chains.ts',
    [REPOSITORIES],
    [
      ['${b.time} <= ${time}', '${b.time} < ${time}'],
      ['order by ${b.height} desc limit 1), -1)', 'order by ${b.height} limit 1), -1)'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/ledger/insert-entries.ts',
    [REPOSITORIES, 'tests/journeys/deposits/deposits-in-sets.test.ts'],
    [
      [' and ${b.sandbox} = ${BY.sandbox}`', '`'],
      [
        '${G.feedType} is not null order by ${G.ordinal})',
        '${G.feedType} is not null order by ${G.ordinal} desc)',
      ],
      ['max(${G.at}) over feed)', '${G.at})'],
      ['(partition by ${G.referenceId} order by ${G.ordinal})', '(order by ${G.ordinal})'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/ledger/ledger.ts',
    [REPOSITORIES, QUERIES, 'tests/journeys/payouts/network-fee-postings.test.ts'],
    [
      ['${b.incomeMicroUsd} + ${income}', '${b.incomeMicroUsd} - ${income}'],
      ['${b.refundsMicroUsd} + ${refunds}', '${refunds}'],
      [
        'and ${b.sandbox} = ${sandbox}\n    returning',
        'and (${b.sandbox} = ${sandbox} or true)\n    returning',
      ],
      ['any (${kinds}) and ${e.reversedBy} is null returning', 'any (${kinds}) returning'],
      ["payout_released: ['payout_reserved', 'payout_retaken'],", "payout_released: ['payout_reserved'],"],
      ["income_reversed: ['income'],", ''],
      ['await markTakenBack(on, entry);', ''],
      ['= ${sandbox}\n    for no key update`', '= ${sandbox}`'],
      ["if (entry.kind === 'payout_reserved' && available < 0n) {", 'if (false) {'],
      ['order by ${e.ordinal}`', 'order by ${e.ordinal} desc`'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/ledger/ledger-summary.ts',
    [REPOSITORIES, 'tests/journeys/payouts/network-fee-postings.test.ts'],
    [
      ["payout_fee_charged: 'payouts',", 'payout_fee_charged: null,'],
      ['if (entry.feed !== null && entry.feed.microUsd !== change) {', 'if (false) {'],
      ["const change = column === 'income' ? owed : -owed;", 'const change = owed;'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/lists/numbering.ts',
    [REPOSITORIES, QUERIES],
    [
      ['greatest(${c.lastAt}, ${latest})', '${latest}'],
      ['and ${c.sandbox} = ${sandbox} and', 'and (${c.sandbox} = ${sandbox} or true) and'],
      ["${at('counter', c.value)} + counter.lines", "${at('counter', c.value)} + 1"],
      ["greatest(${at('counter', c.lastAt)}, counter.latest)", 'counter.latest'],
      [' for no key update of ${c}),', '),'],
      ["\n      and ${c.stream} = ${at('counter', c.stream)})`", ')`'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/schema/payouts.ts',
    [REPOSITORIES, 'tests/journeys/invoices/inactive-merchants.test.ts'],
    [
      ["= 'pending' and ${t.held} is null and ${t.waitingCode}", "= 'pending' and ${t.waitingCode}"],
      ["not ${t.sandbox} and ${t.status} = 'pending'", "${t.status} = 'pending'"],
      ["and ${t.waitingCode} is distinct from 'merchant'", "and ${t.waitingCode} <> 'merchant'"],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/payouts/payouts-to-send.ts',
    [REPOSITORIES, 'tests/journeys/invoices/inactive-merchants.test.ts'],
    [
      ['\n      and not ${t.voided})`', ')`'],
      ['partition by ${names(p.asset, p.merchantId)} order by', 'partition by ${names(p.asset)} order by'],
      ['from some_of_each ${p} where ${p.triedAt} is null', 'from some_of_each ${p} where false'],
      ['from some_of_each ${p} where ${p.triedAt} is not null', 'from some_of_each ${p} where false'],
      ['${p.triedAt} <= ${now} and', '${p.triedAt} is not null and'],
      ["(${p.waitingCode} is null or ${equals(p.waitingCode, 'signing')})", 'true'],
      [' and ${equals(m.kyc, PAYABLE.kyc)}`', '`'],
      ['waitingCode: NOTHING, triedAt: NOTHING', 'waitingCode: NOTHING'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/payouts/payouts.ts',
    [REPOSITORIES, 'tests/journeys/payouts/payout-limits.test.ts'],
    [
      ['(${processing} or ${equals', '(${processing} is null or ${equals'],
      ["and ${equals(t.status, 'allocated')}\n", '\n'],
      ['and not ${t.voided} and not ${p.merchantWaived}\n', 'and not ${t.voided}\n'],
      [
        'and ${p.dispatchedAt} > ${since}\n',
        'and (${p.dispatchedAt} > ${since} or ${p.dispatchedAt} <= ${since})\n',
      ],
      ['\n      and not ${CAME_TO_NOTHING} and ${p.held} is null\n    group', '\n    group'],
      ['= ${invoiceId} and not ${CAME_TO_NOTHING}', "= ${invoiceId} and not ${equals(p.status, 'failed')}"],
      ['wastedFeeMicroUsd: p.wastedFeeMicroUsd,\n', ''],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/payouts/payouts.ts',
    [QUERIES],
    [['where ${u.expiresAt} < ${before} order by', 'where ${before} is not null order by']],
  ),
  ...bugs(
    'src/adapters/postgres/payouts/payout-context.ts',
    [
      QUERIES,
      'tests/adapters/postgres/payouts/payout-writer.test.ts',
      'tests/journeys/deposits/own-addresses.test.ts',
    ],
    [
      [
        'order by ${b.merchantId}, ${b.sandbox} for no key update of ${b}',
        'order by ${b.merchantId}, ${b.sandbox}',
      ],
      ["equals(x.keyRole, 'change')", "equals(x.keyRole, 'hot')"],
      [
        'return asker.sandbox ? owner === scopeKey(asker) : owner !== undefined;',
        'return owner !== undefined;',
      ],
      [
        'return asker.sandbox ? owner === scopeKey(asker) : owner !== undefined;',
        'return owner === scopeKey(asker);',
      ],
      ['and ${u.sandbox} = ${USED.sandbox} and', 'and'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/payouts/insert-payouts.ts',
    [QUERIES, 'tests/adapters/postgres/payouts/payout-writer.test.ts'],
    [
      ['${b.payoutsMicroUsd} + reserve.micro_usd', '${b.payoutsMicroUsd} + reserve.lines'],
      [" and ${b.sandbox} = ${at('reserve', b.sandbox)}\n", '\n'],
      ['where ${u.expiresAt} <= (', 'where ${u.expiresAt} >= ('],
      ['if (done.least < 0n)', 'if (false)'],
      ['if (change !== payout.reservedMicroUsd)', 'if (false)'],
      ['greatest(${COUNTER.lastAt}, max(${N.at}) over merchant)', 'max(${N.at}) over merchant'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/invoices/insert-invoices.ts',
    [QUERIES, REPOSITORIES],
    [
      ['greatest(${COUNTER.lastAt}, max(${G.createdAt}) over batch)', '${G.createdAt}'],
      ['        issuedAt: a.issuedAt,\n', ''],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/invoices/invoices.ts',
    [
      REPOSITORIES,
      'tests/app/deposits/waiting-on-permanent-address.test.ts',
      'tests/app/invoices/earlier-choice-paid.test.ts',
    ],
    [
      ['and ${i.expiresAt} > ${seenAt}', 'and (${i.expiresAt} > ${seenAt} or true)'],
      ['${i.createdAt} <= ${madeBefore})', 'true)'],
      ['order by ${stands} desc, ${i.seq} desc', 'order by ${i.seq} desc'],
      ['desc, ${i.seq} desc limit 1', 'desc, ${i.seq} limit 1'],
      ['const LOCKED = sql`for no key update`;', 'const LOCKED = sql``;'],
      ['heldUnits: i.heldUnits,\n', ''],
      ['if (saved.length !== rows.length) throw', 'if (false) throw'],
      [
        '${i.bindsPermanentAddress}\n',
        'true\n',
        'an earlier choice names a permanent address only where the invoice binds one: the condition is that of the index',
      ],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/invoices/expiry.ts',
    [REPOSITORIES, 'tests/journeys/service/wrong-clock.test.ts'],
    [
      ['chain.read_until < ${i.expiresAt}\n', 'chain.read_until <= ${i.expiresAt}\n'],
      ['or ${i.expiresAt} <= ${latest})', 'or ${latest} is not null)'],
      ["or (${equals(i.status, 'created')} and", "or (${equals(i.status, 'expired')} and"],
      ['(${i.sandbox} or not exists (', '(not exists ('],
      ['`${i.version} + 1`', '`${i.version}`'],
      [" and ${equals(i.billingType, 'STATIC')}", ''],
      [
        'and ${status} and ${isOver(given)}\n  order by',
        'and ${status}\n  order by',
        'only a change between the snapshot of the statement and its lock tells, and what is skipped waits for nobody',
      ],
      ["return covered === undefined ? now : (covered ?? '-infinity');", 'return covered ?? now;'],
      [
        'order by ${i.expiresAt}, ${i.id} limit ${given.limit})`;',
        'order by ${i.id} limit ${given.limit})`;',
      ],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/deposits/deposits.ts',
    [REPOSITORIES, 'tests/app/invoices/earlier-choice-paid.test.ts'],
    [
      ['DEPOSIT))} from ${rows}`', 'DEPOSIT))} from ${rows} on conflict do nothing`'],
      ['${d.txid} = k.txid and ${d.output} = k.output', '${d.txid} = k.txid'],
      [
        'and ${d.blockHeight} <= ${height}\n        and not ${d.sandbox}`',
        'and ${d.blockHeight} <= ${height}`',
      ],
      ["where ${oneOf(d.status, ['held', 'stray'])}", "where ${equals(d.status, 'stray')}"],
      ["case when ${equals(d.status, 'stray')} then 'arrived' else ${d.status} end", "'arrived'"],
      [' and ${d.invoiceId} is null\n', '\n'],
      ['and ${d.blockHeight} > ${height}', 'and ${d.blockHeight} >= ${height}'],
      ['and (${d.lockedUntil} is null or ${d.lockedUntil} <= ${height})', ''],
      ['is null and ${IS_THERE}\n', "is null and ${d.status} <> 'dropped'\n"],
      ['any (${invoiceIds}) and ${d.status} = ${from}', "any (${invoiceIds}) and ${from} <> ''"],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/deposits/arrived.ts',
    [
      REPOSITORIES,
      'tests/journeys/invoices/stale-prices.test.ts',
      'tests/journeys/invoices/deferral-terms.test.ts',
    ],
    [
      ['and ${d.asset} <> all (${priced})', 'and ${priced} is not null'],
      [" and not ${equals(i.status, 'high_risk')})", ')'],
      ['(${d.asset} = any (${priced}) and ${NOT_DEFERRED})', '(${priced} is not null and ${NOT_DEFERRED})'],
      ['(${d.asset} = any (${priced}) and ${NOT_DEFERRED})', '${d.asset} = any (${priced})'],
      ['(${OLDEST}, ${d.invoiceId}) > (', '(${OLDEST}, ${d.invoiceId}) >= ('],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/sending/wallet-nonces.ts',
    [REPOSITORIES, 'tests/app/sending/nonces/next-nonce.test.ts'],
    [
      ['greatest(${w.nextNonce}, ${atLeast}) + ${count}', '${w.nextNonce} + ${count}'],
      ["coalesce(${at('free', t.nonce)}, ${w.nextNonce})", '${w.nextNonce}'],
      ['join ${x} on ${x.transferBatchId} = ${t.transferBatchId}', ''],
      [' and ${w.nextNonce} > 0`', '`'],
      ['`${atLeast} + ${count}`', '`${atLeast} + ${count} - 1`'],
      ['and ${t.nonce} >= ${from} and', 'and ${from} >= 0 and'],
      ["where ${t.nonce} >= ${at('g', t.nonce)} and", 'where'],
      ["greatest(${w.nextNonce} + 1, ${at('excluded', w.nextNonce)})", '${w.nextNonce} + 1'],
      ['sql`${given.atLeast} + 1`', 'sql`${given.atLeast}`'],
      ['\n      and not ${o.takenOut})', ' and ${o.id} <> ${t.id})'],
      ['= ${IN_SERIES} and not ${t.takenOut})', '= ${IN_SERIES})'],
      ["(where not ${equals(t.status, 'failed')} and ${MOVES_MONEY})", '(where ${MOVES_MONEY})'],
      ['(${ON_THE_WAY} or ${t.blockHeight} > ${height})\n', '(${ON_THE_WAY} or ${height} < 0)\n'],
      [
        "(${equals(t.status, 'confirmed')} and ${t.blockHeight} > ${height})",
        "(${equals(t.status, 'confirmed')} and ${height} >= 0)",
      ],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/sending/outgoing.ts',
    [REPOSITORIES],
    [
      ['do nothing returning', 'do update set raw = excluded.raw returning'],
      [' and ${x.broadcastAt} is null`', '`'],
      ["not ${equals(t.status, 'failed')} and not ${t.voided}`", "not ${equals(t.status, 'failed')}`"],
      ['order by ${t.wallet}, ${t.nonce}, ${t.position} limit', 'order by ${t.id} limit'],
      ['${t.blockHeight} >= ${height}', '${t.blockHeight} > ${height}'],
      ['takenOut: t.takenOut,\n', ''],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/sending/utxos.ts',
    [
      REPOSITORIES,
      'tests/journeys/deposits/unfinal-utxos.test.ts',
      'tests/journeys/restore/replaced-wallet.test.ts',
    ],
    [
      ["'vout:%' and not ${d.encumbered} and not ${d.sandbox}", "'vout:%' and not ${d.sandbox}"],
      [
        ' and not ${c.doubted} and ${c.blockHeight} <= ${finalHeight}',
        ' and ${c.blockHeight} <= ${finalHeight}',
      ],
      [
        'not ${c.doubted} and ${c.blockHeight} <= ${finalHeight}',
        'not ${c.doubted} and ${finalHeight}::bigint is not null',
      ],
      ['<= ${finalHeight}\n  and ${IS_OURS}`', '<= ${finalHeight}`'],
      ['and ${c.claimedBy} is null and case when', 'and case when'],
      ['then ${waiting} and not ${c.spentOutside} else', 'then ${waiting} is not null else'],
      ['else not ${c.doubted} end', 'else true end'],
      ["(${equals(c.keyRole, 'deposit')} or ${c.blockHash} is not null)", "${equals(c.keyRole, 'deposit')}"],
      ['if (claimed.length === utxos.length) return true;', 'if (claimed.length > 0) return true;'],
      ['order by ${c.units} desc, ${c.txid}, ${c.vout} limit', 'order by ${c.txid}, ${c.vout} limit'],
      ["booked: utxo.key.role === 'hot' ? true : null", 'booked: null'],
      ['${d.blockHeight} is not null and not ${d.encumbered}', 'not ${d.encumbered}'],
      ['where ${c.vout} is not null and (', 'where ('],
      ['and not ${isFrozen(d)} and', 'and'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/sending/utxo-funding.ts',
    [REPOSITORIES, 'tests/journeys/deposits/unfinal-utxos.test.ts'],
    [
      [
        "is distinct from ${at('excluded', c.blockHash)}`",
        "is distinct from ${at('excluded', c.blockHash)} and false`",
      ],
      ['${c.blockHeight} <= ${finalHeight}', '${finalHeight}::bigint is not null'],
      ["and not ${c.booked} and ${equals(c.keyRole, 'hot')}", 'and not ${c.booked}'],
      ['and ${c.blockHash} is not null and (', 'and ('],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/sweeps/sweeps.ts',
    [
      REPOSITORIES,
      'tests/journeys/sweeps/sweep-undone.test.ts',
      'tests/adapters/postgres/sweeps/sweeps.test.ts',
    ],
    [
      ["where ${at('excluded', s.forced)} and not ${s.forced} and", 'where'],
      [
        'and ${d.blockHeight} <= ${height} and ${IS_UNDECIDED}',
        'and ${height}::bigint >= 0 and ${IS_UNDECIDED}',
      ],
      [
        '(${oneOf(d.status, WITHHELD_STATUSES)} or ${isFrozen(d)})`',
        '${oneOf(d.status, WITHHELD_STATUSES)}`',
      ],
      ['where ${IS_CREDITED} and (${d.sweptBy}', 'where (${d.sweptBy}'],
      ['any (${addresses}) and not ${t.takenOut}', 'any (${addresses})'],
      ['where ${d.sweptBy} = ${g.id} or (${IS_CREDITED}', 'where (${IS_CREDITED}'],
      ['or (${IS_CREDITED} and ${IS_NOT_MOVED})\n', 'or ${IS_NOT_MOVED}\n'],
      ['or (${IS_CREDITED} and ${IS_NOT_MOVED})\n', 'or ${IS_CREDITED}\n'],
      ['where ${d.sweptBy} = ${g.id}\n', 'where ${d.sweptBy} is not null\n'],
      [' and ${d.asset} = ${g.asset}`', '`'],
      ["${oneOf(t.purpose, ['lend', 'sweep', 'reclaim'])}", "${oneOf(t.purpose, ['lend', 'reclaim'])}"],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/sweeps/sweep-row.ts',
    [REPOSITORIES],
    [
      ['(${d.sweptBy} is null or exists', '(true or exists'],
      ["${s.id} = ${d.sweptBy} and ${equals(s.status, 'failed')}", '${s.id} = ${d.sweptBy}'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/webhooks/webhook-lanes.ts',
    [QUERIES],
    [
      [
        '(${q.leasedUntil} is null or ${q.leasedUntil} <= ${now})',
        '(${q.leasedUntil} is null and ${now} is not null)',
      ],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/webhooks/webhook-queue.ts',
    [QUERIES, 'tests/adapters/postgres/webhooks/webhook-queue-growth.test.ts'],
    [
      ['make_interval(secs => ${leaseSeconds})', 'make_interval(mins => ${leaseSeconds}::integer)'],
      [
        '${q.deliveryId} = ${deliveryId} and ${q.deadAt} is null and ${isFree',
        '${q.deliveryId} = ${deliveryId} and ${isFree',
      ],
      ["and ${q.attempts} = ${at('held', q.attempts)} and", 'and'],
      ['and ${q.attempts} = ${G.attempt} and ${q.deadAt} is null`', '`'],
      [
        "${anyOf('oldest')} and ${q.deadAt} is null and ${isFree(lease.now)}\n      for no key update skip locked",
        "${anyOf('oldest')} and ${q.deadAt} is null",
      ],
      ["sql`case when given.state = 'dead' then ${G.sentAt} end`", 'sql`null`'],
      ['where lane.trial or ${holdsBack', 'where lane.trial is not null and ${holdsBack'],
      ['${q.dueAt} < ${before} and ${holdsBack', '${q.dueAt} <> ${before} and ${holdsBack'],
      ["if (isUniqueViolation(error, 'webhook_attempts_pkey')) return;", ''],
      ["return text.replaceAll('\\0', '').toWellFormed();", 'return text;'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/webhooks/webhook-outbox.ts',
    [QUERIES, 'tests/adapters/postgres/webhooks/webhook-outbox.test.ts'],
    [
      ['${d.invoiceId} = ${G.invoiceId} and ${d.invoiceVersion} = ${G.invoiceVersion})', 'false)'],
      ['from given where ${G.eventAt} is not null group by 1, 2', 'from given group by 1, 2'],
      [
        '(partition by ${G.merchantId}, ${G.sandbox}, ${G.eventAt}',
        '(partition by ${G.merchantId}, ${G.eventAt}',
      ],
      ['${G.sandbox}, ${G.eventAt} is not null order by', '${G.sandbox} order by'],
      ['order by ${G.eventSeq})', 'order by ${G.eventSeq} desc)'],
      ["greatest(${at('numbers', n.lastAt)}, max(${G.eventAt}) over place)", '${G.eventAt}'],
      ['order by ${d.invoiceVersion} desc limit 1', 'order by ${d.invoiceVersion} limit 1'],
      ["`${n.value} + ${at('excluded', n.value)}`", '`${n.value}`'],
      ["${at('opened', n.value)} - wanted.lines", "${at('opened', n.value)}"],
      ['from given where ${G.url} is not null`', 'from given`'],
      ['kept.push(delivery);', 'await WRITE(on, { deliveries: [rowOf(delivery, 0)] });'],
      ['rows.push(rowOf(delivery, rows.length))', 'rows.push(rowOf(delivery, 0))'],
      ['      addRows(kept.length);\n', ''],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/webhooks/stored-body.ts',
    [QUERIES, 'tests/adapters/postgres/webhooks/stored-body.test.ts'],
    [
      [',"event_seq":${eventSeq}}', '}'],
      ['coalesce(${toldStatus}, ', 'coalesce('],
      ["${body}::json ->> 'status'", 'null'],
      ['coalesce(${toldEvent}, ', 'coalesce('],
      ["else 'payout.' end", "else 'invoice.' end"],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/webhooks/events-again.ts',
    [QUERIES],
    [
      ['${d.eventAt} < ${from} then middle + 1', '${d.eventAt} <= ${from} then middle + 1'],
      ['coalesce(${d.eventAt} > ${given.to}, false)', 'coalesce(${d.eventAt} >= ${given.to}, false)'],
      [' and ${i.version} = ${LOOKED.invoiceVersion} limit 1', ' limit 1'],
      [' and ${m.payoutWebhooks} and', ' and'],
      ['${later.eventSeq} > ${LOOKED.seq}', 'false'],
      ['not (${given.undelivered} and', '(true or ${given.undelivered} or'],
      ['(${q.deadAt} is not null or', '(true or'],
      [
        'coalesce(${i.notifyUrl}, ${m.callbackUrl}, ${LOOKED.url})',
        'coalesce(${LOOKED.url}, ${m.callbackUrl})',
      ],
      ['within.length === most', 'looked.length === most'],
      ['where ${q.deadAt} is not null', 'where true'],
      ['attempts: sql<number>`0`, deadAt: sql<null>`null`', 'deadAt: sql<null>`null`'],
      ['and ${d.id} in (select ${names(q.deliveryId)} from queued)', ''],
    ],
  ),
  ...bugs('src/adapters/postgres/unit-of-work.ts', [QUERIES], [['await flush();', '']]),
  ...bugs(
    'src/adapters/postgres/webhooks/events.ts',
    [QUERIES, 'tests/adapters/http/webhooks/events.test.ts'],
    [
      ['and ${d.sandbox} = ${sandbox} and', 'and'],
      ['${d.eventSeq} > ${after}', '${d.eventSeq} >= ${after}'],
      ['and ${d.eventAt} is not null\n', '\n'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/webhooks/webhook-circuits.ts',
    [QUERIES, 'tests/app/webhooks/webhook-circuits.test.ts'],
    [
      ['${IS_SHUT} and ${c.tryAt} <= ${now}', '${IS_SHUT} and ${now}::timestamptz is not null'],
      ['order by ${c.destination} for no key update`', 'order by ${c.destination}`'],
      ['${merchantId} = any (${c.merchants})', 'true'],
      ['silentSince: at,', 'silentSince: after.tryAt ?? at,'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/invoices/addresses.ts',
    [REPOSITORIES, 'tests/app/invoices/addresses/address-allocator.test.ts'],
    [
      ['greatest(${i.next}, ${atLeast}) + ${count}', '${atLeast} + ${count}'],
      [
        '${a.family} = ${family} and ${a.address} = any',
        "${a.family} || ${family} <> '' and ${a.address} = any",
      ],
      ["${equals(c.keyRole, 'change')} and ${c.address} = ${address}", 'false'],
      ['where ${ofInvoice} and ${a.retired} = 0`', 'where ${ofInvoice}`'],
      ['${from} + place - 1', '${from} + place'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/invoices/permanent-addresses.ts',
    [
      REPOSITORIES,
      QUERIES,
      'tests/journeys/invoices/concurrency.test.ts',
      'tests/adapters/http/kit/isolation.test.ts',
    ],
    [
      ['and ${p.family} = ${family} and ${p.active}`', 'and ${p.family} = ${family}`'],
      ['and ${p.sandbox} = ${sandbox}\n', 'and ${p.sandbox} <= ${sandbox}\n'],
      ['where ${names(p.active)} do nothing', 'where ${names(p.active)} do update set active = true'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/merchants/merchants.ts',
    ['tests/adapters/http/webhooks/events.test.ts'],
    [['any (${ids}) and ${m.payoutWebhooks}`', 'any (${ids})`']],
  ),
  ...bugs(
    'src/adapters/postgres/chains/chains.ts',
    [REPOSITORIES, 'tests/app/watching/watch-chain.test.ts'],
    [
      ['and ${c.hash} = ${wasHash}', "and ${c.hash} || ${wasHash} <> ''"],
      ['${b.height} > ${height}', '${b.height} >= ${height}'],
      ['offset ${keep} limit', 'offset ${keep} - 1 limit'],
      ['and ${b.hash} = ${hash}`', "and ${b.hash} || ${hash} <> ''`"],
      ['when abs(extract(epoch', 'when -(extract(epoch'],
      ['${c.resumedAt} = ${resumedAt}`', '${c.resumedAt} <> ${resumedAt}`'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/treasury/wallet-units.ts',
    ['tests/adapters/postgres/treasury-queries.test.ts'],
    [
      ['${t.asset}, -${t.units} as units', '${t.asset}, ${t.units} as units'],
      ['${t.hotFeeUnits} - ${t.feeUnits} from', '${t.feeUnits} - ${t.hotFeeUnits} from'],
      ['select ${at.nativeAsset}, -${t.hotFeeUnits} from', 'select ${at.nativeAsset}, ${t.hotFeeUnits} from'],
      [
        '<= ${at.height}\n        and ${IS_THERE}',
        '<= ${at.height}',
        'what left the chain has no block (CHECK deposits_gone_without_block)',
      ],
      [
        "where ${isConfirmed(at)} and ${equals(t.purpose, 'sweep')}",
        "where ${isCounted(at)} and ${equals(t.purpose, 'sweep')}",
      ],
      ['and ${k.address} is null and ${k.blockHeight}', 'and ${k.blockHeight}'],
      ['any (${at.wallets}) and ${k.blockHeight} <= ${at.height}', 'any (${at.wallets})'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/sending/spent-outside.ts',
    [REPOSITORIES],
    [
      ['and ${c.claimedBy} is null and ${c.blockHeight} <=', 'and ${c.blockHeight} <='],
      ['and ${c.blockHeight} <= ${finalHeight}', 'and ${finalHeight}::bigint is not null'],
      ['and not ${c.spentOutside} and', 'and'],
      ['and ${c.vout} = ${vout} and ${c.spentOutside}', 'and ${c.vout} = ${vout}'],
      ['and (${c.blockHeight} is not null) = ${inBlock}\n    returning', 'returning'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/sending/signing-records.ts',
    ['tests/adapters/signer/signer-process.test.ts'],
    [
      ['(select ${s.stoppedAt} is not null from ${s})', '(select ${s.stoppedAt} is null from ${s})'],
      ['held: reasonFromRow(row.payoutHeld, row.payoutHeldCode),', 'held: null,'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/treasury/frozen-addresses.ts',
    ['tests/journeys/deposits/frozen-addresses.test.ts', 'tests/journeys/restore/replaced-wallet.test.ts'],
    [
      [' and not ${f.formerWallet}\n', '\n'],
      ['${f.chain} = any (${chains}) and ${f.address}', '${chains} is not null and ${f.address}'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/treasury/capital.ts',
    ['tests/journeys/treasury/reconcile-chain.test.ts', 'tests/scripts/treasury.test.ts'],
    [
      [
        'and ${k.asset} = ${asset} and ${k.address} is null',
        'and ${k.asset} <> ${asset} and ${k.address} is null',
      ],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/treasury/capital.ts',
    [REPOSITORIES],
    [
      ['or bool_or(${k.units} = -${units})', 'or true'],
      ['having sum(${k.units}) + ${units} <= 0\n      and', 'having'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/lists/pages.ts',
    [QUERIES, 'tests/adapters/http/kit/queries.test.ts'],
    [
      ['BigInt(page - 1) * BigInt(perPage)', 'BigInt(page) * BigInt(perPage)'],
      ['${key} <= (select number from start)', '${key} < (select number from start)'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/lists/list.ts',
    [QUERIES, 'tests/adapters/http/kit/queries.test.ts'],
    [
      ['${table.sandbox} = ${sandbox}', '${sandbox}::boolean is not null'],
      ['${time} <= ${to}', '${time} < ${to}'],
      ['${time} >= ${from}', '${time} > ${from}'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/treasury/ledger-checks.ts',
    [RECONCILIATION],
    [
      ['having sum(${l.amount}) <> 0`', 'having sum(${l.amount}) > 0`'],
      ["  ['credited', 'income'],\n", ''],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/treasury/sending-checks.ts',
    [RECONCILIATION],
    [
      [
        "where not ${HAS_ENDED_UNPAID} and not ${OF_SURPLUS} and not ${equals(i.status, 'refunded')}",
        'where false',
      ],
      ['else not ${equals(t.failureCode, OPERATORS_DOING)} end', 'else true end'],
      ['else not ${equals(t.failureCode, OPERATORS_DOING)} end', 'else false end'],
    ],
  ),
  ...bugs('src/adapters/postgres/payouts/payouts.ts', RESTORED, [
    ["`case when ${p.heldCode} is null then 'restored' else 'restored_held' end`", "`'restored'`"],
    [
      "(${p.heldCode} is null or not ${oneOf(p.heldCode, ['restored', 'restored_held'])})",
      '${p.heldCode} is null',
    ],
    ['${p.createdAt} <= ${madeBefore} or ${p.createdAt} > ${now}\n', '${p.createdAt} > ${now}\n'],
  ]),
  ...bugs(
    'src/adapters/postgres/sending/unknown-transactions.ts',
    [REPOSITORIES],
    [['and ${u.nonce} < ${below}`', 'and ${below} >= 0`']],
  ),
  ...bugs('src/adapters/postgres/sending/unknown-transactions.ts', RESTORED, [
    ['not ${u.harmless} and greatest(', 'greatest('],
    ['greatest(json_array_length(${u.payments}::json), 1)', 'json_array_length(${u.payments}::json)'],
    ['and ${u.notedAt} >= ${since} and', 'and (${u.notedAt} >= ${since} or true) and'],
    ['blockHash: sql<null>`null`', 'blockHash: sql<null>`${u.blockHash}`'],
    ["\n      or (not ${u.harmless} and exists (select from known where ${at('known', u.harmless)})))", ')'],
  ]),
];
