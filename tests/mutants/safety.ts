/**
 * Bugs in what keeps one merchant, receiver, node, backup or mistake from costing anybody else
 * (docs/safety.md, from "Money out" to "Neighbours").
 */
import { bugs, type Mutant } from './mutant.ts';

const WEBHOOKS = [
  'tests/app/webhooks/delivery-slots.test.ts',
  'tests/app/webhooks/webhook-circuits.test.ts',
  'tests/app/webhooks/webhook-neighbours.test.ts',
];

const MONEY_OUT: readonly Mutant[] = [
  ...bugs(
    'src/app/rates/fee-book.ts',
    ['tests/app/rates/fee-book.test.ts'],
    [
      ['(maxFeeFactor - 1n) * ordinaryUnits', 'maxFeeFactor * ordinaryUnits'],
      ['if (extraGas !== null && extraUnits <= mostUnits)', 'if (extraUnits <= mostUnits)'],
      ['extraGas: more?.extraGas ?? extraGas ?? 0n,', 'extraGas: extraGas ?? 0n,'],
      ['Math.abs(now() - known.at) <= FRESH_MS', 'true'],
      ['expectedUnits + (more?.extraUnits ?? 0n)', 'expectedUnits'],
    ],
  ),
  ...bugs(
    'src/app/rates/recipient-prices.ts',
    ['tests/app/rates/fee-book.test.ts'],
    [['budget.tried(merchantId, prices);', '']],
  ),
  ...bugs(
    'src/app/payouts/payout-terms.ts',
    ['tests/app/payouts/payout-terms.test.ts', 'tests/adapters/http/kit/error-rules.test.ts'],
    [
      ['addedMicroUsd: feeMicroUsd', 'addedMicroUsd: 0n'],
      ['deductedUnits: feeUnits', 'deductedUnits: 0n'],
      ["fiatForUnits(amountUnits, usd, asset, 'ceil')", "fiatForUnits(amountUnits, usd, asset, 'floor')"],
      ["if (asset.type !== 'native' || sentUnits >= least) return null;", 'if (sentUnits > 0n) return null;'],
      ["asset, 'floor'), asset, 'floor')", "asset, 'ceil'), asset, 'ceil')"],
    ],
  ),
  ...bugs(
    'src/app/rates/trial-budget.ts',
    ['tests/app/rates/fee-book.test.ts'],
    [
      ['{ left: left - taken, at }', '{ left, at }'],
      ['return times < DEAR_TIMES ? 0 : Number(times);', 'return 0;'],
      ['if (price === null) return UNENDED;', 'if (price === null) return 0;'],
    ],
  ),
  ...bugs(
    'src/compose/dependencies.ts',
    ['tests/journeys/payouts/anvil-payout-cost.test.ts'],
    [['maxFeeFactor: BigInt(config.payouts.maxFeeFactor),', 'maxFeeFactor: 5n,']],
  ),
  ...bugs(
    'src/app/payouts/refunds/refund-invoice.ts',
    ['tests/journeys/invoices/refund-orders.test.ts', 'tests/journeys/payouts/anvil-payout-cost.test.ts'],
    [
      ['if (after < 0n && input.force !== true)', 'if (false)'],
      ['if (input.dryRun === true)', 'if (false)'],
      ['orderedBy: input.by }', "orderedBy: '' }"],
    ],
  ),
  ...bugs(
    'src/app/payouts/refunds/refund-payout.ts',
    ['tests/journeys/payouts/anvil-payout-cost.test.ts'],
    [["if (quoted?.kind === 'too_dear') return err(feeTooHigh(quoted));", '']],
  ),
  ...bugs(
    'src/app/payouts/refunds/refundable.ts',
    ['tests/journeys/invoices/refunds.test.ts'],
    [['if (units > most) {', 'if (false) {']],
  ),
  ...bugs(
    'src/app/payouts/refunds/refund-terms.ts',
    ['tests/journeys/invoices/refunds.test.ts'],
    [['return senders.size === 1 ? only : null;', 'return only;']],
  ),
  ...bugs(
    'src/app/sending/signing/recall-barred.ts',
    ['tests/journeys/invoices/inactive-merchants.test.ts'],
    [['if (why.size === 0) return false;', 'return false;']],
  ),
  ...bugs(
    'src/app/sending/payout-dispatch.ts',
    [
      'tests/journeys/invoices/inactive-merchants.test.ts',
      'tests/journeys/payouts/payout-limits.test.ts',
      'tests/journeys/deposits/fake-troubles.test.ts',
    ],
    [
      ['if (isOperatorsRefund(payout) || merchantWaived) return null;', 'if (merchantWaived) return null;'],
      [
        'if (isOperatorsRefund(payout) || merchantWaived) return null;',
        'if (isOperatorsRefund(payout)) return null;',
      ],
      ['availableMicroUsd < 0n && !isOperatorsRefund(payout)', 'false'],
    ],
  ),
  ...bugs(
    'src/app/sending/nonces/unclear-batches.ts',
    ['tests/app/sending/nonces/unclear-batches.test.ts'],
    [
      ['keepsPlace(transferBatchId) ? 0 :', 'true ? 0 :'],
      ['.toSorted((a, b) => lastUnclear(a) - lastUnclear(b))', ''],
      ['&& !(error instanceof SlotsLost)', ''],
      ['error instanceof ChainUnavailable &&', ''],
    ],
  ),
  ...bugs(
    'src/app/sending/signing/refused-payout.ts',
    ['tests/journeys/service/stepping-aside.test.ts', 'tests/journeys/payouts/anvil-payout-cost.test.ts'],
    [
      ['if (tries > TRIES_MAX) deps.logger.error', 'if (false) deps.logger.error'],
      ["if (error.because === 'cost') return 'fee';", ''],
    ],
  ),
  ...bugs(
    'src/app/sending/signing/apply-refusal.ts',
    ['tests/journeys/service/stepping-aside.test.ts', 'tests/journeys/payouts/anvil-payout-cost.test.ts'],
    [
      ["if (error.because === 'fee' && !feeIsOutlier) return aside;", ''],
      ["if (error.because === 'cost' && pays) return 'hold';", ''],
    ],
  ),
  ...bugs(
    'src/app/sending/signing/apply-refusal.ts',
    ['tests/journeys/sending/signed-ahead.test.ts'],
    [["return keeps && verdict === 'aside' ? 'wait' : verdict;", 'return verdict;']],
  ),
  ...bugs(
    'src/app/sending/signing/apply-refusal.ts',
    ['tests/app/sending/kept-nonces.test.ts'],
    [['!keeps && isGivenUpWhole', 'isGivenUpWhole']],
  ),
  ...bugs(
    'src/app/sending/signing/kept-nonces.ts',
    ['tests/app/sending/kept-nonces.test.ts'],
    [
      ['if (!batch.some(mayBeSigned)) return false;', ''],
      ["|| error.because !== 'unclear'", ''],
      ['?? now;', '&& now;'],
      ['Math.abs(now - first) < KEPT_MS', 'now - first < KEPT_MS'],
      ['&& openAttempts > 0', ''],
    ],
  ),
  ...bugs(
    'src/app/sending/signing/sign-batch.ts',
    ['tests/journeys/service/stepping-aside.test.ts', 'tests/journeys/invoices/inactive-merchants.test.ts'],
    [
      ['const OUTLIER_FACTOR = 4n;', 'const OUTLIER_FACTOR = 4_000n;'],
      [
        'if (earlier.length === 0 && (await recallBarred(deps, repositories, transferBatchId))) return null;',
        '',
      ],
    ],
  ),
  ...bugs(
    'src/app/sending/signing/signing-order.ts',
    ['tests/journeys/sending/signed-ahead.test.ts'],
    [
      ["before === 'left' && !keeps", "before === 'left'"],
      ["(!asks || result.kind === 'refused')", 'false'],
      ["(!asks || result.kind === 'refused')", 'true'],
    ],
  ),
  ...bugs(
    'src/app/payouts/day-total.ts',
    ['tests/app/payouts/day-total.test.ts', 'tests/journeys/payouts/payout-limits.test.ts'],
    [
      ['(counted.has(id) ? 0n : amountMicroUsd)', 'amountMicroUsd'],
      ['add(merchantId, -amountMicroUsd)', 'add(merchantId, 0n)'],
      ['other.merchantId === merchantId && other.id', 'other.id'],
    ],
  ),
  ...bugs(
    'src/app/shared/try-together.ts',
    ['tests/app/shared/try-together.test.ts'],
    [
      ['isAway(error)', 'isAway(error) || isLate(error)'],
      ['if (isLate(error) && trying.lastWasLate) throw error;', ''],
    ],
  ),
  ...bugs(
    'src/app/sending/signing/signing-attempts.ts',
    ['tests/journeys/sending/signed-ahead.test.ts'],
    [['openAttempts: each.openAttempts + 1', 'openAttempts: each.openAttempts']],
  ),
  ...bugs(
    'src/app/sending/signing/give-up-signed.ts',
    ['tests/journeys/sending/fake-utxo-cancels.test.ts', 'tests/journeys/payouts/stuck-payouts.test.ts'],
    [
      ['feeBumpRequested: byOperator', 'feeBumpRequested: false'],
      ['logGivenUp(deps, chain, await giveUp', 'void (await giveUp'],
    ],
  ),
  ...bugs(
    'src/app/sending/nonces/fill-nonce-gaps.ts',
    ['tests/journeys/payouts/stuck-payouts.test.ts'],
    [['if (lowest === undefined || lowest === next) {', 'if (true) {']],
  ),
  ...bugs(
    'src/app/sending/network-fee-entries.ts',
    ['tests/journeys/payouts/network-fee-postings.test.ts', 'tests/journeys/payouts/stuck-payouts.test.ts'],
    [
      [
        'const minedPays = signed.some((transaction) => transaction.txid === txid && !transaction.voids);',
        'const minedPays = true;',
      ],
      ['const postings = reversed(standing.postings);', 'const { postings } = standing;'],
      ["fee.microUsd > 0n ? 'charged' : 'returned'", "fee.microUsd > 0n ? 'returned' : 'charged'"],
    ],
  ),
  ...bugs(
    'src/app/sending/spendable-balance.ts',
    ['tests/app/sending/spendable-balance.test.ts', 'tests/journeys/payouts/payout-liquidity.test.ts'],
    [
      ['held - (floorUnits.get(asset) ?? 0n)', 'held'],
      ['spend(nativeAsset, withheldUnits);', ''],
      ['for (const { asset, units: amount, payments } of committed) reserve(asset, amount, payments);', ''],
      ['const needed = asset === nativeAsset ? sentUnits + fee : sentUnits;', 'const needed = sentUnits;'],
    ],
  ),
  ...bugs(
    'src/app/payouts/payout-entries.ts',
    ['tests/journeys/payouts/payout-paid-after-all.test.ts', 'tests/journeys/payouts/wasted-fees.test.ts'],
    [['return [retaken(payout), settled(payout)];', 'return [settled(payout)];']],
  ),
  ...bugs(
    'src/domain/sending/operator-choices.ts',
    ['tests/domain/sending/operator-choices.test.ts'],
    [["return transfer.voided ? [] : ['cancel'];", "return ['cancel'];"]],
  ),
  ...bugs(
    'scripts/support/payouts.ts',
    ['tests/scripts/payout-scripts.test.ts'],
    [["if (transfer?.voided && transfer.status === 'signed')", 'if (false)']],
  ),
  ...bugs(
    'src/app/sweeps/sweep-facts.ts',
    ['tests/journeys/sweeps/sweep-unread-money.test.ts'],
    [['sender.balances(address, assets, { height })', 'sender.balances(address, assets)']],
  ),
  ...bugs(
    'src/app/sending/signing/own-money.ts',
    ['tests/journeys/sweeps/sweep-unread-money.test.ts', 'tests/journeys/sweeps/sweep-fees.test.ts'],
    [
      ['(recorded.get(address) ?? 0n) - keptUnits', 'null'],
      ['found.undecided.get(address)?.get(nativeAsset) ?? 0n', '0n'],
      ['if ((found.lastMoved.get(address) ?? 0) > height) continue;', ''],
    ],
  ),
  ...bugs(
    'src/app/sending/signing/undecided-units.ts',
    ['tests/journeys/sweeps/sweep-unread-money.test.ts', 'tests/journeys/treasury/lost-sweeps.test.ts'],
    [
      ['return (await chains.hasRead(chain, { height, hash })) ? found : null;', 'return found;'],
      ['set(asset, units - gone)', 'set(asset, units)'],
      ['larger(undecided - there, 0n)', 'undecided'],
      ['larger(undecided - there, 0n)', '0n'],
    ],
  ),
  ...bugs(
    'src/domain/sending/own-money.ts',
    ['tests/adapters/chains/tron/send/sender.test.ts'],
    [
      [
        'larger(heldUnits - unspendableUnits(heldUnits, own), 0n)',
        'heldUnits - unspendableUnits(heldUnits, own)',
      ],
      ['larger(keptUnits, heldUnits - mostUnits)', 'keptUnits'],
    ],
  ),
  ...bugs(
    'src/app/sending/signing/sign-batch.ts',
    ['tests/journeys/sweeps/sweep-fees.test.ts'],
    [['{ ...order, ...own, inputs, payments }', '{ ...order, inputs, payments }']],
  ),
  ...bugs(
    'src/adapters/chains/evm/send/prepare.ts',
    ['tests/adapters/chains/evm/send/sender.test.ts'],
    [['spendableUnits(held, order.own)', 'held']],
  ),
  ...bugs(
    'src/app/sweeps/sweep-facts.ts',
    ['tests/journeys/treasury/lost-sweeps.test.ts'],
    [['undecidedUnits: undecided,', 'undecidedUnits: 0n,']],
  ),
  ...bugs(
    'src/app/treasury/book-capital.ts',
    ['tests/journeys/treasury/lost-sweeps.test.ts'],
    [
      ['const back = takesBack && (await', 'const back = (await'],
      ['if (!back) return refused', 'if (!takesBack) return refused'],
      [': wallet === address || normalized(deriver, to) === address', ': wallet === address'],
      ['if (last !== null && last >= height)', 'if (last !== null && last > height)'],
    ],
  ),
  ...bugs(
    'src/app/treasury/book-differences.ts',
    ['tests/journeys/treasury/lost-spendings.test.ts', 'tests/scripts/treasury/booking.test.ts'],
    [
      ['isThere ? utxo.units : -utxo.units', 'isThere ? -utxo.units : utxo.units'],
      ['const back = await unspentAgain(deps, of);', 'const back: readonly Utxo[] = [];'],
      ['newest === null || newest > finalHeight', 'newest === null'],
      ['if (dryRun) return err', 'if (false) return err'],
      [
        'const { wrong: ledger } = await booksOf(deps, on);',
        'const ledger: readonly ChainDifference[] = [];',
      ],
      ['address === hotWalletOf(on) ? null : address', 'address'],
    ],
  ),
  ...bugs(
    'src/app/sending/book-funding.ts',
    ['tests/journeys/treasury/lost-spendings.test.ts'],
    [['const where = { inBlock: false };', 'const where = { inBlock: true };']],
  ),
  ...bugs(
    'src/app/sweeps/advance-sweeps.ts',
    ['tests/journeys/sweeps/sweep-unread-money.test.ts'],
    [["sweepReason('unsigned', transfer?.failure?.text)", "sweepReason('empty')"]],
  ),
  ...bugs(
    'src/app/sweeps/advance-sweeps.ts',
    ['tests/journeys/sweeps/tron-energy.test.ts', 'tests/journeys/sweeps/tron-delegations.test.ts'],
    [
      ['lending: endLate, sweeping: endLate', 'lending: rest, sweeping: endLate'],
      ['lending: endLate, sweeping: endLate', 'lending: endLate, sweeping: rest'],
      [
        'unmined: { planned: fail, topping_up: fail, lending: planWithoutEnergy',
        'unmined: { planned: fail, topping_up: fail, lending: fail',
      ],
      ['lending: planWithoutEnergy, sweeping: planAgain', 'lending: planAgain, sweeping: planAgain'],
    ],
  ),
  ...bugs(
    'src/domain/catalog/collecting-cost.ts',
    ['tests/domain/catalog/collecting-cost.test.ts'],
    [['5n, 4n * MICROS_PER_FIAT', '1n, MICROS_PER_FIAT']],
  ),
  ...bugs(
    'src/app/sweeps/below-cost.ts',
    ['tests/journeys/deposits/below-collecting-cost.test.ts'],
    [['utxos: sender.utxos !== null', 'utxos: false']],
  ),
];

const WALLET_AND_CLOCK: readonly Mutant[] = [
  ...bugs(
    'src/compose/wallet/open-wallet.ts',
    ['tests/journeys/treasury/wallet-and-database.test.ts'],
    [
      ['if (isUsed && !(await keystoreIsThere(config.dataDir)))', 'if (false)'],
      ['if (differing.length > 0) throw', 'if (false) throw'],
      ['if (noted.length === 0 && isUsed) await checkAddresses(config, held, wallet);', ''],
      ["if (noted.length === 0 && config.role === 'api') throw", 'if (false) throw'],
      ['{ mayMake: !isThere }', '{ mayMake: true }'],
      ['[...keyFingerprints(keys), ...ownWalletFingerprints(config)]', '[...keyFingerprints(keys)]'],
    ],
  ),
  ...bugs(
    'src/compose/wallet/replace-wallet.ts',
    ['tests/journeys/restore/replaced-wallet.test.ts'],
    [['if (sessions > 0) return', 'if (false) return']],
  ),
  ...bugs(
    'src/adapters/postgres/sending/wallet-keys.ts',
    ['tests/journeys/restore/replaced-wallet.test.ts', 'tests/journeys/treasury/wallet-and-database.test.ts'],
    [
      ['where ${w.replacedAt} is null order by', 'order by'],
      ['used || noted.length > 0', 'used'],
    ],
  ),
  ...bugs(
    'src/compose/chains/chain-identities.ts',
    ['tests/journeys/chains/chain-identity.test.ts'],
    [
      ['networkConflicts([...noted, ...before], found)', 'networkConflicts(noted, found)'],
      ['if (noted === genesis) return true;', 'return true;'],
      ['network: hash === fakeBlockHash(chain, height) ? FAKE_NETWORK : null', 'network: null'],
      ['settings.chainId ?? chainId', 'chainId'],
    ],
  ),
  // What is asked for twice with one key is made once (Q1).
  ...bugs(
    'src/adapters/postgres/stored-answers.ts',
    ['tests/adapters/postgres/queries.test.ts', 'tests/adapters/http/kit/idempotency.test.ts'],
    [
      ['where ${s.expiresAt} <= ${earlier(', 'where ${s.expiresAt} < ${earlier('],
      ['${s.expiresAt} <= ${earlier(sql`${s.sandbox}`, now)}', '${now} is not null'],
      ['isNotNullViolation(error) || isUniqueViolation(error, KEYS_PRIMARY)', 'isNotNullViolation(error)'],
      ['left join written', 'join written'],
      [
        "case when date_trunc('second', ${w.createdAt}) = date_trunc('second', g.at) then ${G.status} end",
        '${G.status}',
      ],
      ['else greatest(${time}, ${CHAIN_TIME}) end', 'else ${time} end'],
      ['else least(${time}, ${CHAIN_TIME}) end', 'else ${time} end'],
      [
        '${s.merchantId} = ${G.merchantId} and ${s.sandbox} = ${G.sandbox} and ${s.key}',
        '${s.merchantId} = ${G.merchantId} and ${s.key}',
      ],
      [
        'if (repeated.length > 0)',
        'if (false)',
        'PostgreSQL refuses the group then, and each is written by itself',
      ],
      ['if (taken.size === 0) return;', 'return;'],
      ['where ${s.expiresAt} < ${before} order', 'where ${s.expiresAt} <= ${before} order'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/client/grouped-writes.ts',
    ['tests/adapters/postgres/queries.test.ts', 'tests/adapters/http/kit/idempotency.test.ts'],
    [['queue.unshift(...withoutRefused(group, error));', 'withoutRefused(group, error);']],
  ),
  ...bugs(
    'src/adapters/http/kit/idempotency.ts',
    ['tests/adapters/http/kit/idempotency.test.ts'],
    [
      ['return found.fingerprint === fingerprint', 'return true'],
      ['return (await replay()) ?? result;', 'return result;'],
      ["application.noteKey(caller, key) === 'known' ? await replay() : null", 'null'],
      ['.update(request.body)', ''],
      ['${request.id}', ''],
      ['${request.endpoint}', ''],
    ],
  ),
  ...bugs(
    'src/app/shared/store-answer.ts',
    ['tests/adapters/http/kit/idempotency.test.ts'],
    [['if (once === null) return;', 'return;']],
  ),
  ...bugs(
    'src/app/payouts/purge-used-keys.ts',
    ['tests/app/payouts/purge-used-keys.test.ts', 'tests/journeys/invoices/backlogs.test.ts'],
    [
      ['const KEPT_MS = 3_600_000;', 'const KEPT_MS = 0;'],
      ['Math.min(now, (await chainTime(repositories))?.getTime() ?? now)', 'now'],
    ],
  ),
  ...bugs(
    'src/app/payouts/create-payouts.ts',
    ['tests/app/payouts/purge-used-keys.test.ts', 'tests/journeys/invoices/backlogs.test.ts'],
    [["'two hours': { hours: 2,", "'two hours': { hours: 1,"]],
  ),
  ...bugs(
    'src/app/invoices/addresses/raise-indexes.ts',
    ['tests/journeys/restore/restored-addresses.test.ts'],
    [
      ['Math.max(from, marks.get(deriver) ?? 0) + silent', 'from + silent'],
      ['const SKIPPED_PER_SECOND = 2;', 'const SKIPPED_PER_SECOND = 0;'],
      ['if (skip === null && behind.length > 0)', 'if (false)'],
    ],
  ),
  ...bugs(
    'src/app/invoices/addresses/address-allocator.ts',
    [
      'tests/journeys/restore/restored-addresses.test.ts',
      'tests/app/invoices/addresses/address-allocator.test.ts',
    ],
    [
      ['const atLeast = (await deps.issuedIndexes.all()).get(source.name) ?? 0;', 'const atLeast = 0;'],
      ['await deps.issuedIndexes.note(new Map([[source.name, from + BLOCK]]));', ''],
      ['ready.unshift(address);', 'ready.push(address);'],
      ['reserved = null;\n', ''],
    ],
  ),
  ...bugs(
    'src/domain/chains/payment-time.ts',
    [
      'tests/domain/chains/payment-time.test.ts',
      'tests/journeys/restore/restored-payments.test.ts',
      'tests/journeys/service/wrong-clock.test.ts',
    ],
    [
      ['Math.min(byChain, byUs)', 'byUs'],
      ['Math.max(byChain, byUs) + toleranceMs', 'byChain + toleranceMs'],
      ['isMined(family) ? TOLERANCE_SECONDS_MINED : TOLERANCE_SECONDS', 'TOLERANCE_SECONDS'],
      ['since.getTime() > madeBefore.getTime()', 'false'],
    ],
  ),
  ...bugs(
    'src/app/chains/check-clock.ts',
    ['tests/app/chains/check-clock.test.ts'],
    [
      ['const apart = Math.abs(seconds)', 'const apart = seconds'],
      ['const TIMES_IN_A_ROW = 3;', 'const TIMES_IN_A_ROW = 1;'],
    ],
  ),
  ...bugs(
    'src/compose/compose.ts',
    ['tests/journeys/service/wrong-clock.test.ts'],
    [
      [
        "{ name: 'check-clock', everyMs: CLOCK_EVERY_MS, run: clockCheck(dependencies, chains.scanners) },",
        '',
      ],
    ],
  ),
];

const PRICES: readonly Mutant[] = [
  ...bugs(
    'src/app/rates/rate-book.ts',
    ['tests/app/rates/rate-book.test.ts'],
    [
      ['fixed ?? within(creditSeconds) ?? NONE', 'fixed ?? within(FRESH_SECONDS) ?? NONE'],
      ['(seconds + 1) * 1000', 'seconds * 1000'],
    ],
  ),
  ...bugs(
    'src/compose/rates.ts',
    ['tests/journeys/invoices/stale-prices.test.ts'],
    [['creditSeconds: config.rates.creditMaxAgeSeconds', 'creditSeconds: 600']],
  ),
  ...bugs(
    'src/app/rates/price-watch.ts',
    ['tests/journeys/invoices/stale-prices.test.ts'],
    [
      ['const ALARM_AFTER_MS = 3_600_000;', 'const ALARM_AFTER_MS = 3_700_000;'],
      ['if (!waiting.has(asset)) logger.warn', 'logger.warn'],
    ],
  ),
  ...bugs(
    'src/domain/rates/quote-age.ts',
    ['tests/app/rates/refresh-rates.test.ts'],
    [
      ["return moved || at !== null ? 'proven' : 'doubtful';", "return 'proven';"],
      ['sinceMs < oldestMs || (at', '(at'],
      ['(at !== null && at.getTime() < oldestMs)', 'false'],
      ['before.mark === mark ? before :', 'before.mark === mark ? { ...before, sinceMs: nowMs } :'],
    ],
  ),
  ...bugs(
    'src/app/rates/refresh-rates.ts',
    ['tests/app/rates/refresh-rates.test.ts'],
    [
      ['const FIAT_WINDOW_SECONDS = 6 * 86_400;', 'const FIAT_WINDOW_SECONDS = 60;'],
      ['told.map(({ proven }) => proven),', 'told.map(({ all }) => all),'],
    ],
  ),
  ...bugs(
    'src/domain/catalog/coins.ts',
    ['tests/adapters/rates/quote-times.test.ts', 'tests/adapters/http/checkout/checkout-states.test.ts'],
    [
      ['[renamed, symbol]', '[symbol, renamed]'],
      [`\`\${symbol} (\${renamed})\``, 'symbol'],
    ],
  ),
];

const NEIGHBOURS: readonly Mutant[] = [
  ...bugs(
    'src/app/shared/batch-pipeline.ts',
    ['tests/app/shared/batch-pipeline.test.ts'],
    [
      ['if (run.endedInStep < more / 2) run.attemptingMost', 'run.attemptingMost'],
      ['run.abandoned = true;', ''],
      [
        'if (ready.length > 0 && (run.failure !== null || run.abandoned)) run.steps.leave(ready.splice(0));',
        '',
      ],
      ['run.steps.leave(ready.splice(0))', 'ready.length = 0'],
    ],
  ),
  ...bugs(
    'src/app/shared/summed-log.ts',
    ['tests/app/shared/summed-log.test.ts'],
    [
      ['before.pauseMs * 2', 'before.pauseMs'],
      ['const FORGOTTEN_MS = 600_000;', 'const FORGOTTEN_MS = 6_000_000;'],
    ],
  ),
  ...bugs(
    'src/app/invoices/expire-invoices.ts',
    ['tests/journeys/invoices/backlogs.test.ts'],
    [['await strand(repositories, ended);', '']],
  ),
  ...bugs(
    'src/adapters/http/kit/key-gate.ts',
    ['tests/journeys/restore/wrong-keys.test.ts', 'tests/adapters/http/kit/rate-limit.test.ts'],
    [
      ['if (!isMiss) miss.takeBack();', ''],
      ['() => miss.count() === null', '() => true'],
      ['networkOf(this.#deps.callerIp(request))', "''"],
    ],
  ),
  ...bugs(
    'src/adapters/http/kit/refusal-log.ts',
    ['tests/adapters/http/kit/refusal-log.test.ts'],
    [
      ['before !== undefined || this.#byCaller.size < COUNTED_MAX', 'true'],
      ['this.#total = 0;\n  }', '}'],
    ],
  ),
  ...bugs(
    'src/adapters/webhooks/idle-connections.ts',
    ['tests/adapters/webhooks/idle-connections.test.ts', 'tests/adapters/webhooks/connection-reuse.test.ts'],
    [
      ['if (usable && !addresses.includes(connection.address)) continue;', ''],
      ['connection.isOpen() && until > now', 'until > now'],
      ['connection.isOpen() && until > now', 'connection.isOpen()'],
    ],
  ),
  ...bugs('src/app/webhooks/delivery-slots.ts', WEBHOOKS, [
    ['untrusted: 1 / 64', 'untrusted: 1 / 2'],
    [
      'if (freeThere <= 0 || atLane.inFlight >= atLane.window.most) return false;',
      'if (freeThere <= 0) return false;',
    ],
    ['const PLACES_MOST = 1_024;', 'const PLACES_MOST = 64;'],
    ["if (met?.answer === 'exhausted') slots.limit", 'if (false) slots.limit'],
  ]),
  ...bugs('src/app/webhooks/receiver-window.ts', WEBHOOKS, [
    ['first: 8, least: 1', 'first: 64, least: 1'],
    ['{ ...window, trusted: false, most: half }', '{ ...window, trusted: false }'],
    ['Math.min(window.most, bounds.slow)', 'window.most'],
  ]),
  ...bugs(
    'src/app/webhooks/due-deliveries.ts',
    ['tests/app/webhooks/due-deliveries.test.ts', ...WEBHOOKS],
    [['now.getTime() - leasedAt >= RENEW_MS', 'leasedAt < 0']],
  ),
  ...bugs(
    'src/app/webhooks/known-lanes.ts',
    ['tests/app/webhooks/due-deliveries.test.ts', ...WEBHOOKS],
    [['merchantTurn(a) - merchantTurn(b) || a.turn - b.turn', 'a.turn - b.turn']],
  ),
  ...bugs('src/app/webhooks/attempt-delivery.ts', WEBHOOKS, [
    ['answer.status === TOO_MANY_REQUESTS || ', ''],
  ]),
  ...bugs('src/app/webhooks/expire-deliveries.ts', WEBHOOKS, [
    ['HELD_BACK_SECONDS_MAX * 1_000', 'HELD_BACK_SECONDS_MAX * 2_000'],
  ]),
  ...bugs('src/domain/webhooks/receiver-circuit.ts', WEBHOOKS, [
    ['const OPENS_AFTER = 5;', 'const OPENS_AFTER = 50;'],
    ['merchants.length >= MERCHANTS_MOST || merchants.includes(merchantId)', 'true'],
    ['const turn = place < 0 ? merchants.length : place;', 'const turn = 0;'],
  ]),
  ...bugs(
    'src/app/merchants/authenticate.ts',
    ['tests/journeys/restore/wrong-keys.test.ts', 'tests/journeys/service/wrong-clock.test.ts'],
    [['if (!known && isKept(misses.get(hash) ?? 0, now)) return null;', '']],
  ),
  ...bugs(
    'src/app/merchants/unknown-key-budget.ts',
    ['tests/journeys/restore/wrong-keys.test.ts', 'tests/journeys/service/wrong-clock.test.ts'],
    [
      ['boundPerSecond(clock, 100)', 'boundPerSecond(clock, 1_000)'],
      ['until > now && until - now <= KEPT_MS', 'until > now'],
    ],
  ),
  ...bugs(
    'src/app/payouts/payout-destination.ts',
    ['tests/journeys/deposits/own-addresses.test.ts'],
    [['if (sandbox) return ok(normalized);', '']],
  ),
  ...bugs(
    'src/adapters/postgres/client/connection-pool.ts',
    ['tests/adapters/postgres/client/connection-pool.test.ts'],
    [
      ['if (pool.silent > 1) for', 'for'],
      ['if (!turn.isOver) pool.silent = 0;', ''],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/lists/list-turns.ts',
    ['tests/adapters/postgres/lists/list-turns.test.ts'],
    [
      ["if (queue.waiting.length >= waitingMax) throw new ListRefused('busy');", ''],
      ['if (queue.running < atOnce) {', 'if (true) {'],
    ],
  ),
];

const STREAMS: readonly Mutant[] = [
  ...bugs(
    'src/app/chains/announced-heads.ts',
    ['tests/app/chains/announced-heads.test.ts'],
    [
      ['height <= tipHeight || height === newest', 'height <= tipHeight'],
      ['height <= tipHeight || height === newest', 'height === newest'],
      ['GAP_MOST * pollMs)', '100 * pollMs)'],
      ['Math.abs(now - toldAt)', 'now - toldAt'],
      ['if (!areApart()) return;', ''],

      ['!isThere && wasWanted && wasThere', '!isThere && wasWanted'],
      ['!isThere && wasWanted && wasThere', '!isThere && wasThere'],
      ['if (isThere || wasWanted) wasThere = isThere;', ''],
      ['streams.isAlive() && isToldLately()', 'isToldLately()'],
      ['isToldLately() && areApart()', 'isToldLately()'],
      ['isToldLately() && areApart()', 'areApart()'],
      ['RARER * Math.max(pollMs, chain.pollMs)', 'RARER * pollMs'],
      ["stopping.addEventListener('abort', () => notAgain());", ''],
    ],
  ),
  ...bugs(
    'src/adapters/chains/shared/nodes/head-streams.ts',
    ['tests/adapters/chains/shared/nodes/head-streams.test.ts'],
    [
      ['  session.silentAt = time.now() + quietMs;\n  session.told', '  session.told'],
      ['silentAt: now + CONNECT_MS', 'silentAt: now + 10 * CONNECT_MS'],
      ["if (session.inSecond > MESSAGES_A_SECOND) throw new NodeError('tells too much');", ''],
      ['data.length > MESSAGE_LENGTH_MAX', 'false'],
      ["if (message.error != null) throw new NodeError('refuses to tell heads');", ''],
      ['stream.failures + 1', 'stream.failures'],
      ['Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** stream.failures)', 'PAUSE_MS * 2 ** stream.failures'],
      ['if (stream.wasAlive !== false) logger', 'logger'],
      ['if (stream.wasAlive === false) logger', 'logger'],
      ['if (session.told) stream.told(null);', ''],
      ['if (session.told) stream.told(null);', 'stream.told(null);'],
      ['session.socket.terminate();', ''],
      ['stream.current?.socket.terminate();', ''],
      ['if (stopping?.aborted) return;', ''],
    ],
  ),
  ...bugs(
    'src/adapters/scheduler/scheduler.ts',
    ['tests/adapters/scheduler/scheduler.test.ts'],
    [
      [
        'job.listen?.(() => startNow(job), stopping.signal)',
        'job.listen?.(() => void runOnce(job), stopping.signal)',
      ],
    ],
  ),
];

export const SAFETY_MUTANTS: readonly Mutant[] = [
  ...MONEY_OUT,
  ...WALLET_AND_CLOCK,
  ...PRICES,
  ...NEIGHBOURS,
  ...STREAMS,
];
