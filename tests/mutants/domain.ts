/** Bugs in the rules of money and in the state machines. */
import { bugs, type Mutant } from './mutant.ts';

const LEDGER_TESTS = ['tests/domain/ledger-and-payout.test.ts', 'tests/simulation/ledger-laws.test.ts'];
const INVOICE_TESTS = [
  'tests/domain/invoices/invoice.test.ts',
  'tests/domain/invoices/invoice-reversals.test.ts',
  'tests/domain/invoices/invoice-model.test.ts',
];
const PAYOUT_TESTS = ['tests/domain/ledger-and-payout.test.ts', 'tests/domain/payouts/payout-model.test.ts'];

export const DOMAIN_MUTANTS: readonly Mutant[] = [
  ...bugs(
    'src/domain/money/decimal.ts',
    ['tests/domain/money/decimal.test.ts'],
    [
      ['if (remainder === 0n) return quotient;', 'if (remainder === 1n) return quotient;'],
      [
        "if (rounding === 'ceil') return product > 0n ? quotient + 1n : quotient;",
        "if (rounding === 'floor') return product > 0n ? quotient + 1n : quotient;",
      ],
      ['return product < 0n ? quotient - 1n : quotient;', 'return quotient;'],
      ['value.scale > decimals ? null', 'value.scale > decimals + 1 ? null'],
      ['const MAX_EXPONENT = 60;', 'const MAX_EXPONENT = 6;'],
      ["replace(/0+$/, '')", "replace(/0$/, '')"],
      ['places < NOISY_DIGITS.min || places > NOISY_DIGITS.max', 'places > NOISY_DIGITS.max'],
      ['places < NOISY_DIGITS.min || places > NOISY_DIGITS.max', 'places < NOISY_DIGITS.min'],
      ['const NOISE_PART = 1_000_000_000n;', 'const NOISE_PART = 1_000n;'],
      ['(size + step / 2n) / step', 'size / step'],
      ['let scale = fraction.length - exponent;', 'let scale = fraction.length + exponent;'],
      [
        'precision.decimals - precision.displayDecimals',
        'precision.decimals - precision.displayDecimals - 1',
      ],
      ["sign === '-' ? -digits : digits", 'digits'],
    ],
  ),
  ...bugs(
    'src/domain/money/fee.ts',
    ['tests/domain/money/fee.test.ts', 'tests/domain/catalog/terms-and-catalog.test.ts'],
    [
      [
        "mulDiv(baseUnits, PPM + commissionPpm, PPM, 'ceil')",
        "mulDiv(baseUnits, PPM + commissionPpm, PPM, 'floor')",
      ],
      ['      return baseUnits;', "      return mulDiv(baseUnits, PPM + commissionPpm, PPM, 'ceil');"],
      [
        "mulDiv(receivedUnits, PPM - commissionPpm, PPM, 'floor')",
        "mulDiv(receivedUnits, PPM - commissionPpm, PPM, 'ceil')",
      ],
      ['mulDiv(receivedUnits, baseUnits, dueUnits', 'mulDiv(receivedUnits, dueUnits, baseUnits'],
      ['DEFAULT_COMMISSION_PPM = 10_000n', 'DEFAULT_COMMISSION_PPM = 1_000n'],
    ],
  ),
  ...bugs(
    'src/domain/rates/rate.ts',
    ['tests/domain/catalog/terms-and-catalog.test.ts', 'tests/simulation/ledger-laws.test.ts'],
    [
      ["mulDiv(usd, fiat, RATE_SCALE, 'floor')", "mulDiv(usd, RATE_SCALE, fiat, 'floor')"],
      ['RATE_SCALE, MICROS_PER_FIAT * price, rounding', "RATE_SCALE, MICROS_PER_FIAT * price, 'floor'"],
      [
        '10n ** BigInt(asset.decimals) * RATE_SCALE, rounding',
        "10n ** BigInt(asset.decimals) * RATE_SCALE, 'ceil'",
      ],
    ],
  ),
  ...bugs(
    'src/domain/invoices/itemised-price.ts',
    ['tests/domain/invoices/invoice.test.ts'],
    [
      [
        "fiat.initialMicros, state.price.dueUnits, 'floor'",
        "fiat.initialMicros, state.price.baseUnits, 'floor'",
      ],
    ],
  ),
  ...bugs(
    'src/domain/invoices/invoice-terms.ts',
    ['tests/domain/catalog/terms-and-catalog.test.ts'],
    [
      ['DEFERRAL_MICRO_USD = 2_000_000n', 'DEFERRAL_MICRO_USD = 200_000n'],
      ["PPM + modifier, PPM, 'ceil'", "PPM - modifier, PPM, 'ceil'"],
      ['originalUnits: modifier === null ? null : requestedUnits', 'originalUnits: requestedUnits'],
      ['dueUnits: due === baseUnits ? baseUnits : rounded(due, asset)', 'dueUnits: due'],
      [
        "unitsForFiat(request.requested.micros, price, asset, 'ceil')",
        "unitsForFiat(request.requested.micros, price, asset, 'floor')",
      ],
      ["return roundToDisplay(units, asset, 'ceil');", "return roundToDisplay(units, asset, 'floor');"],
      [
        "if (request.requested.in === 'asset') return request.requested.units;",
        "if (request.requested.in === 'asset') return rounded(request.requested.units, asset);",
      ],
      ['return ceilToMinor(due, invoice.fiatCurrency);', 'return floorToMinor(due, invoice.fiatCurrency);'],
      ['PPM + (invoice.priceModifierPpm ?? 0n)', 'PPM'],
      [
        "floorToMinor(fiatForUnits(request.requested.units, price, asset, 'floor')",
        "ceilToMinor(fiatForUnits(request.requested.units, price, asset, 'floor')",
      ],
    ],
  ),
  ...bugs('src/domain/invoices/invoice.ts', INVOICE_TESTS, [
    [
      "state.status !== 'created' || receivedUnits(state.funds) > 0n) return",
      "state.status !== 'created') return",
    ],
    ['at < state.expiresAt ? at : state.expiresAt', 'at'],
    ["  'cancelled',\n]);", ']);'],
    ["return state.billingType === 'VARY';", 'return false;'],
    ['seenAt.getTime() < state.expiresAt.getTime()', 'seenAt.getTime() <= state.expiresAt.getTime()'],
    [
      'funds.pendingUnits < price.deferralUnits && !covers(state, funds.creditedUnits + funds.pendingUnits)',
      'funds.pendingUnits < price.deferralUnits && !covers(state, funds.pendingUnits)',
    ],
    [
      'return funds.pendingUnits < price.deferralUnits &&',
      'return funds.pendingUnits <= price.deferralUnits &&',
    ],
    ['price.dueUnits * (PPM - tolerancePpm)', 'price.dueUnits * (PPM + tolerancePpm)'],
    ['units * PPM >= price.dueUnits', 'units * PPM > price.dueUnits'],
    ['units >= acceptedUnits', 'units > acceptedUnits'],
    [
      'funds.pendingUnits + funds.creditedUnits + funds.heldUnits;',
      'funds.pendingUnits + funds.creditedUnits;',
    ],
    ['addressFrom: event.from ?? state.addressFrom', 'addressFrom: event.from'],
    [
      '{ heldUnits: -event.units, creditedUnits: event.units }',
      '{ heldUnits: -event.units, pendingUnits: event.units }',
    ],
    [
      'return takenBack(withFunds(state, { heldUnits: -event.units }), event.at);',
      'return settle(withFunds(state, { heldUnits: -event.units }), event.at);',
    ],
    ["if (state.status !== 'refunded') return unchanged(state);", ''],
    ['state.funds.creditedUnits > 0n &&\n', 'state.funds.creditedUnits >= 0n &&\n'],
    ["      state.status === 'cancelled')\n", '      false)\n'],
    [
      'if (at.getTime() < state.expiresAt.getTime()) return unchanged(state);',
      'if (at.getTime() <= state.expiresAt.getTime()) return unchanged(state);',
    ],
    [
      "if (state.status === 'partially_paid' && state.billingType === 'STATIC')\n    return moveTo(state, 'cancelled', at);",
      "if (state.status === 'partially_paid')\n    return moveTo(state, 'cancelled', at);",
    ],
    [
      'const remains = funds.creditedUnits > 0n || funds.heldUnits > 0n;',
      'const remains = funds.creditedUnits > 0n;',
    ],
    [
      'const awaited = funds.pendingUnits > 0n && !isDeferred(state);',
      'const awaited = funds.pendingUnits > 0n;',
    ],
    [
      "if (state.status === 'refunded' || remains || awaited) return settle(state, at);",
      'if (remains || awaited) return settle(state, at);',
    ],
    ["return moveTo(state, ends ? 'cancelled' : status, at);", 'return moveTo(state, status, at);'],
    [
      "state.status === 'refunded' || state.status === 'cancelled' || state.status === 'expired'",
      "state.status === 'refunded' || state.status === 'cancelled'",
    ],
    [
      "if (funds.heldUnits > 0n) return 'high_risk';",
      "if (funds.heldUnits > 0n && funds.creditedUnits === 0n) return 'high_risk';",
    ],
    [
      'if (waits && !(creditedCovers && funds.pendingUnits < price.deferralUnits))',
      'if (waits && !creditedCovers)',
    ],
    [
      "state.billingType === 'STATIC' && funds.creditedUnits > price.dueUnits",
      "state.billingType === 'STATIC' && funds.creditedUnits >= price.dueUnits",
    ],
    ["return state.status === 'failed' ? 'failed' : 'created';", "return 'created';"],
    [
      'if (funds.pendingUnits < 0n || funds.creditedUnits < 0n || funds.heldUnits < 0n) {',
      'if (funds.pendingUnits < 0n || funds.creditedUnits < 0n) {',
    ],
    ['version: state.version + 1 };', 'version: state.version };'],
    ['const processedAt = isFinal(next) ? at : null;', 'const processedAt = at;'],
    ['notify: DELIVERED.has(status) };', 'notify: true };'],
  ]),
  ...bugs(
    'src/domain/invoices/invoice-choice.ts',
    ['tests/domain/invoices/invoice-choice.test.ts', 'tests/app/invoices/change-currency.test.ts'],
    [
      [
        '(invoice.customerChooses || invoice.price === null) && isUnpaid(invoice, at)',
        'isUnpaid(invoice, at)',
      ],
      ["invoice.status === 'created' && receivedUnits(invoice.funds) === 0n", "invoice.status === 'created'"],
      ['initialAsset: invoice.initialAsset ?? asset', 'initialAsset: asset'],
      ['.filter(({ price }) => price.asset !== asset)', ''],
      [
        'earlierChoices.map((one) => (here(one.price.asset) ? { ...one, addressTo } : one))',
        'earlierChoices',
      ],
    ],
  ),
  ...bugs(
    'src/domain/invoices/invoice-simulation.ts',
    ['tests/domain/invoices/invoice-simulation.test.ts', 'tests/journeys/invoices/sandbox.test.ts'],
    [
      ['return (price.dueUnits * 5n + 3n) / 4n;', 'return (price.dueUnits * 5n) / 4n;'],
      ['atLeastOne(price.dueUnits / 2n)', 'price.dueUnits / 2n'],
      ["return status !== 'expired' && status !== 'failed';", "return status !== 'expired';"],
      ['lapsed && !ends ?', 'lapsed ?'],
      [
        "if (outcome === 'over' && state.billingType === 'VARY') return",
        "if (outcome === 'over' && state.billingType === 'STATIC') return",
      ],
    ],
  ),
  ...bugs(
    'src/domain/rates/rate-median.ts',
    ['tests/domain/rates/rate-median.test.ts'],
    [
      ['const TOLERANCE_PERCENT = 5n;', 'const TOLERANCE_PERCENT = 6n;'],
      ['prices.length > 1 ? Math.max(2, minimumSources) : minimumSources', 'minimumSources'],
      ['prices.length >= 3 ? nearTo(median(prices), prices) : prices', 'prices'],
      ['if (!isNear(high, low)) return null;', 'if (!isNear(low, high)) return null;'],
      ['kept.length === 0 || kept.length < needed', 'kept.length === 0'],
      [
        'parsed.digits <= 0n',
        'parsed.digits < 0n',
        'a zero price is refused by the comparison of the last line, too',
      ],
      ['return (lower + upper) / 2n;', 'return upper;'],
      ["fiat.set('USD', RATE_SCALE);", ''],
    ],
  ),
  ...bugs('src/domain/payouts/payout.ts', PAYOUT_TESTS, [
    ["if (state.status === 'success') return null;", ''],
    ["reserve: open ? 'settle' : 'retake',", "reserve: 'settle',"],
    ["    case 'failed':\n      if (!open) return null;", "    case 'failed':"],
    [
      "if (!open) return null;\n      return {\n        next: { ...state, status: 'cancelled'",
      "return {\n        next: { ...state, status: 'cancelled'",
    ],
    [
      "if (state.status !== 'success') return null;\n      return { next: { ...state, status: 'processing'",
      "return { next: { ...state, status: 'processing'",
    ],
    [
      "status: 'processing', processedAt: null }, reserve: 'unsettle'",
      "status: 'processing', processedAt: null }, reserve: 'keep'",
    ],
    ['hashes.includes(txid) ? hashes : [...hashes, txid]', '[...hashes, txid]'],
  ]),
  ...bugs(
    'src/domain/payouts/payout-acceptance.ts',
    ['tests/domain/payouts/payout-acceptance.test.ts'],
    [
      ['use.expiresAt.getTime() > claim.at.getTime()', 'use.expiresAt.getTime() >= claim.at.getTime()'],
      ['if (available < reservedMicroUsd)', 'if (available <= reservedMicroUsd)'],
      ['available -= reservedMicroUsd;', ''],
      ["if (ownAddress) return { kind: 'own_address' };", ''],
      ["'batch_id' in claim.creates || outcomes.some", 'outcomes.some'],
      ['`${scopeKey(of)} ${of.uniqId}`', '`${of.merchantId} ${of.uniqId}`'],
      ['left.set(scope, available);', ''],
    ],
  ),
  ...bugs(
    'src/domain/payouts/payout-limits.ts',
    ['tests/domain/payouts/payout-limits.test.ts'],
    [
      ['payout.amountMicroUsd > eachMicroUsd', 'payout.amountMicroUsd >= eachMicroUsd'],
      ['payout.amountUnits > eachUnits', 'payout.sentUnits > eachUnits'],
      ['dayMicroUsd > dayLimit', 'dayMicroUsd >= dayLimit'],
      ['if (payout.released) return null;', ''],
    ],
  ),
  ...bugs(
    'src/domain/sending/utxo-selection.ts',
    ['tests/domain/sending/utxo-selection.test.ts'],
    [
      [
        '.filter(({ units }) => units > costs.coinFee)',
        '.filter(() => true)',
        'a coin that costs more than it brings can never be the one that reaches the goal',
      ],
      ['descending.slice(0, utxosMax).entries()', 'descending.entries()'],
      ['best === null || excess < best.excess', 'best === null'],
      [
        'costs.fee(spent, true) + costs.leastChange + costs.headroom(spent)',
        'costs.fee(spent, true) + costs.leastChange',
      ],
      ['if (utxo.units < rest) continue;', 'if (utxo.units <= rest) continue;'],
      ['chosen.length >= costs.utxosMax ||', ''],
    ],
  ),
  ...bugs(
    'src/domain/sweeps/sweep.ts',
    ['tests/domain/sweeps/sweep.test.ts'],
    [
      ['const there = smaller(spendable, coveredUnits);', 'const there = balanceUnits;'],
      ['const there = smaller(spendable, coveredUnits);', 'const there = spendable;'],
      ['const spendable = balanceUnits - facts.undecidedUnits;', 'const spendable = balanceUnits;'],
      ['smaller(spendable - room, coveredUnits)', 'spendable - room'],
      ['smaller(most, balanceUnits - facts.reserveUnits)', 'most'],
      ['const gas = facts.gasUnits - facts.undecidedNativeUnits;', 'const gas = facts.gasUnits;'],
      ['maxFeeUnits === 0n || gas >= maxFeeUnits', 'gas >= maxFeeUnits'],
      ["{ kind: 'top_up', units: room - gas }", "{ kind: 'top_up', units: room }"],
      ['gas < -room ?', 'false ?'],
      ['gas < -room ?', 'gas < 0n ?'],
      ['costMicroUsd * PPM <= valueMicroUsd * sharePpm', 'costMicroUsd * PPM >= valueMicroUsd * sharePpm'],
      ['needed ? valueMicroUsd > costMicroUsd', 'needed ? true'],
      ['lend.stakeUnits + committedUnits <= lend.idleUnits', 'lend.stakeUnits <= lend.idleUnits'],
      ['lend.costUnits < burnUnits', 'lend.costUnits > burnUnits'],
      [
        "sweep.delegationId === null ? closedSweep(ended, at) : { ...ended, status: 'reclaiming' }",
        'closedSweep(ended, at)',
      ],
      ["mulDiv(maxFeeUnits, 5n, 4n, 'ceil')", 'maxFeeUnits'],
    ],
  ),
  ...bugs(
    'src/domain/webhooks/webhook-verdict.ts',
    ['tests/domain/webhooks/webhook-verdict.test.ts'],
    [
      ['new Set([408, 425, 429])', 'new Set([408, 429])'],
      ['[30, 60, 120, 300, 600, 1200, 2400, 4800, 9600]', '[30, 60, 120, 300, 600, 1200, 2400, 4800]'],
      ['status >= 200 && status < 300', 'status >= 200 && status < 400'],
      ['DELAYS_SECONDS[attempt - 1] ?? null', 'DELAYS_SECONDS[attempt] ?? null'],
    ],
  ),
  ...bugs(
    'src/domain/webhooks/webhook-url.ts',
    ['tests/domain/webhooks/webhook-url.test.ts'],
    [
      ["if (authority.includes('@')) return 'the URL must not contain a user name or password';", ''],
      ["if (url.includes('\\\\')) return 'the URL contains a backslash';", ''],
      ["if (new URL(url).port === '0') return 'the URL has port 0';", ''],
      ['code <= 0x20 ||', 'code < 0x20 ||'],
    ],
  ),
  ...bugs(
    'src/domain/merchants/merchant.ts',
    ['tests/adapters/http/kit/gates.test.ts'],
    [
      ["if (environment === 'sandbox') return null;", ''],
      ["if (merchant.status !== 'active') {", "if (merchant.status === 'paused') {"],
      ["if (merchant.kyc !== 'approved') {", "if (merchant.kyc === 'rejected') {"],
    ],
  ),
  ...bugs('src/domain/ledger.ts', LEDGER_TESTS, [
    ['if (sum !== 0n) throw new Error(`unbalanced entry: ${currency} is off by ${sum}`);', ''],
    [
      "{ account: 'fees', currency: 'USD', amount: value.creditedMicroUsd - value.receivedMicroUsd },",
      "{ account: 'held', currency: 'USD', amount: value.creditedMicroUsd - value.receivedMicroUsd },",
    ],
    [
      "{ account: 'held', currency: 'USD', amount: -value.microUsd },",
      "{ account: 'fees', currency: 'USD', amount: -value.microUsd },",
    ],
    [
      "{ account: 'network_fees', currency: 'USD', amount: -value.feeMicroUsd },\n    { account: 'trading', currency: 'USD', amount: value.feeMicroUsd - value.reservedMicroUsd },",
      "{ account: 'trading', currency: 'USD', amount: -value.reservedMicroUsd },",
    ],
  ]),
  ...bugs(
    'src/domain/payouts/waiting-reasons.ts',
    ['tests/domain/payouts/waiting-reasons.test.ts'],
    [['>= TURN_MS', '>= TURN_MS * 1_000']],
  ),
  ...bugs(
    'src/domain/catalog/payment-uri.ts',
    ['tests/domain/catalog/payment-uri.test.ts'],
    [['payment.chainId ?? chainId', 'chainId']],
  ),
  ...bugs(
    'src/domain/catalog/payment-uris.ts',
    ['tests/domain/catalog/payment-uri.test.ts'],
    [
      [
        'if (parts === null || parts.tag === null) return address;',
        'if (parts === null || parts.tag === null) return `ripple:${address}?amount=${coins}`;',
      ],
      ['`&spl-token=${contract}`', "''"],
      ['`monero:${address}?tx_amount=${coins}`', '`monero:${address}?amount=${coins}`'],
    ],
  ),
  ...bugs(
    'src/domain/sending/outgoing-purpose.ts',
    ['tests/domain/sending/outgoing.test.ts'],
    [
      ["return purpose === 'reclaim' ? { delegates: 'energy_back' } : {};", 'return {};'],
      ["return purpose === 'payout' || purpose === 'forward';", "return purpose === 'payout';"],
    ],
  ),
  ...bugs(
    'src/domain/sending/outgoing.ts',
    [
      'tests/domain/sending/outgoing.test.ts',
      'tests/domain/payouts/payout-model.test.ts',
      'tests/domain/sending/batch-model.test.ts',
    ],
    [
      ['signed: { from: OPEN, to: (state)', 'signed: { from: OUTGOING_STATUSES, to: (state)'],
      ['state.voided ? null : { ...state, voided: true', '{ ...state, voided: true'],
      [
        '...failedFor(state, event), voided: true, takenOut: true',
        '...failedFor(state, event), voided: true',
      ],
      [
        'state.voided ? { ...failedFor(state, event), takenOut: true } : null',
        '{ ...failedFor(state, event), takenOut: true }',
      ],
      ['state.block === null ? null : signedAgain(state)', 'signedAgain(state)'],
      ["...(event.reason.code === 'unfunded' ? { failure: event.reason } : {}),", 'failure: event.reason,'],
      ["...(event.reason.code === 'unfunded' ? { failure: event.reason } : {}),", ''],
      [
        "const failure = state.failure?.code === 'unfunded' ? null : state.failure;",
        'const { failure } = state;',
      ],
    ],
  ),
  ...bugs(
    'src/domain/sending/wasted-fee.ts',
    ['tests/domain/payouts/payout-model.test.ts'],
    [
      ["OPERATORS_DOING: FailureCode = 'unfunded'", "OPERATORS_DOING: FailureCode = 'reverted'"],
      ['failure.code !== OPERATORS_DOING', 'true'],
      ["['chain_refused', 'payout_ended']", "['chain_refused']"],
    ],
  ),
];
