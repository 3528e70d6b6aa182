/** Bugs in refunds that customers claim. */
import { bugs, type Mutant } from './mutant.ts';

const CLAIM = 'tests/domain/payouts/refund-claim.test.ts';
const JOURNEYS = [
  'tests/journeys/payouts/refund-claims.test.ts',
  'tests/journeys/payouts/refund-claim-ends.test.ts',
  'tests/journeys/payouts/refund-claim-reorgs.test.ts',
];
const REMOVED = 'tests/journeys/invoices/removed-invoices.test.ts';

export const REFUND_MUTANTS: readonly Mutant[] = [
  ...bugs(
    'src/domain/payouts/refund-claim.ts',
    [CLAIM],
    [
      ["status === 'open' && at.getTime() < expiresAt", 'at.getTime() < expiresAt'],
      ['at.getTime() < expiresAt.getTime()', 'at.getTime() <= expiresAt.getTime()'],
      ["if (!isClaimable(claim, at) && claim.status !== 'confirmed') return null;", ''],
      [
        "return claim.status === 'open' ? { ...claim, status: 'withdrawn'",
        "return claim.status !== 'paid' ? { ...claim, status: 'withdrawn'",
      ],
      ["claim.status === 'open' && !isClaimable(claim, at);", '!isClaimable(claim, at);'],
      ["status !== 'paid' || claim.payoutId !== null", "status !== 'paid'"],
      ["failed: 'open',", "failed: 'expired',"],
      ['at.getTime() + REOPENED_MS', 'at.getTime()'],
      ['Math.max(claim.expiresAt.getTime(), ', 'Math.min(claim.expiresAt.getTime(), '],
      ["over, funds.creditedUnits, 'floor')", "over, funds.creditedUnits, 'ceil')"],
    ],
  ),
  ...bugs('src/app/payouts/refunds/confirm-refund.ts', JOURNEYS, [
    ['availableMicroUsd(balance) + (replaced?.reservedMicroUsd ?? 0n)', 'availableMicroUsd(balance)'],
    ["invoiceId: claim.subject === 'deposit' ? null : claim.invoiceId,", 'invoiceId: claim.invoiceId,'],
    ['      else await cancel(deps, repositories, replaced, at);\n', ''],
    [
      "if (claim.payoutId !== (replaced?.id ?? null)) return err({ why: 'sent' });",
      '',
      'the next rules refuse the same: that payout is not pending any more, or the claim is not open',
    ],
    ['>= PAYOUTS_PER_CLAIM', '> PAYOUTS_PER_CLAIM'],
    [
      'part.units !== quoted.value.part.units || replaced?.id !== quoted.value.replaced?.id',
      'part.units < 0n',
    ],
    ["if (!(await isReplaceable(repositories, replaced))) return err({ why: 'sent' });", ''],
    ["if (!isClaimable(claim, deps.clock.now())) return err({ why: 'over' });", ''],
    ['found.value.mostUnits < claim.units', 'found.value.mostUnits < 0n'],
    ['if (claim.orderedBy !== null || claim.sandbox) return false;', 'return false;'],
    ["held.code !== 'limit' && held.code !== 'fee'", "held.code === 'restored'"],
    ["return (await outgoing.activeOf('payout', id)) === null;", 'return outgoing !== null && id !== null;'],
    ["if (sentUnits < limits.seenUnits) return { why: 'changed' };", ''],
    ["limits.availableMicroUsd < reservedMicroUsd ? { why: 'later' } : null", 'null'],
    ["if (subject !== 'invoice') return;", "if (subject === 'deposit') return;"],
    ['return refused ? err(refused) : normalized;', 'return normalized;'],
  ]),
  ...bugs('src/app/payouts/refunds/refundable.ts', JOURNEYS, [
    ["refunds.some(({ status }) => status !== 'success')", 'refunds.length < 0'],
    ['units: units - back.amountUnits,', 'units,'],
    [
      'creditedSurplus(invoice, credited.units) - (credited.units - left.units)',
      'creditedSurplus(invoice, credited.units)',
    ],
    [
      "status !== 'credited' || invoiceId !== null",
      'invoiceId !== null',
      'what is not credited has nothing in the ledger that could be left',
    ],
    ["left.microUsd, units, left.units, 'ceil'", "left.microUsd, left.units, left.units, 'ceil'"],
  ]),
  ...bugs('src/app/payouts/refunds/offer-refund.ts', JOURNEYS, [
    [
      'if (invoice?.merchantId !== by.merchant.merchantId || invoice.sandbox !== by.merchant.sandbox)',
      'if (invoice === null)',
    ],
    [
      "if (claim === null || !isTheirs) return err(appError('NOT_FOUND'",
      "if (claim === null) return err(appError('NOT_FOUND'",
    ],
    ['if (await repositories.refundClaims.isStanding(claim))', 'if (false)'],
    ["of.subject === 'surplus' && found.value.surplusUnits === 0n", 'false'],
  ]),
  ...bugs(
    'src/app/payouts/refunds/offer-refund.ts',
    [REMOVED],
    [['return invoice?.id ?? null;', 'return issued?.invoiceId ?? null;']],
  ),
  ...bugs('src/app/sending/payout-dispatch.ts', JOURNEYS, [
    [
      'availableMicroUsd < 0n && !isOperatorsRefund(payout)',
      "availableMicroUsd < 0n && payout.kind === 'payout'",
    ],
    ['return left >= payout.amountUnits', 'return creditedUnits >= payout.amountUnits'],
    ['const others = refunds.filter(({ id }) => id !== payout.id);', 'const others = refunds;'],
  ]),
  ...bugs(
    'src/adapters/postgres/payouts/refund-claims.ts',
    ['tests/adapters/http/refunds/refund-pages.test.ts'],
    [[' and ${c.onCheckout}', '']],
  ),
  ...bugs(
    'src/app/payouts/refunds/refund-payout.ts',
    ['tests/app/payouts/refunds/refund-cost.test.ts'],
    [
      ["bearer === 'client' || orderedBy === null", "bearer === 'client'"],
      ["bearer === 'client' || orderedBy === null", 'orderedBy === null'],
      ['sentUnits: part.units - deductedUnits,', 'sentUnits: part.units,'],
      ['reservedMicroUsd: part.microUsd + addedMicroUsd,', 'reservedMicroUsd: part.microUsd,'],
    ],
  ),
  ...bugs(
    'src/app/payouts/refunds/claim-url.ts',
    ['tests/adapters/http/refunds/refund-pages.test.ts'],
    [
      ['if (vault.mac(code) !== vault.mac(codeOf(vault, claimId))) return null;', ''],
      ['mac(`refund claim ${claimId}`)', "mac('refund claim')"],
    ],
  ),
  ...bugs('src/app/payouts/refunds/follow-claim.ts', JOURNEYS, [
    [
      '  await repositories.refundClaims.save(next);\n  await tellClaim(deps, repositories, next, next.payoutId',
      '  await tellClaim(deps, repositories, next, next.payoutId',
    ],
    ['  await tellClaim(deps, repositories, next, next.payoutId === null ? null : payout);\n', ''],
  ]),
  ...bugs('src/app/payouts/apply-payout-event.ts', JOURNEYS, [
    ["claim === null || claim.subject === 'invoice'", 'claim === null || claim.invoiceId !== null'],
  ]),
  ...bugs('src/adapters/postgres/treasury/sending-checks.ts', JOURNEYS, [
    [
      'not ${HAS_ENDED_UNPAID} and not ${OF_SURPLUS} and not ${equals(i.status',
      'not ${HAS_ENDED_UNPAID} and not ${equals(i.status',
    ],
  ]),
  ...bugs('src/adapters/postgres/payouts/refund-claims.ts', JOURNEYS, [
    ['and (${assets} is null or ${c.asset} = any (${assets}))', ''],
    [
      "${equals(c.status, 'open')} and ${c.expiresAt} <= ${now}",
      "${equals(c.status, 'open')} and ${now} is not null",
    ],
    [
      "['open', 'confirmed', 'sent']",
      "['open', 'sent']",
      'the payout of a confirmed claim is on its way, which is refused before',
    ],
    [
      'and ${c.merchantId} = ${merchantId} and ${c.sandbox} = ${sandbox}`,\n});\nconst OF_INVOICE',
      'and (${c.merchantId} = ${merchantId} or ${c.sandbox} = ${sandbox})`,\n});\nconst OF_INVOICE',
    ],
  ]),
];
