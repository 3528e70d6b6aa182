/** Bugs in the use cases. */
import { bugs, type Mutant } from './mutant.ts';

/** No chain runs in these. */
const DEPOSIT_TESTS = [
  'tests/app/deposits/recorded-payments.test.ts',
  'tests/app/deposits/decided-deposits.test.ts',
  'tests/app/invoices/earlier-choice-paid.test.ts',
];

const RESTORED = [
  'tests/journeys/restore/restored-payouts.test.ts',
  'tests/journeys/restore/restored-decisions.test.ts',
  'tests/journeys/restore/restored-places.test.ts',
  'tests/journeys/restore/restored-utxos.test.ts',
  'tests/journeys/restore/restored-wallets.test.ts',
  'tests/journeys/payouts/payouts.test.ts',
];

const CREATED_INVOICES = [
  'tests/adapters/http/kit/answers.test.ts',
  'tests/adapters/http/invoices/invoice-body.test.ts',
  'tests/adapters/http/invoices/invoice-rules.test.ts',
  'tests/journeys/deposits/small-amounts.test.ts',
];

export const APP_MUTANTS: readonly Mutant[] = [
  ...bugs(
    'src/app/deposits/record-transfer.ts',
    ['tests/journeys/sweeps/sweeps.test.ts'],
    [['observations.filter(({ transfer }) => !ours.has(transfer.txid))', 'observations']],
  ),
  ...bugs('src/app/deposits/record-transfer.ts', DEPOSIT_TESTS, [
    ['await seenAgain(deps, repositories, known, transfer, observation);', ''],
    ['sandbox: false,', 'sandbox: issued.sandbox,'],
    ["unexplained: transfer.kind === 'unexplained',", 'unexplained: false,'],
    ['lockedUntil: transfer.lockedUntil ?? null,\n    encumbered', 'lockedUntil: null,\n    encumbered'],
    [
      "if (deposit.status === 'dropped' || deposit.status === 'reversed') {",
      "if (deposit.status === 'dropped') {",
    ],
    ['if (deposit.units !== transfer.units) {', 'if (false) {'],
    ['if (!accepts(invoice, observation.seenAt))', 'if (!accepts(invoice, deps.clock.now()))'],
    [
      'if (block === null || vout === null || encumbered || address === null) return;',
      'if (vout === null || address === null || block === null) return;',
    ],
    ["if (moved.status === 'credited') await", "if (moved.status === 'arrived') await"],
  ]),
  ...bugs('src/app/deposits/permanent-payments.ts', DEPOSIT_TESTS, [
    ["ceil') < LEAST_DEPOSIT_MICRO_USD", "ceil') < LEAST_DEPOSIT_MICRO_USD / 10n"],
    ['if (deps.rateBook.latest().ageSeconds === null)', 'if (false)'],
  ]),
  ...bugs(
    'src/app/deposits/explained-money.ts',
    ['tests/app/deposits/explained-money.test.ts'],
    [
      ['!(await repositories.deposits.hasTraced({ chain, address, asset, block }))', 'true'],
      ["deposit.status === 'credited' && deposit.block?.hash === hash", 'false'],
      [' && deposit.block?.hash === hash', ''],
      ['await markGone(deps, repositories, deposit, invoice);', ''],
    ],
  ),
  ...bugs('src/app/invoices/strand-payments.ts', DEPOSIT_TESTS, [
    ["return isFinal(invoice) && invoice.status !== 'high_risk';", 'return isFinal(invoice);'],
  ]),
  ...bugs('src/app/deposits/deposit-lifecycle.ts', DEPOSIT_TESTS, [
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
    ['if (isFinal(invoice) && !hasEnded(next) && next.status !== invoice.status)', 'if (false)'],
    ['if (isFinal(invoice) && !hasEnded(next)', 'if (hasEnded(invoice) && !hasEnded(next)'],
    ['invoiceId: paid ? deposit.invoiceId : null,', 'invoiceId: deposit.invoiceId,'],
  ]),
  ...bugs(
    'src/app/deposits/deposit-postings.ts',
    [...DEPOSIT_TESTS, 'tests/journeys/invoices/sandbox.test.ts', 'tests/simulation/ledger-laws.test.ts'],
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
    'src/app/invoices/earlier-choice.ts',
    [
      'tests/app/invoices/earlier-choice-paid.test.ts',
      'tests/app/invoices/reorganised-choice.test.ts',
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
    'src/app/deposits/follow-deposits.ts',
    [
      'tests/app/deposits/agreed-deposits.test.ts',
      'tests/journeys/chains/inventing-node.test.ts',
      'tests/journeys/chains/chain-doubts.test.ts',
      'tests/journeys/deposits/fake-troubles.test.ts',
      'tests/journeys/deposits/screening.test.ts',
      'tests/journeys/deposits/credited-when-final.test.ts',
    ],
    [
      ["if (verdict !== 'not yet') await", 'await'],
      ['asked ??= verdictOn', 'asked = verdictOn'],
      ['({ invoiceId, id }) => invoiceId ?? id)', '({ id }) => id)'],
      ['yield deposits.slice(from, from + FINAL_AT_ONCE)', 'yield deposits.slice(0, FINAL_AT_ONCE)'],
      ["if (agreement.kind === 'not_final') return 'not yet';", ''],
      ["if (await hasLeft(scanner, block)) return 'left';", ''],
      ['deposits.filter((deposit) => !unshown.has(outputKey(deposit)))', 'deposits'],
      ['if (doubted.before.has(hash))', ''],
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
  ...bugs(
    'src/app/deposits/gather-writes.ts',
    [
      'tests/app/deposits/gather-writes.test.ts',
      'tests/journeys/deposits/screening.test.ts',
      'tests/journeys/deposits/deposits-in-sets.test.ts',
    ],
    [
      ['await repositories.deposits.insertAll(deposits.takeAdded((deposit) => !isOfNew(deposit)));', ''],
      ['await repositories.invoices.saveAll(invoices.take());', ''],
      ['await repositories.deposits.saveAll(deposits.take());', ''],
      ['await repositories.ledger.postAll(entries.take());', ''],
      ["if (part === 'all but new invoices' || ", 'if ('],
      ['if (isNew) alone.clear();', ''],
      ["if (invoice.status === 'created' && isChosenAt(invoice, null)) alone.clear();", ''],
      ['invoices.forget();', ''],
      ['deposits.forget();', ''],
      ['some.map(({ deposit }) => deposit)', '[]'],
    ],
  ),
  ...bugs(
    'src/app/watching/recorded-parts.ts',
    ['tests/app/watching/recorded-parts.test.ts'],
    [
      ['atMost = Math.floor(part.length / 2);', 'atMost = part.length;'],
      ['most = Math.min(2 * most, atMost);', ''],
      ['most = Math.min(2 * most, atMost);', 'most = atMost;'],
      [' || stopping?.aborted', ''],
      ['if (stopping?.aborted) return false;', ''],
    ],
  ),
  ...bugs(
    'src/app/shared/merchant-failures.ts',
    ['tests/journeys/deposits/deposits-in-sets.test.ts', 'tests/app/invoices/expire-apart.test.ts'],
    [
      ['failures.set(merchantId, failed(merchantId) + 1)', 'failures.set(merchantId, 1)'],
      ['failed(merchantId) < FAILED_AT_MOST', 'true'],
      ['const FAILED_AT_MOST = 3;', 'const FAILED_AT_MOST = 1;'],
    ],
  ),
  ...bugs(
    'src/app/shared/try-together.ts',
    ['tests/journeys/deposits/deposits-in-sets.test.ts'],
    [
      ['if (first === undefined || stopping?.aborted) return;', 'if (first === undefined) return;'],
      ['if (group.length === 1) {', 'if (group.length > 0) {'],
    ],
  ),
  ...bugs(
    'src/app/deposits/settle-deposit.ts',
    [...DEPOSIT_TESTS, 'tests/journeys/deposits/screening.test.ts'],
    [
      ["if (verdict.kind === 'unavailable') {", "if (verdict.kind === 'hit') {"],
      ['grossBefore: invoice.funds.creditedUnits,', 'grossBefore: 0n,'],
      ['await postHold(deps, repositories, deposit, price);', ''],
    ],
  ),
  ...bugs(
    'src/app/deposits/settle-in-block.ts',
    [
      'tests/journeys/deposits/credited-when-final.test.ts',
      'tests/app/deposits/agreed-deposits.test.ts',
      'tests/journeys/chains/chain-doubts.test.ts',
      'tests/journeys/deposits/fake-troubles.test.ts',
    ],
    [
      ["deposit.status !== 'confirming' || deposit.block?.hash !== hash", "deposit.status !== 'confirming'"],
      ['if (invoice === undefined) continue;', ''],
      ['deps.riskScreener.isLocal && shown.length > 0', 'false'],
      ['Promise.race([verdictsOn(deps, deposits), late.promise])', 'verdictsOn(deps, deposits)'],
      ['verdicts, limits: SET_LOCKS', 'verdicts'],
      ['invoice.funds.pendingUnits === units && ', ''],
      [' && deposits.every(({ id }) => verdicts.has(id))', ''],
      [' && !hasEnded(invoice)', ''],
      [' && !isDeferred(invoice)', ''],
      ['if (isAway(error)) throw error;', 'throw error;'],
      ['  tellHeld(deps, held);', ''],
    ],
  ),
  ...bugs(
    'src/app/deposits/screen-deposits.ts',
    [
      ...DEPOSIT_TESTS,
      'tests/journeys/deposits/screening.test.ts',
      'tests/journeys/deposits/deposits-in-sets.test.ts',
    ],
    [
      ['if (isDeferred(invoice)) continue;', ''],
      ['if (isLeft || hasEnded(current)) ended.push(invoiceId);', ''],
      ['if (isLeft || hasEnded(current)) ended', 'if (hasEnded(current)) ended'],
      ['{ held: withHeld.has(invoiceId) }', '{ held: false }'],
      ['if (page.length < PAGE || stopping?.aborted) return moved;', 'return moved;'],
      ['most: DEPOSITS_AT_ONCE', 'most: 10_000'],
      ['if (!settling) await settleScreened();', ''],
    ],
  ),
  ...bugs('src/app/invoices/create-invoice.ts', CREATED_INVOICES, [
    ['const DEFAULT_TTL_SECONDS = 3_600;', 'const DEFAULT_TTL_SECONDS = 360;'],
    ["billingType: input.billingType ?? 'STATIC'", "billingType: input.billingType ?? 'VARY'"],
    [
      'customerChooses: input.asset === null || (input.acceptedCoins ?? []).length > 0,',
      'customerChooses: true,',
    ],
    ['userId: input.permanentAddress ? input.userId : null,', 'userId: input.userId,'],
    ['tolerancePpm: input.tolerancePpm ?? 0n,', 'tolerancePpm: 0n,'],
  ]),
  ...bugs('src/app/invoices/quote-invoice.ts', CREATED_INVOICES, [
    [
      'feeBearer: input.feeBearer ?? caller.merchant.defaultFeeBearer',
      "feeBearer: input.feeBearer ?? 'client'",
    ],
    ["if (usable !== null || requested.in === 'fiat') return usable;", 'return usable;'],
    ["'ceil') < leastMicroUsd", "'ceil') <= leastMicroUsd"],
    ['return unpayable ? err(unpayable) : ok({', 'return ok({'],
    [
      'const inAsset = input.fiatCurrency === null && input.asset !== null;',
      'const inAsset = input.asset !== null;',
    ],
  ]),
  ...bugs('src/app/invoices/check-requested-asset.ts', CREATED_INVOICES, [
    ['if (asset !== null && input.permanentAddress && !isPermanentFamily(asset.family)) {', 'if (false) {'],
    ['if (asset !== null && !isEnabled(deps, asset, sandbox)) {', 'if (false) {'],
    ['if (asset !== null && !payable.includes(asset)) {', 'if (false) {'],
    ['if (payable.length === 0) {', 'if (false) {'],
  ]),
  ...bugs(
    'src/app/invoices/open-deposit-invoice.ts',
    [
      'tests/app/deposits/waiting-on-permanent-address.test.ts',
      'tests/journeys/deposits/fake-payments.test.ts',
      'tests/journeys/deposits/small-amounts.test.ts',
      'tests/journeys/deposits/permanent-payments.test.ts',
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
    'src/app/invoices/cancel-invoice.ts',
    ['tests/adapters/http/invoices/cancel-invoice.test.ts', 'tests/journeys/checkout/checkout-races.test.ts'],
    [
      ['invoice?.merchantId !== scope.merchantId ||', 'invoice === null ||'],
      ['|| invoice.sandbox !== scope.sandbox)', ')'],
      ["if (invoice.status === 'expired') return ok(invoice);", ''],
      ['!open || (await paymentWasSeen(repositories, invoice.id))', '!open'],
    ],
  ),
  ...bugs(
    'src/app/invoices/permanent-addresses.ts',
    [
      'tests/adapters/http/kit/answers.test.ts',
      'tests/adapters/http/kit/isolation.test.ts',
      'tests/journeys/invoices/concurrency.test.ts',
      'tests/journeys/deposits/frozen-addresses.test.ts',
      'tests/journeys/deposits/permanent-payments.test.ts',
    ],
    [
      [
        'if (existing?.active) return ok(existing);',
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
      ['sandbox || watched ? await', 'watched ? await'],
      ['if (found === null || key.sandbox) return found;', 'return found;'],
    ],
  ),
  ...bugs(
    'src/app/invoices/notify.ts',
    [
      'tests/adapters/http/kit/answers.test.ts',
      'tests/adapters/http/kit/isolation.test.ts',
      'tests/adapters/http/merchants/merchant-answers.test.ts',
      'tests/adapters/http/webhooks/replays.test.ts',
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
        'const url = wanted.url ?? caller.merchant.callbackUrl;',
        'const url = caller.merchant.callbackUrl ?? wanted.url;',
      ],
      [
        'await deps.webhookQueue.logTest({ id, ...caller.scope, url, statusCode, responseBody, sentAt });',
        '',
      ],
      ['...(sandbox ? { sandbox: true } : {}),', ''],
      ["status: status ?? 'success'", "status: 'success'"],
    ],
  ),
  ...bugs(
    'src/app/webhooks/replay-events.ts',
    ['tests/adapters/http/webhooks/events.test.ts'],
    [
      ['looked < LOOKED_AT_MOST && done.hasMore', 'done.hasMore'],
      ['{ ...wanted, after: nextAfter }', 'wanted'],
      ['queued: queued + more', 'queued: more'],
    ],
  ),
  ...bugs(
    'src/app/invoices/replay-webhooks.ts',
    ['tests/adapters/http/webhooks/replays.test.ts'],
    [
      ['.filter(({ status }) => isDelivered(status))', ''],
      ['const left = tried ? await stillDead(deps, from, some) : some;', 'const left = some;'],
      ['skipped: looked - queued', 'skipped: 0'],
      ['const from = { since, after,', 'const from = { since: null, after,'],
      ['if (failures.length > 0) throw failures[0];', ''],
    ],
  ),
  ...bugs(
    'src/app/deposits/unmatched-deposits.ts',
    ['tests/journeys/chains/unlisted-tokens.test.ts'],
    [['if (!deps.catalog.isListed(asset.key)) return err(unlisted(asset.key));', '']],
  ),
  ...bugs(
    'src/app/deposits/permanent-payments.ts',
    ['tests/scripts/operator-scripts.test.ts'],
    [["if (!deps.catalog.isListed(transfer.asset)) return { stray: 'other_asset' };", '']],
  ),
  ...bugs(
    'src/app/rates/fee-book.ts',
    ['tests/app/rates/fee-book.test.ts'],
    [
      [' && !deps.unscannedAssets.has(asset.key)', ''],
      ['moved * 10n < then', 'moved < then'],
      ['Math.abs(now() - at) < TOKEN_MS', 'true'],
    ],
  ),
  ...bugs('src/app/deposits/unmatched-deposits.ts', DEPOSIT_TESTS, [
    ["bearer: 'merchant',", "bearer: 'client',"],
    ["await compensate(deps, repositories, deposit, ['hold']);", ''],
    ['if (credited.ok && invoice !== null) {', 'if (false) {'],
    ['if (locked?.deposit.status !== status) {', 'if (locked === null) {'],
    ['grossBefore: invoice.funds.creditedUnits,', 'grossBefore: 0n,'],
  ]),
  ...bugs(
    'src/app/sending/signing/give-up-lost.ts',
    ['tests/journeys/deposits/lost-utxos.test.ts', 'tests/app/sending/reorganised-utxos.test.ts'],
    [
      ["if (lead.purpose === 'bump') return endChild(repositories, lead);", ''],
      ['if (!ended || helped.some(({ txid }) => txid === change?.txid)) return;', 'if (!ended) return;'],
      ['await utxos.release(child.transferBatchId);', ''],
      ['if (lost.length === all.length) {', 'if (false) {'],
      ["await giveUp(repositories, batch, failureOf('coin_lost'));", ''],
    ],
  ),
  ...bugs(
    'src/app/sending/advance-batch.ts',
    [
      'tests/journeys/payouts/stuck-payouts.test.ts',
      'tests/journeys/sending/fake-utxo-cancels.test.ts',
      'tests/journeys/payouts/overdue-payouts.test.ts',
      'tests/journeys/payouts/anvil-stuck-payouts.test.ts',
    ],
    [
      ['latest.broadcastAt === null ? !stopped : isUnseen;', 'isUnseen;'],
      [
        'if (countsNonces(advancing.on)) return batch.some(({ voided }) => voided);',
        'if (countsNonces(advancing.on)) return false;',
      ],
      [
        'return isOrdered || (allVoided(batch) && isUnseen);',
        'return allVoided(batch) && isUnseen;',
        'what is cancelled is replaced by the order to bumpFee as well; its old bytes are only handed out once more before',
      ],
      [
        'if (waits && options.first && countsNonces(advancing.on)) advancing.stuck.noteWaiting(batch, signed);',
        '',
      ],
      ["if (result.kind === 'signed') stuck.noteReplaced(batch);", ''],
      ['await again.tried(batch, result);', ''],
    ],
  ),
  ...bugs(
    'src/app/sending/paid-and-spent.ts',
    ['tests/journeys/sending/fake-utxo-cancels.test.ts', 'tests/app/sending/failed-batches.test.ts'],
    [
      ["if (status === 'failed') return 3;", ''],
      ['return voided ? 2 : 1;', 'return 1;'],
      [' || !transfers.every(isOpenTransfer)', ''],
    ],
  ),
  ...bugs(
    'src/app/sending/utxos/claim-utxos.ts',
    ['tests/app/sending/bumps-at-once.test.ts'],
    [
      ['if (await repositories.outgoing.activeOf(order.purpose, order.referenceId)) return;', ''],
      ['if (await repositories.utxos.isClaimed(on.chain, utxos)) return;', ''],
    ],
  ),
  ...bugs(
    'src/app/sending/signing/sign-replacement.ts',
    ['tests/journeys/payouts/stuck-payouts.test.ts', 'tests/journeys/payouts/expiring-payouts.test.ts'],
    [
      ['if (!expires && !recipients) return;', ''],
      ["recipients ? refusalOf(error) : failureOf('overdue', error.message)", 'refusalOf(error)'],
      ['if (tries <= TRIES_MAX) return;', 'return;'],
      ['if (!allVoided(batch) && pauses.isPaused(batch[0].transferBatchId)) return;', ''],
    ],
  ),
  ...bugs(
    'src/app/sending/stuck-batch.ts',
    ['tests/journeys/payouts/stuck-payouts.test.ts', 'tests/journeys/payouts/anvil-stuck-payouts.test.ts'],
    [
      [
        'now() - known.since >= OVERDUE_MS && height - known.height >= OVERDUE_BLOCKS',
        'now() - known.since >= OVERDUE_MS',
      ],
      [
        "if (why !== null) await giveUpByItself(deps, on, batch, { reason: failureOf('unmineable', why) });",
        '',
      ],
      ['if (since === undefined || now() - since < BLOCKED_MS) return;', 'return;'],
    ],
  ),
  ...bugs(
    'src/app/sending/settle-batch.ts',
    ['tests/journeys/payouts/expiring-payouts.test.ts', 'tests/journeys/sending/xrp-payouts.test.ts'],
    [
      ["capabilities.nonces === 'counted' && allVoided(batch) ? [] : batch", 'batch'],
      [
        "capabilities.nonces === 'counted' && allVoided(batch) ? [] : batch.filter(({ voided }) => voided)",
        '[]',
      ],
    ],
  ),
  ...bugs(
    'src/app/sending/settle-batch.ts',
    ['tests/journeys/payouts/ton-bounced-payouts.test.ts'],
    [
      ["outcome.unfunded?.[place] ? 'unfunded' : 'reverted'", "'reverted'"],
      ['outcome.unfunded?.[place]', 'outcome.unfunded?.[0]'],
    ],
  ),
  ...bugs(
    'src/app/sweeps/reopen-sweeps.ts',
    ['tests/app/sweeps/reopen-sweeps.test.ts', 'tests/journeys/sweeps/sweep-undone.test.ts'],
    [
      [
        'if (!sweep || isOneOf(OPEN_SWEEP_STATUSES, sweep)) return false;',
        'if (!sweep) return false;',
        'one that is open again is then found among those of its address that are on their way',
      ],
      ['if (others.some((other) => isOneOf(ACTIVE_SWEEP_STATUSES, other))) return false;', ''],
      ['await repositories.sweeps.uncover([planned]);', ''],
      ["{ status: 'lending', reason }", "{ status: 'reclaiming' }"],
    ],
  ),
  ...bugs(
    'src/app/treasury/readable-balances.ts',
    ['tests/app/treasury/reconcile-chain.test.ts'],
    [
      ['await ask([nativeAsset]);', ''],
      ['asset === nativeAsset ? null : ', ''],
      ['unreadable.set(asset, problem);', ''],
      ['return ask(readable());', 'return answer;'],
    ],
  ),
  ...bugs(
    'src/app/treasury/reconcile.ts',
    ['tests/app/treasury/reconcile-chain.test.ts'],
    [['!unreadable.some(({ listed }) => listed)', 'true']],
  ),
  ...bugs(
    'src/app/treasury/reconcile-chain.ts',
    [
      'tests/journeys/treasury/reconcile-chain.test.ts',
      'tests/app/treasury/reconcile-chain.test.ts',
      'tests/app/treasury/reconcile-utxos.test.ts',
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
      ['differences.push(...wrong);', ''],
      ['if (wanted <= cursor.height) return wanted;', 'return wanted;'],
      ['if (cursor === null || cursor.finalizedHeight < 0)', 'if (cursor === null)'],
    ],
  ),
  ...bugs(
    'src/app/treasury/moved-apart.ts',
    ['tests/journeys/treasury/reconcile-chain.test.ts', 'tests/app/treasury/reconcile-chain.test.ts'],
    [
      [
        "if (outcome.kind !== 'mined' || outcome.block.height > height) return;",
        "if (outcome.kind !== 'mined') return;",
      ],
      ['const toOurs = !leavesUs({ purpose });', 'const toOurs = leavesUs({ purpose });'],
      ['if (own.length === 0) return;', ''],
      ['add(hotWalletOf(on), sender.nativeAsset, -hotFeeUnits);', ''],
      ['for (const { id } of payments) apart.add(id);', ''],
      ['block !== null && block.height <= height', 'block !== null'],
      ['if (left[position]) add(', 'if (effects[position]) add('],
      ['if (arrived[position] && toOurs)', 'if (effects[position] && toOurs)'],
      ['await paidAndSpent(deps, on, batch, own);', '{ payments: batch };'],
    ],
  ),
  ...bugs('src/app/sending/restart/hold-back.ts', RESTORED, [
    [
      'const held = await repositories.payouts.holdRestored(payoutIds, why);',
      'const held: readonly string[] = [];',
    ],
  ]),
  ...bugs('src/app/watching/record-unknown-transactions.ts', RESTORED, [
    ['if (transaction.harmless) return [];', 'return [];'],
    ['if (transaction.harmless) return [];', ''],
    [
      'const which = { assets: assetsOf(deps, chain), madeBefore, now: notedAt };',
      'const which = { assets: [], madeBefore, now: notedAt };',
    ],
    ['if (!(await repositories.unknown.note({ ...transaction, ...noted }))) return null;', 'return null;'],
    ['if (transaction.onlyPays && may.length === 0) return null;', 'if (transaction.onlyPays) return null;'],
    ['payments.some(paysFor(deps, order))', 'true'],
    ['for (const coin of change) await repositories.utxos.insertChange(chain, coin, noted.block);', ''],
  ]),
  ...bugs(
    'src/app/sending/utxos/store-outputs.ts',
    ['tests/app/sending/signed-again.test.ts'],
    [
      [
        'await repositories.utxos.adopt(chain, back)',
        '[] as Awaited<ReturnType<typeof repositories.utxos.adopt>>',
      ],
    ],
  ),
  ...bugs(
    'src/app/watching/record-unknown-transactions.ts',
    ['tests/app/watching/unknown-replaced.test.ts'],
    [
      ['!(await repositories.chains.moveCursor(chain, cursor, cursor))', 'false'],
      ['if (await unknown.orphanAbove(chain, height, read)) await utxos', 'await utxos'],
      ['await utxos.orphanAbove(chain, height, read);', 'return;'],
    ],
  ),
  ...bugs(
    'src/app/deposits/follow-deposits.ts',
    ['tests/app/sending/unreported-waiting.test.ts'],
    [
      ['pending === null ? inTurn(orphans) : orphans', 'orphans'],
      ['pending === null ? inTurn(orphans) : orphans', 'inTurn(orphans)'],
      ['txids.filter((txid) => txid > turn)', 'txids'],
    ],
  ),
  ...bugs(
    'src/app/sending/restart/start-gate.ts',
    ['tests/app/sending/start-gate-calls.test.ts'],
    [
      ["if (sender.utxos !== null && is('explained'))", 'if (sender.utxos !== null)'],
      ['Math.max(tipMs, readMs)', 'tipMs'],
      ['readMs !== null && readMs <= nowMs + RESTART_MS ?', 'readMs !== null ?'],
      ['readMs <= nowMs + RESTART_MS ?', 'readMs <= nowMs ?'],
    ],
  ),
  ...bugs('src/app/sending/restart/start-gate.ts', RESTORED, [
    ['if (start === null || count < reads.count) {', 'if (start === null) {'],
    ["phase.kind === 'unread' && count > start.count", "phase.kind === 'unread'"],
    ['isOlder ? coveredMs : start.resumedAt?.getTime()', 'isOlder ? coveredMs : undefined'],
    ['untilMs: sinceMs + lifeMs,', 'untilMs: sinceMs,'],
    ['chains.forgetResumed(chain, over)', 'chains.cursor(chain)'],
    ['mustCheckUtxos: sender.utxos !== null };', 'mustCheckUtxos: false };'],
    ["for (const ours of ['standing', 'uncredited'] as const)", "for (const ours of ['standing'] as const)"],
    ['sender.utxos !== null && isClosed();', 'false;'],
    ['keepsUtxos() || (isClosed() && (!asked || start?.payouts.has(id) === true))', 'false'],
    ['if (ids.length > 0)', 'if (ids.length > 99)'],
    ['if (spent.length > 0)', 'if (spent.length > 99)'],
    ['await nonces.ask();', ''],
    ['(!asked || start?.', '(start?.'],
    ['if (used !== null)', 'if (used === null)'],
  ]),
  ...bugs(
    'src/domain/sending/start-gate.ts',
    ['tests/domain/sending/start-gate.test.ts'],
    [
      ["waiting === 0 ? OPEN : { kind: 'unread' }", 'OPEN'],
      ["phase.kind === 'unread' ? { kind: 'waiting'", "true ? { kind: 'waiting'"],
      ["phase.kind === 'waiting' && untilMs >= phase.untilMs", "phase.kind === 'waiting'"],
      ['untilMs >= phase.untilMs', 'untilMs > phase.untilMs'],
      ["phase.mustCheckUtxos ? { kind: 'explained' } : OPEN", 'OPEN'],
      ["phase.mustCheckUtxos ? { kind: 'explained' } : OPEN", "{ kind: 'explained' }"],
      ["if (phase.kind !== 'explained') return phase;", ''],
      ["spent ? OPEN : { kind: 'unspent' }", "{ kind: 'unspent' }"],
      ["spent ? OPEN : { kind: 'unspent' }", 'OPEN'],
      ["if (phase.kind !== 'due') return phase;", ''],
      ["phase.kind === 'unspent' ? { kind: 'settling', askedMs }", "true ? { kind: 'settling', askedMs }"],
      ['begunMs >= phase.askedMs + SETTLE_MS', 'begunMs >= phase.askedMs'],
    ],
  ),
  ...bugs('src/app/sending/nonces/foreign-nonces.ts', RESTORED, [
    ['if (highest > unsigned && highest >', 'if (highest > mined && highest >'],
    ['found === below - from ? null :', 'true ? null :'],
    ['found === below - from ? null :', ''],
  ]),
  ...bugs(
    'src/domain/payouts/held.ts',
    ['tests/journeys/restore/restored-decisions.test.ts'],
    [['before !== null && isRestored(before)', 'false']],
  ),
  ...bugs('src/app/sending/send-transfers.ts', RESTORED, [
    ['batch.some(({ referenceId }) => gate.keeps(referenceId))', 'false'],
    ['const may = sendable.filter(({ id }) => !gate.keeps(id));', 'const may = sendable;'],
    ['if (isNew && (waits || (before', 'if (isNew && ((before'],
  ]),
  ...bugs(
    'src/app/sending/gone-blocks.ts',
    ['tests/app/sending/gone-blocks.test.ts'],
    [
      ['if (seen !== null && there.has(seen.top))', 'if (seen !== null)'],
      ['await inLanes(', 'if (seen === null) await inLanes('],
      ['if (answer !== null) (answer', 'if (answer) (answer'],
    ],
  ),
  ...bugs(
    'src/app/sending/signing/try-payouts.ts',
    ['tests/journeys/service/stepping-aside.test.ts'],
    [
      [
        "if (verdict === 'wait') await recordRefusal(deps, repositories, [locked], error);",
        "if (verdict === 'wait') return;",
      ],
    ],
  ),
  ...bugs('src/app/sending/operate-payouts.ts', RESTORED, [
    ['if (held.length !== seen) {', 'if (held.length < seen) {'],
    ['if (held.length !== seen) {', 'if (held.length > seen) {'],
  ]),
  ...bugs('src/app/sending/signing/recall-restored.ts', RESTORED, [
    ['if (!(await repositories.unknown.paidSince(chain, first.signedAt))) return false;', 'return false;'],
  ]),
  ...bugs('src/app/sending/settle-transfer.ts', RESTORED, [
    ["if (event.type === 'superseded' || code === 'restored')", "if (code === 'restored')"],
    ["if (event.type === 'superseded' || code === 'restored')", "if (event.type === 'superseded')"],
  ]),
  ...bugs(
    'src/app/sending/settle-transfer.ts',
    ['tests/journeys/payouts/ton-bounced-payouts.test.ts'],
    [['before.failure ?? event.reason', 'transfer.failure ?? event.reason']],
  ),
  ...bugs(
    'src/app/sending/settle-transfer.ts',
    ['tests/journeys/payouts/payouts.test.ts'],
    [['[{ before: payout, after: charged }]', '[{ before: payout, after: moved }]']],
  ),
  ...bugs(
    'src/app/payouts/payout-events.ts',
    [
      'tests/journeys/payouts/payouts.test.ts',
      'tests/journeys/invoices/refunds.test.ts',
      'tests/adapters/http/webhooks/events.test.ts',
    ],
    [
      ["after.kind === 'payout' && isTold(before, after)", 'isTold(before, after)'],
      ['isTold(before, after) ? [after]', 'true ? [after]'],
      ['if (url === undefined) continue;', ''],
      ['payout.sandbox ? { sandbox: true } : {}', '{}'],
    ],
  ),
  ...bugs('src/app/payouts/record-paid.ts', RESTORED, [
    ['payment.to === to && payment.asset === asset', 'payment.asset === asset'],
    ['const payment = alike[taken.length];', 'const payment = alike[0];'],
    ['(cursor?.finalizedHeight ?? -1) < block.height', 'cursor === null'],
    ['await repositories.unknown.found({ chain, txid, payoutId, at });', ''],
  ]),
  ...bugs(
    'src/app/payouts/record-paid.ts',
    ['tests/journeys/treasury/lost-spendings.test.ts'],
    [['if (!isUtxo(family)) return;', 'if (isUtxo(family)) return;']],
  ),
  ...bugs(
    'src/app/sending/nonces/next-nonce.ts',
    ['tests/app/sending/nonces/next-nonce.test.ts'],
    [
      ['before?.highest === highest && before.event === event', 'before?.highest === highest'],
      ["if (event === 'wallet.used_elsewhere') await aheadOfUs?.begun(wallet);", ''],
      ['since >= proofMs', 'since >= 0'],
    ],
  ),
  ...bugs('src/app/sending/nonces/nonce-ahead.ts', RESTORED, [
    ['found === below - from ? [] : await holdBack(', 'true ? [] : await holdBack('],
    ['await repositories.outgoing.skipNonces({ chain, address: wallet, below });', ''],
  ]),
];
