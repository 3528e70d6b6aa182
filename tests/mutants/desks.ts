/**
 * Bugs in what people order in the console: approvals, refunds, uploaded payouts, the audit log,
 * figures and statements.
 */
import { bugs, type Mutant } from './mutant.ts';

const RULE = 'tests/domain/accounts/approval.test.ts';
const APPROVALS = 'tests/journeys/console/console-approvals.test.ts';
const CARRIED = 'tests/journeys/console/carry-out.test.ts';
const PAYOUTS = 'tests/journeys/console/console-payouts.test.ts';
const BATCHES = 'tests/journeys/console/console-batches.test.ts';
const REFUNDS = 'tests/journeys/console/console-refunds.test.ts';
const SETTINGS = 'tests/journeys/console/console-settings.test.ts';
const OPERATORS = 'tests/journeys/console/console-operators.test.ts';
const TREASURY = 'tests/journeys/console/console-treasury.test.ts';
const BORDERS = 'tests/journeys/console/console-borders.test.ts';
const STORED = 'tests/adapters/postgres/accounts/approvals.test.ts';
const AUDITED = 'tests/app/audit/audited.test.ts';
const LOG = 'tests/adapters/postgres/audit/audit-log.test.ts';
const QUERIES = 'tests/adapters/postgres/console/console-queries.test.ts';

const APPROVING: readonly Mutant[] = [
  ...bugs(
    'src/domain/accounts/approval.ts',
    [RULE],
    [
      ["if (by.userId === approval.requestedBy) return 'own';", ''],
      ["if (event.userId !== approval.requestedBy) return err('not_own');", ''],
      ["return isOpen(approval, at) ? null : 'over';", 'return null;'],
      ['at.getTime() < expiresAt.getTime()', 'at.getTime() <= expiresAt.getTime()'],
      ['at.getTime() < expiresAt.getTime()', 'at !== expiresAt'],
      ["if (limited) return 'not_permitted';", ''],
      ['amountMicroUsd > limitMicroUsd', 'amountMicroUsd >= limitMicroUsd'],
      ['if (!mayRequest(approval, event.requester))', 'if (event.requester === null)'],
      ["(status === 'approved' || status === 'failed')", "status !== 'done'"],
      ["if (event.type === 'failed' && status === 'approved')", "if (event.type === 'failed')"],
      ["status: needed === 'nobody' ? 'approved' : 'waiting'", "status: 'approved'"],
      ["approval.status === 'waiting' && !isOpen", '!isOpen'],
    ],
  ),
  ...bugs(
    'src/app/console/approvals/decide.ts',
    [APPROVALS, BORDERS, REFUNDS],
    [
      [' || known.merchantId !== by.merchantId', ''],
      ['await appendEntry(deps, repositories, {', 'if (note === "") await appendEntry(deps, repositories, {'],
      [
        'await appendEntry(deps, repositories, {',
        'await appendEntry(deps, { audit: { append: (entry) => deps.unitOfWork.run(({ audit }) => audit.append(entry)) } } as never, {',
      ],
      ['sponsors: people.decider?.sponsors ?? [approval.requestedBy]', 'sponsors: []'],
      ['limitMicroUsd: merchant?.approvalAboveMicroUsd ?? null', 'limitMicroUsd: null'],
      ['const approval = await repositories.approvals.lock(id);', 'const approval = known;'],
    ],
  ),
  ...bugs(
    'src/app/console/approvals/carry-out.ts',
    [CARRIED, APPROVALS, REFUNDS],
    [
      ["if (approval.status !== 'approved') return ok(approval);", ''],
      ["if (approval.status !== 'approved' || carrier === undefined)", 'if (carrier === undefined)'],
      ['return PASSES.has(code) && ', 'return '],
      ['< CARRY_OUT_PATIENCE_MS', '< 24 * CARRY_OUT_PATIENCE_MS'],
      ['userId: decidedBy ?? requestedBy', 'userId: requestedBy'],
      ['if (!(error instanceof StorageUnavailable)) throw error;', ''],
      ['if (!made.ok) return made;', 'if (!made.ok) return ok(approval);'],
    ],
  ),
  ...bugs(
    'src/app/console/approvals/approval-jobs.ts',
    [APPROVALS, CARRIED],
    [
      ['await carryOut(approval).catch(', 'if (failures.length === 0) await carryOut(approval).catch('],
      ['if (failures[0] !== undefined) throw failures[0];', ''],
      ['await repositories.approvals.save(ended.value);', ''],
      ['await appendEntry(deps, repositories, {', 'if (at === null) await appendEntry(deps, repositories, {'],
    ],
  ),
  ...bugs(
    'src/app/console/approvals/store-request.ts',
    [APPROVALS, PAYOUTS, SETTINGS],
    [
      ['if (earlier !== null) return sameForm(earlier, by, wanted);', ''],
      ['await approvals.lockUser(by.userId);', ''],
      ['worthMicroUsd + lately);', 'worthMicroUsd);'],
      ['return barred === null ?', 'return barred !== undefined ?'],
      ['earlier.kind === kind && ', ''],
      ['if (named !== null)', 'if (named === null)'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/accounts/approvals.ts',
    [STORED, APPROVALS],
    [
      ['and ${a.decidedBy} is null and ${isMoved})', 'and ${isMoved})'],
      ['and ${a.decidedBy} is null and ${isMoved})', 'and ${a.decidedBy} is null)'],
      [
        '        or (${a.decidedBy} = ${userId} and ${a.decidedAt} > ${since} and ${isMoved}))',
        '        or false)',
      ],
      ['      and ${a.merchantId} is not distinct from ${merchantId}\n      and', '      and'],
      ['${a.createdAt} > ${since}', '${since} is not null'],
      ['${a.expiresAt} <= ${now}', '${now} is not null'],
      ["where ${equals(a.status, 'approved')} and", 'where'],
      [
        'where ${a.merchantId} = ${merchantId} and (${a.sandbox} is null',
        'where (${merchantId} is not null) and (${a.sandbox} is null',
      ],
    ],
  ),
];

const ORDERING: readonly Mutant[] = [
  ...bugs(
    'src/app/console/merchant/order-payouts.ts',
    [BATCHES, PAYOUTS, BORDERS],
    [
      ['if (faults.length > 0)', 'if (payouts.length === 0)'],
      ['return reserved <= available ?', 'return reserved !== available ?'],
      ['reserved += quote.value.reservedMicroUsd;', 'reserved = quote.value.reservedMicroUsd;'],
      ['worth += quote.value.amountMicroUsd;', 'worth = quote.value.amountMicroUsd;'],
      ['if (fault !== null) return err(fault);', ''],
    ],
  ),
  ...bugs(
    'src/app/console/merchant/carry-out-payouts.ts',
    [APPROVALS, PAYOUTS, BATCHES, BORDERS],
    [
      ['if (barred !== null) return err(barred);\n      const input', 'const input'],
      ['if (barred !== null) return err(barred);\n      if', 'if'],
      ['approval.uniqId, input, null,', 'crypto.randomUUID(), input, null,'],
      ['approval.uniqId, inputs, once,', 'crypto.randomUUID(), inputs, once,'],
      ["approval.uniqId, input, null, 'for good'", 'approval.uniqId, input, null'],
      ["approval.uniqId, inputs, once, 'for good'", 'approval.uniqId, inputs, once'],
    ],
  ),
  ...bugs(
    'src/app/console/merchant/cancel-own-payout.ts',
    [BORDERS],
    [
      ['payout?.merchantId === merchantId && ', 'payout !== null && '],
      [' && payout.sandbox === sandbox', ''],
      [" && payout.kind === 'payout'", ''],
      ["if (payout.status !== 'pending')", "if (payout.status === 'success')"],
    ],
  ),
  ...bugs(
    'src/app/console/merchant/offer-refund.ts',
    [REFUNDS, BORDERS],
    [
      ['refundLimitMicroUsd: by.refundLimitMicroUsd', 'refundLimitMicroUsd: null'],
      ['return isAbove(worth.value, by.refundLimitMicroUsd)', 'return worth.value === undefined'],
      ['claim?.merchantId !== merchantId || ', 'claim === null || '],
      ["if (offer.of.subject === 'deposit') return err(appError('NOT_FOUND', 'No such invoice.'));", ''],
      ['if (!isClaimable(claim, deps.clock.now()))', 'if (claim === null)'],
    ],
  ),
  ...bugs(
    'src/app/console/merchant/settings.ts',
    [SETTINGS],
    [
      ['microUsd === null || microUsd > limit', 'microUsd !== null && microUsd > limit'],
      ['microUsd === null || microUsd > limit', 'microUsd === null'],
      ['limit !== null && subnets.some', 'limit === undefined && subnets.some'],
      ['if (JSON.stringify(present) !== JSON.stringify(order.from))', 'if (present === undefined)'],
      [
        'if (fault !== null)\n        return err(validationError',
        'if (fault === "")\n        return err(validationError',
      ],
    ],
  ),
  ...bugs(
    'src/app/console/merchant/payout-csv.ts',
    ['tests/app/console/payout-csv.test.ts'],
    [
      ['columns.indexOf(name) !== at', 'columns.indexOf(name) > at'],
      ['if (toUnits(amount, decimals) === null)', 'if (amount === null)'],
      ['if (amount.digits <= 0n)', 'if (amount.digits < 0n)'],
      ['if (rows.length > PAYOUTS_PER_BATCH)', 'if (rows.length > 10 * PAYOUTS_PER_BATCH)'],
      ['if (fields.length !== columns.length)', 'if (fields.length < columns.length)'],
      ['else faults.push(...input', 'else if (payouts.length === 0) faults.push(...input'],
      ['return isEnd(end + 1) ? { value, end: end + 1 } : null;', 'return { value, end: end + 1 };'],
    ],
  ),
  ...bugs(
    'src/app/console/accept-invoice.ts',
    ['tests/journeys/console/timelines.test.ts', BORDERS],
    [
      ['invoice?.merchantId !== scope.merchantId || ', 'invoice === null || '],
      ['if (!isAcceptable(invoice))', "if (invoice.status === 'success')"],
    ],
  ),
  ...bugs(
    'src/app/console/operator/payouts.ts',
    [OPERATORS],
    [
      ['payout.sandbox ? 0n : payout.amountMicroUsd', '0n'],
      ['ok(await worthOfRestored(repositories))', 'ok(0n)'],
      [
        'releasePayout(audited(joined(deps, repositories), actor, action))',
        'releasePayout(joined(deps, repositories))',
      ],
    ],
  ),
  ...bugs(
    'src/app/console/operator/refunds.ts',
    [OPERATORS, BORDERS],
    [
      [
        'worth: async () => ok(quoted?.microUsd ?? null)',
        'worth: async () => ok(quoted === null ? 0n : null)',
      ],
      ['offerWorth(deps, repositories, ordering)', 'Promise.resolve(ok(0n))'],
    ],
  ),
  ...bugs(
    'src/app/console/operator/treasury.ts',
    [TREASURY],
    [
      ['found.value.units !== units || ', ''],
      ['worthOf(parts, asset, units)', 'ok(0n)'],
    ],
  ),
  ...bugs(
    'src/app/console/operator/seat-parts.ts',
    [TREASURY],
    [["priceE18(deps.rateBook.latest().rates, asset, 'USD')", 'null']],
  ),
  ...bugs(
    'src/domain/accounts/sponsors.ts',
    ['tests/domain/accounts/sponsors.test.ts'],
    [
      ['if (inviter === null) return [];', "if (inviter === null) return ['nobody'];"],
      ['?.sponsors ?? [])', '?.userId ? [] : [])'],
      ['const among = new Set([one.userId, ...one.sponsors]);', 'const among = new Set(one.sponsors);'],
      ['![other.userId, ...other.sponsors]', '![other.userId]'],
    ],
  ),
];

const AUDIT: readonly Mutant[] = [
  ...bugs(
    'src/app/audit/audited.ts',
    [AUDITED],
    [
      ['if (isRefused(result)) return false;', ''],
      [
        '        wrote = await appended(repositories, before, worked);\n        return worked;\n      });',
        '        return [worked, before];\n      }).then(async ([worked, before]) => {\n        wrote = await deps.unitOfWork.run((later) => appended(later, before, worked));\n        return worked;\n      });',
      ],
      ['comparable ? isSame(before, after) : written', 'comparable && isSame(before, after)'],
      ['comparable ? isSame(before, after) : written', 'written'],
      ['if (isRefused(done) || trail.isWritten()) return done;', 'return done;'],
      ['before: before?.facts ?? null, after', 'before: after?.facts ?? null, after'],
      ['action.merchantId ?? after?.merchantId', 'action.merchantId'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/audit/audit-log.ts',
    [LOG],
    [
      ['and (${given.merchantId} is null or ${l.merchantId} = ${given.merchantId})', ''],
      ['${l.id} < ${given.before}', '${l.id} <= ${given.before}'],
      ['and (${given.to} is null or ${l.at} <= ${given.to})', ''],
    ],
  ),
  ...bugs(
    'src/app/audit/exported-entries.ts',
    ['tests/app/audit/exported-entries.test.ts'],
    [['if (entries.length < PAGE) return;', 'if (entries.length <= PAGE) return;']],
  ),
  ...bugs(
    'drizzle/0006_console.sql',
    [LOG],
    [
      ['BEFORE UPDATE OR DELETE ON audit_log', 'BEFORE UPDATE ON audit_log'],
      ['BEFORE UPDATE OR DELETE ON audit_log', 'BEFORE DELETE ON audit_log'],
      ['ENABLE ALWAYS TRIGGER audit_log_append_only, ', ''],
      [', ENABLE ALWAYS TRIGGER audit_log_not_emptied;', ';'],
      [
        'CREATE TRIGGER audit_log_not_emptied BEFORE TRUNCATE',
        'CREATE TRIGGER audit_log_not_emptied AFTER INSERT',
      ],
    ],
  ),
];

const FIGURES: readonly Mutant[] = [
  ...bugs(
    'drizzle/0006_console.sql',
    [QUERIES],
    [
      ["WHERE e.kind IN ('income', 'income_reversed')", "WHERE e.kind IN ('income')"],
      ["CASE e.kind WHEN 'income' THEN 1 ELSE -1 END, p.suspense", '1, p.suspense'],
      ["WHERE e.kind IN ('payout_settled', 'payout_unsettled')", "WHERE e.kind IN ('payout_settled')"],
      ["WHERE e.kind IN ('refund', 'refund_reversed')", "WHERE e.kind IN ('refund')"],
      ["'payout_fee_returned', 'refund_fee_charged', 'refund_fee_returned')\n)", "'refund_fee_charged')\n)"],
      ['      UNION ALL SELECT merchant_id, sandbox, created_at, status, -1 FROM was_so) AS c', ') AS c'],
      ["(e.at AT TIME ZONE 'UTC')::date AS day", "(e.at AT TIME ZONE 'Asia/Tokyo')::date AS day"],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/console/statement-queries.ts',
    [QUERIES],
    [
      [
        'closingMicroUsd: await figures.balanceBefore(scope, last + 1)',
        'closingMicroUsd: await figures.balanceBefore(scope, last)',
      ],
      ['last: await before(last + 1)', 'last: await before(last)'],
      ['order by ${e.feedSeq} limit', "and ${e.kind} <> 'payout_fee_charged' order by ${e.feedSeq} limit"],
      [
        "when ${e.kind} in ('payout_released', 'refund_reversed') then -",
        "when ${e.kind} in ('payout_released', 'refund_reversed') then ",
      ],
      ['${e.feedSeq} > ${after} and', '${e.feedSeq} >= ${after} and'],
      [
        'and ${e.sandbox} = ${sandbox}\n      and ${e.feedSeq}',
        'and ${sandbox} is not null\n      and ${e.feedSeq}',
      ],
      [
        "coalesce(${p.feeMicroUsd}, 0)\n  when ${e.kind} in ('payout_released'",
        "0\n  when ${e.kind} in ('payout_released'",
      ],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/console/merchant-figures.ts',
    [QUERIES],
    [
      ['union all select ${KEY_NAMES}, ${SUM_NAMES} from ${g} where ${fits(g)}', ''],
      ['${t.day} between ${first} and ${last}', '${t.day} > ${first} and ${t.day} <= ${last}'],
      ['and ${t.day} < ${day}', 'and ${t.day} <= ${day}'],
    ],
  ),
  ...bugs(
    'src/domain/console/statement.ts',
    ['tests/domain/console/statement.test.ts', QUERIES],
    [
      ['start(month + 1) - 1', 'start(month + 1) - 2'],
      ['start(month + 1) - 1', 'start(month + 1)'],
      ["refund_fee_charged: 'network_fee'", 'refund_fee_charged: null'],
      ["payout_released: 'adjustment'", "payout_released: 'payout'"],
      ['return netMicroUsd + feeMicroUsd;', 'return netMicroUsd;'],
    ],
  ),
  ...bugs(
    'src/app/console/statement.ts',
    ['tests/app/console/statement.test.ts'],
    [
      ['if (balance !== closingMicroUsd)', 'if (balance === null)'],
      ['dayOf(madeAt) > days.last', 'dayOf(madeAt) >= days.last'],
      ['|| days.first > dayOf(madeAt)', ''],
      ['read = lines.at(-1)?.seq ?? last;', 'read = last;'],
    ],
  ),
  ...bugs(
    'src/domain/console/overview.ts',
    ['tests/domain/console/overview.test.ts'],
    [
      ["'success', 'paid_over', 'refunded'", "'success', 'paid_over'"],
      ['open: created - paid - expired', 'open: created - paid'],
      ['sums.reduce((sum, { feeMicroUsd })', "of('received').reduce((sum, { feeMicroUsd })"],
    ],
  ),
  ...bugs(
    'src/adapters/http/kit/documents/csv.ts',
    ['tests/adapters/http/kit/csv.test.ts'],
    [
      ['quoted(FORMULA.test(value)', "quoted(value === '='"],
      ['/^[=+\\-@\\t\\r]/', '/^[=+\\-@]/'],
      ['/^[=+\\-@\\t\\r]/', '/^[=]/'],
    ],
  ),
];

export const DESK_MUTANTS: readonly Mutant[] = [...APPROVING, ...ORDERING, ...AUDIT, ...FIGURES];
