/** Bugs in the use cases. */
import { bugs, type Mutant } from './mutant.ts';

const JOURNEYS = 'tests/journeys';
const CHAIN_TESTS = [
  'tests/app/earlier-choice-paid.test.ts',
  'tests/app/waiting-on-permanent-address.test.ts',
  'tests/app/agreed-deposits.test.ts',
  `${JOURNEYS}/fake-payments.test.ts`,
  `${JOURNEYS}/fake-troubles.test.ts`,
  `${JOURNEYS}/small-amounts.test.ts`,
  `${JOURNEYS}/screening.test.ts`,
];

export const APP_MUTANTS: readonly Mutant[] = [
  ...bugs(
    'src/app/record-transfer.ts',
    [...CHAIN_TESTS, `${JOURNEYS}/sweeps.test.ts`, `${JOURNEYS}/xrp.test.ts`],
    [
      ['sightings.filter(({ transfer }) => !ours.has(transfer.txid))', 'sightings'],
      ['await seenAgain(deps, repositories, known, transfer, sighting);', ''],
      ['sandbox: false,', 'sandbox: issued.sandbox,'],
      ["unexplained: transfer.kind === 'unexplained',", 'unexplained: false,'],
      ['lockedUntil: transfer.lockedUntil ?? null,\n    encumbered', 'lockedUntil: null,\n    encumbered'],
      [
        "if (deposit.status === 'dropped' || deposit.status === 'reversed') {",
        "if (deposit.status === 'dropped') {",
      ],
      ['if (deposit.units !== transfer.units) {', 'if (false) {'],
      ['if (!accepts(invoice, sighting.seenAt))', 'if (!accepts(invoice, deps.clock.now()))'],
      ["ceil') < LEAST_DEPOSIT_MICRO_USD", "ceil') < LEAST_DEPOSIT_MICRO_USD / 10n"],
      ['if (deps.rateBook.latest().ageSeconds === null)', 'if (false)'],
      [
        'if (block === null || vout === null || encumbered || address === null) return;',
        'if (vout === null || address === null || block === null) return;',
      ],
      ["if (moved.status === 'credited') await", "if (moved.status === 'arrived') await"],
    ],
  ),
  ...bugs('src/app/deposit-lifecycle.ts', CHAIN_TESTS, [
    ['if (invoice !== null && !hasEnded(invoice)) {', 'if (invoice !== null) {'],
    [
      "compensate(deps, repositories, deposit, ['deposit_arrived']);\n      await tell",
      'Promise.resolve();\n      await tell',
    ],
    [
      "compensate(deps, repositories, deposit, ['income', 'deposit_arrived'])",
      "compensate(deps, repositories, deposit, ['deposit_arrived'])",
    ],
    [
      "compensate(deps, repositories, deposit, ['hold', 'deposit_arrived'])",
      "compensate(deps, repositories, deposit, ['hold'])",
    ],
    ["await tell({ type: 'hold_reversed', units: deposit.units, at });", ''],
    [
      "invoice.status === 'failed' || accepts(invoice, deposit.firstSeenAt)",
      'accepts(invoice, deposit.firstSeenAt)',
    ],
    ['if (hasEnded(invoice) && !hasEnded(next))', 'if (false)'],
    ["return isFinal(invoice) && invoice.status !== 'high_risk';", 'return isFinal(invoice);'],
    ['invoiceId: paid ? deposit.invoiceId : null,', 'invoiceId: deposit.invoiceId,'],
  ]),
  ...bugs(
    'src/app/deposit-postings.ts',
    [...CHAIN_TESTS, `${JOURNEYS}/sandbox.test.ts`, 'tests/simulation/ledger-laws.test.ts'],
    [
      [
        'creditedOf(grossBefore + deposit.units, terms) - creditedOf(grossBefore, terms)',
        'creditedOf(deposit.units, terms)',
      ],
      [
        "const creditedMicroUsd = fiatForUnits(creditedUnits, credit.priceE18, asset, 'floor');",
        "const creditedMicroUsd = fiatForUnits(deposit.units, credit.priceE18, asset, 'floor');",
      ],
      ['amountUnits: creditedUnits,\n        feeUnits,', 'amountUnits: deposit.units,\n        feeUnits,'],
      ['entry.depositId === deposit.id && kinds', 'kinds'],
      ['if (index >= 0) left.splice(index, 1);', ''],
      ['microUsd: -feed.microUsd,', 'microUsd: feed.microUsd,'],
      ['feed: original.feed === null ? null : opposite(original.feed),', 'feed: null,'],
    ],
  ),
  ...bugs(
    'src/app/earlier-choice.ts',
    [
      'tests/app/earlier-choice-paid.test.ts',
      'tests/app/reorganised-choice.test.ts',
      'tests/simulation/choices.test.ts',
    ],
    [
      [
        "invoice.status !== 'created' || (await deposits.hasPayment(invoice.id))",
        "invoice.status !== 'created'",
      ],
      ["choice === null || invoice.status !== 'created' ||", 'choice === null ||'],
      ['isDeferred(pending(units + (await deposits.parkedUnits(small))))', 'isDeferred(pending(units))'],
      [
        'return { invoice: pending(await deposits.claimParked(small, invoice.id)) };',
        'return { invoice: taken };',
      ],
    ],
  ),
  ...bugs(
    'src/app/follow-deposits.ts',
    [...CHAIN_TESTS, `${JOURNEYS}/inventing-node.test.ts`, `${JOURNEYS}/chain-doubts.test.ts`],
    [
      ["if (verdict === 'not yet') return;", ''],
      ["deposit.status !== 'confirming' || deposit.block?.hash !== hash", "deposit.status !== 'confirming'"],
      ['if (deposit.invoiceId !== null && invoice === null) continue;', ''],
      ["if (agreement.kind === 'not_final') return 'not yet';", ''],
      ["if (await hasLeft(block)) return 'left';", ''],
      ['deposits.filter((deposit) => !disputed.has(outputKey(deposit)))', 'deposits'],
      [
        "if (orphan.status === 'confirming' && waiting.has(orphan.txid)) return;",
        'if (waiting.has(orphan.txid)) return;',
      ],
      ["if (now === 'unread' ||", 'if ('],
      ["if (place.height > cursor.height) return 'unread';", ''],
      ["if (block?.hash !== place.blockHash) return 'unread';", "if (block === undefined) return 'unread';"],
      [
        'if (canonical === null || canonical.hash === block.hash) return false;',
        'if (canonical === null) return false;',
      ],
    ],
  ),
  ...bugs('src/app/screen-deposits.ts', CHAIN_TESTS, [
    ['if (isDeferred(invoice)) return false;', ''],
    ["if (verdict.kind === 'unavailable') {", "if (verdict.kind === 'hit') {"],
    ['grossBefore: invoice.funds.creditedUnits,', 'grossBefore: 0n,'],
    ['if (hasEnded(current)) await strand(repositories, [current.id]);', ''],
    ['await postHold(deps, repositories, deposit, price);', ''],
    ['if (page.length < PAGE || stopping?.aborted) return moved;', 'return moved;'],
    ['.slice(0, DEPOSITS_AT_ONCE)', ''],
  ]),
  ...bugs(
    'src/app/create-invoice.ts',
    [
      'tests/http/answers.test.ts',
      'tests/http/invoice-body.test.ts',
      'tests/http/invoice-rules.test.ts',
      `${JOURNEYS}/small-amounts.test.ts`,
    ],
    [
      ['const DEFAULT_TTL_SECONDS = 3_600;', 'const DEFAULT_TTL_SECONDS = 360;'],
      ["billingType: input.billingType ?? 'STATIC'", "billingType: input.billingType ?? 'VARY'"],
      [
        'feeBearer: input.feeBearer ?? caller.merchant.defaultFeeBearer',
        "feeBearer: input.feeBearer ?? 'client'",
      ],
      ["if (usable !== null || requested.in === 'fiat') return usable;", 'return usable;'],
      ["'ceil') < leastMicroUsd", "'ceil') <= leastMicroUsd"],
      ["if (asset !== null && input.permanentAddress && asset.family === 'monero') {", 'if (false) {'],
      ['if (asset !== null && !isEnabled(deps, asset, sandbox)) {', 'if (false) {'],
      ['if (asset !== null && !payable.includes(asset)) {', 'if (false) {'],
      ['if (payable.length === 0) {', 'if (false) {'],
      ['if (unpayable) return err(unpayable);', ''],
      [
        'customerChooses: input.asset === null || (input.acceptedCoins ?? []).length > 0,',
        'customerChooses: true,',
      ],
      ['userId: input.permanentAddress ? input.userId : null,', 'userId: input.userId,'],
      ['tolerancePpm: input.tolerancePpm ?? 0n,', 'tolerancePpm: 0n,'],
      [
        'const inAsset = input.fiatCurrency === null && input.asset !== null;',
        'const inAsset = input.asset !== null;',
      ],
    ],
  ),
  ...bugs(
    'src/app/open-deposit-invoice.ts',
    [
      'tests/app/waiting-on-permanent-address.test.ts',
      `${JOURNEYS}/fake-payments.test.ts`,
      `${JOURNEYS}/small-amounts.test.ts`,
      `${JOURNEYS}/permanent-payments.test.ts`,
    ],
    [
      ["feeBearer: 'merchant',", 'feeBearer: merchant.defaultFeeBearer,'],
      ["billingType: 'VARY',", "billingType: 'STATIC',"],
      ['notifyUrl: address.notifyUrl,', 'notifyUrl: null,'],
      ['metadata: address.metadata,', 'metadata: null,'],
      ['userId: address.userId,', 'userId: null,'],
      ['commissionPpm: merchant.commissionPpm,', 'commissionPpm: 0n,'],
    ],
  ),
  ...bugs(
    'src/app/permanent-addresses.ts',
    [
      'tests/http/answers.test.ts',
      'tests/http/isolation.test.ts',
      `${JOURNEYS}/concurrency.test.ts`,
      `${JOURNEYS}/frozen-addresses.test.ts`,
      `${JOURNEYS}/permanent-payments.test.ts`,
    ],
    [
      [
        'if (existing?.active) return ok({ address: existing, created: false });',
        '',
        'the insert finds the one that is there; an address is taken and given back for it',
      ],
      ['if (!given.created) allocator.giveBack(fresh);', ''],
      [
        'address.merchantId !== scope.merchantId || address.sandbox !== scope.sandbox',
        'address.merchantId !== scope.merchantId',
      ],
      ['!address || address.merchantId !== scope.merchantId ||', '!address ||'],
      ['if (!address.active) return address;', ''],
      ['metadata: input.metadata ?? existing?.metadata ?? null,', 'metadata: input.metadata ?? null,'],
      ['scope.sandbox || watched ? await', 'watched ? await'],
      ['if (found === null || key.sandbox) return found;', 'return found;'],
    ],
  ),
  ...bugs(
    'src/app/notify.ts',
    [
      'tests/http/answers.test.ts',
      'tests/http/isolation.test.ts',
      'tests/http/merchant-answers.test.ts',
      'tests/http/replays.test.ts',
    ],
    [
      ['invoice.merchantId !== caller.scope.merchantId ||\n', ''],
      ['invoice.sandbox !== caller.scope.sandbox\n', 'false\n'],
      [
        "const delivered = statusCode !== null && verdictOf(statusCode) === 'delivered';",
        'const delivered = statusCode !== null;',
      ],
      ['error: delivered ? null : error', 'error'],
      [
        'const url = asked ?? caller.merchant.callbackUrl;',
        'const url = caller.merchant.callbackUrl ?? asked;',
      ],
      [
        'await deps.webhookQueue.logTest({ id, ...caller.scope, url, statusCode, responseBody, sentAt });',
        '',
      ],
      ['...(caller.scope.sandbox ? { sandbox: true } : {}),', ''],
    ],
  ),
  ...bugs(
    'src/app/replay-webhooks.ts',
    ['tests/http/replays.test.ts'],
    [
      ['if (!invoice || !isDelivered(invoice.status)) return false;', 'if (!invoice) return false;'],
      [
        '[...new Set(dead.map((delivery) => delivery.invoiceId))]',
        'dead.map((delivery) => delivery.invoiceId)',
      ],
      ['skipped: invoiceIds.length - queued', 'skipped: 0'],
      [
        '{ invoiceId: null, since, limit: DEAD_PER_RUN }',
        '{ invoiceId: null, since: null, limit: DEAD_PER_RUN }',
      ],
    ],
  ),
  ...bugs(
    'src/app/stray-deposits.ts',
    [
      `${JOURNEYS}/anvil.test.ts`,
      `${JOURNEYS}/screening.test.ts`,
      `${JOURNEYS}/small-amounts.test.ts`,
      'tests/scripts/operator-scripts.test.ts',
    ],
    [
      ["bearer: 'merchant',", "bearer: 'client',"],
      ["await compensate(deps, repositories, deposit, ['hold']);", ''],
      ['if (credited.ok && invoice !== null) {', 'if (false) {'],
      ['if (locked?.deposit.status !== status) {', 'if (locked === null) {'],
      ['grossBefore: invoice.funds.creditedUnits,', 'grossBefore: 0n,'],
    ],
  ),
  ...bugs(
    'src/app/give-up-lost.ts',
    ['tests/app/reorganised-coins.test.ts', `${JOURNEYS}/utxo-payout-troubles.test.ts`],
    [
      ["if (lead.purpose === 'bump' || lost.length === 0) return;", 'if (lost.length === 0) return;'],
      ['if (lost.length === all.length) {', 'if (false) {'],
      ['if (next !== null) await repositories.outgoing.save({ ...transfer, ...next });', ''],
    ],
  ),
  ...bugs(
    'src/app/reopen-sweeps.ts',
    [`${JOURNEYS}/sweep-undone.test.ts`, `${JOURNEYS}/tron-loans.test.ts`],
    [
      ['if (!sweep || isOneOf(OPEN_SWEEP_STATUSES, sweep)) return false;', 'if (!sweep) return false;'],
      ['if (others.some((other) => isOneOf(ACTIVE_SWEEP_STATUSES, other))) return false;', ''],
      ['await repositories.sweeps.uncover(planned);', ''],
      [
        "transferId === null && reclaimId === null ? { status: 'lending', reason } : { status: 'reclaiming' }",
        "({ status: 'reclaiming' })",
      ],
    ],
  ),
  ...bugs(
    'src/app/reconcile-chain.ts',
    [
      `${JOURNEYS}/reconcile-chain.test.ts`,
      'tests/app/unpaid-rounds.test.ts',
      'tests/app/reconcile-coins.test.ts',
    ],
    [
      [
        'const expectedUnits = (recorded.get(asset) ?? 0n) + moved.units(address, asset);',
        'const expectedUnits = recorded.get(asset) ?? 0n;',
      ],
      [
        "const kind = more > 0n ? 'unrecorded_incoming' : 'unrecorded_outgoing';",
        "const kind = more > 0n ? 'unrecorded_outgoing' : 'unrecorded_incoming';",
      ],
      ['if (last === undefined || addresses.length < PAGE) break;', 'break;'],
      ['differences.push(...(await wrongBooks(deps, on, assets)));', ''],
      ['if (wanted <= cursor.height) return wanted;', 'return wanted;'],
      [
        "if (outcome.kind !== 'mined' || outcome.block.height > height) return;",
        "if (outcome.kind !== 'mined') return;",
      ],
      ["if (purpose !== 'payout') add(", "if (purpose === 'payout') add("],
      ['if (cursor === null || cursor.finalizedHeight < 0)', 'if (cursor === null)'],
      ['if (own.length === 0) return;', ''],
      ['add(hotWalletOf(on), sender.nativeAsset, -hotFeeUnits);', ''],
    ],
  ),
];
