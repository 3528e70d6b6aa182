/**
 * Bugs in forwards: who gets them, how much they take, and when; and in sweeps that are planned,
 * started and ended together.
 */
import { bugs, type Mutant } from './mutant.ts';

const SIGNER_TESTS = ['tests/adapters/signer/keystore-signer.test.ts'];
const DOMAIN_TESTS = ['tests/domain/treasury/forward.test.ts'];
const BARS = 'tests/journeys/treasury/forward-bars.test.ts';
const VERDICTS = 'tests/app/sending/forward-verdicts.test.ts';
const REFUSALS = 'tests/journeys/treasury/forward-refusals.test.ts';
const INTERRUPTIONS = 'tests/journeys/treasury/forward-interruptions.test.ts';
const RESTORED = 'tests/journeys/restore/restored-forwards.test.ts';
const EVERYWHERE = 'tests/journeys/treasury/forwards.test.ts';
const NODES = 'tests/journeys/treasury/forward-nodes.test.ts';

const SETS = 'tests/journeys/sweeps/sweep-sets.test.ts';
const OUTAGES = 'tests/journeys/sweeps/sweep-outages.test.ts';
const SWEEPS = 'tests/journeys/sweeps/sweeps.test.ts';
const FEES = 'tests/journeys/sweeps/sweep-fees.test.ts';
const STRANGERS = 'tests/journeys/sweeps/sweep-strangers.test.ts';
const ENERGY = 'tests/journeys/sweeps/tron-energy.test.ts';

const FORWARDS: readonly Mutant[] = [
  ...bugs('src/domain/treasury/forward.ts', DOMAIN_TESTS, [
    ['const left = spendableUnits - waitingUnits;', 'const left = spendableUnits;'],
    ['!requested && left <= aboveUnits', '!requested && left < aboveUnits'],
    ['!requested && left <= aboveUnits', 'left <= aboveUnits'],
    ['left - keepUnits - feeUnits', 'left - keepUnits'],
    ['left - keepUnits - feeUnits', 'left - feeUnits'],
    ['units > 0n ? units : null', 'units'],
    ["if (facts.gateIsShut) return 'start';", ''],
    ["if (facts.stopped) return 'stopped';", ''],
    ['books !== null && now.getTime()', 'books === null || now.getTime()'],
    ['<= BOOKS_MAX_AGE_MS', '<= 24 * BOOKS_MAX_AGE_MS'],
    ['!books.agree || facts.unknownSinceBooks', 'facts.unknownSinceBooks'],
    ['!books.agree || facts.unknownSinceBooks', '!books.agree'],
    ['newest.some(isOpenTransfer)', 'newest.slice(0, 1).some(isOpenTransfer)'],
    ["if (facts.lackingPayouts > 0) return 'liquidity';", ''],
    ['!facts.requested && now.getTime()', 'now.getTime()'],
    ['PAUSE_FACTOR ** (failed - 1)', 'PAUSE_FACTOR'],
    ['Math.min(pause, PAUSE_MAX_MS)', 'pause'],
  ]),
  ...bugs('src/domain/sending/signing-policy.ts', SIGNER_TESTS, [
    ['coldAddresses.get(asset) ?? coldAddresses.get(chain)', 'coldAddresses.get(chain)'],
    ['coldAddresses.get(asset) ?? coldAddresses.get(chain)', 'coldAddresses.get(asset)'],
  ]),
  ...bugs('src/adapters/signer/order-rules.ts', SIGNER_TESTS, [
    ["if (order.purpose !== 'forward' || order.voids) return;", 'return;'],
    ["if (order.purpose !== 'forward' || order.voids) return;", "if (order.purpose !== 'forward') return;"],
    ['if (toKey !== null || !isSameAddress(family, to, cold))', 'if (toKey !== null)'],
    ['if (toKey !== null || !isSameAddress(family, to, cold))', 'if (!isSameAddress(family, to, cold))'],
    ["|| order.purpose === 'forward' || most === null) return;", '|| most === null) return;'],
    [
      "entry.purpose === 'forward' ? policy.forwardsPerDay.get(key) : policy",
      "entry.purpose === 'sweep' ? policy.forwardsPerDay.get(key) : policy",
    ],
  ]),
  ...bugs('src/adapters/signer/signing-history.ts', SIGNER_TESTS, [
    [' && forwarded === isForward(subject)', ''],
  ]),
  ...bugs(
    'src/adapters/signer/cold-addresses.ts',
    ['tests/adapters/signer/cold-addresses.test.ts'],
    [
      ['normalized === null || isNobodys(family, normalized)', 'normalized === null'],
      ['if (outOfReach !== null) return outOfReach;', ''],
      ["isHot ? 'is the hot wallet itself' : null", 'null'],
      ['own.accountOf(normalized) === own.accountOf(hot)', 'normalized === own.normalize(hot)'],
    ],
  ),
  ...bugs(
    'src/app/sending/forward-entries.ts',
    [EVERYWHERE, INTERRUPTIONS],
    [
      ["if (after.purpose !== 'forward') return;", "if (after.purpose === 'forward') return;"],
      ['capital(asset, is ? -units : units)', 'capital(asset, -units)'],
      ['if (was === is) return;', 'if (!is) return;'],
    ],
  ),
  ...bugs(
    'src/app/sending/send-transfers.ts',
    [RESTORED],
    [["(batch[0].purpose === 'forward' && gate.isShut())", 'false']],
  ),
  ...bugs(
    'src/app/sending/restart/start-gate.ts',
    [RESTORED],
    [['payouts.size + claims + unsigned.length + Number(forwards)', 'payouts.size + claims']],
  ),
  ...bugs(
    'src/app/sending/restart/hold-back.ts',
    [RESTORED],
    [['for (const { transferBatchId } of forwards)', 'for (const { transferBatchId } of forwards.slice(1))']],
  ),
  ...bugs(
    'src/app/sending/signing/apply-refusal.ts',
    [VERDICTS, REFUSALS],
    [
      ["if (transfer.purpose === 'forward') return", "if (transfer.purpose === 'gap') return"],
      [' || isDeadForward(on, blamed, error))', ')'],
    ],
  ),
  ...bugs(
    'src/app/treasury/forwards/order-forward.ts',
    [BARS],
    [
      [
        'newest !== undefined && isOpenTransfer(newest) ? barred',
        'newest === undefined && isOpenTransfer(newest!) ? barred',
      ],
      ['found.nativeUnits < money.feeUnits', 'false'],
      ['await repositories.forwardRequests.remove(asset)', 'void asset'],
    ],
  ),
  ...bugs(
    'src/app/treasury/forwards/forward-money.ts',
    [BARS, NODES],
    [
      ['smaller(bySeen.left(key), byRecords.left(key))', 'bySeen.left(key)'],
      ['owedOf(asset) + (isNative ? fees : 0n)', 'owedOf(asset)'],
      ['waitingUnits: owedOf(asset) +', 'waitingUnits:'],
      ['feeUnits: isNative ? feeUnits : 0n,', 'feeUnits: 0n,'],
      ['const feeUnits = await feesOf(forwarding, seen);', 'const { feeUnits } = seen;'],
      ['sender.capabilities.pooled ? await undecidedUnits(repositories, { ...view, chain }) : 0n', '0n'],
    ],
  ),
  ...bugs(
    'src/app/treasury/forwards/forward-job.ts',
    [REFUSALS, BARS],
    [
      [
        "return refusal === null ? cold : alarmed(remembering, asset, 'own_address', refusal.message);",
        'return cold;',
      ],
      ['>= REMIND_MS', '>= 0'],
      ['>= REQUEST_MS', '>= 2 * REQUEST_MS'],
      ['< LATE_MS) return;', '< 2 * LATE_MS) return;'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/treasury/treasury-queries.ts',
    [EVERYWHERE],
    [
      [
        "${LEAVES_US} and ${equals(t.status, 'confirmed')}",
        "${equals(t.purpose, 'payout')} and ${equals(t.status, 'confirmed')}",
      ],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/payouts/payouts-to-send.ts',
    [BARS],
    [['      and not ${HAS_TRANSFER}\n    group by', '    group by']],
  ),
];

const SETS_OF_SWEEPS: readonly Mutant[] = [
  ...bugs(
    'src/app/sweeps/advance-sweeps.ts',
    [SETS, OUTAGES, 'tests/journeys/service/stopped-jobs.test.ts'],
    [
      ['if (failures.length > 0) throw failures[0];', ''],
      ['if (!(failure instanceof ChainUnavailable))', 'if (failure instanceof ChainUnavailable)'],
      ['mayStart(sweeping, read) ? [read.sweep] : []', '[read.sweep]'],
      ['if (failures[0] !== undefined) throw failures[0];', ''],
      ['await pastOutage(failures, () =>', 'await (async (work: () => Promise<void>) => work())(() =>'],
      [
        'await startSweeps({ starter, lookups, failed, stopping }',
        'await startSweeps({ starter, lookups, failed, stopping: undefined }',
      ],
    ],
  ),
  ...bugs(
    'src/app/sweeps/start-sweeps.ts',
    [SETS, SWEEPS, FEES, OUTAGES],
    [
      ['({ may, most } = await standing(starting, left));', 'may = [];'],
      [
        'failures.push(...(await orderSweeps(starter, some, lookups)));',
        'await orderSweeps(starter, some, lookups);',
      ],
      [
        'await pastOutage(failures, () => startSet(starting, set, failures));',
        'await startSet(starting, set, failures);',
      ],
      ['failures.push(...weighed.failures);', ''],
      ['await tryTogether(weighed.dear,', 'await tryTogether(asked.filter(({ id }) => waiting.has(id)),'],
      ['sweep.forced || its === 0n', 'its === 0n'],
      ['sweep.forced || its === 0n', 'sweep.forced'],
      ['may.filter(({ id }) => !waiting.has(id))', 'may'],
      ['await tryTogether(weighed.dear, { work, failed, stopping });', ''],
      ['begin.filter(({ address }) => !withheld.has(address))', 'begin'],
      ["recordWait(changes, sweep, sweepReason('withheld'))", 'void changes'],
    ],
  ),
  ...bugs(
    'src/app/sweeps/order-sweeps.ts',
    [SETS, OUTAGES, SWEEPS, STRANGERS, ENERGY],
    [
      ['(await outgoing.signingStopped())', 'false'],
      ["setBack(deps, changes, sweep, sweepReason('withheld'))", 'going.push(sweep)'],
      ['room -= 1;', ''],
      ['return [...unasked, ...failures];', 'return failures;'],
      ['hot.spendable.reserve(need);', ''],
      ["if (kind === 'lend') hot.delegatedUnits += units;", ''],
      ['hot?.delegatedUnits ?? 0n', '0n'],
      ['isServed(sweep) || found.has(sweep.address)', 'true'],
      ['if (sweep.forced) changes.uncover(sweep);', ''],
      ["kind === 'lend' ? 0n : units", 'units'],
      ["kind !== 'top_up' || status !== 'topping_up'", 'true'],
    ],
  ),
  ...bugs(
    'src/app/sweeps/insert-orders.ts',
    [SWEEPS, 'tests/journeys/sweeps/sweep-costs.test.ts'],
    [
      ['ofHot[served.indexOf(order)]', 'ofHot[0]'],
      ['reason: null, ...ORDERS', '...ORDERS'],
    ],
  ),
  ...bugs(
    'src/app/sweeps/change-sweep.ts',
    [SETS, SWEEPS, STRANGERS],
    [
      ['statuses.get(id) === status', 'true'],
      ['await sweeps.uncover(uncovered);', ''],
      ['await sweeps.planAll(planned);', ''],
    ],
  ),
  ...bugs(
    'src/app/sweeps/plan-sweeps.ts',
    [SETS, SWEEPS, OUTAGES],
    [
      ['planAll(deps, on, weighed.worthy,', 'planAll(deps, on, scanned,'],
      ['weighed.set(one, await costModel.isWorth(one));', 'weighed.set(one, true);'],
      ['if (failures[0] !== undefined) throw failures[0];', ''],
      ['failures.push(...done.failures);', ''],
      ['open.get(sweep.address) ?? []', '[]'],
      ['others.every(({ reason }) => reason !== null)', 'true'],
      ['(wanted.address ?? address) === address', 'true'],
    ],
  ),
  ...bugs(
    'src/app/sweeps/sweep-facts.ts',
    [OUTAGES],
    [
      ['failures.push(...unasked);', ''],
      ['balances: [...found.values()], failures }', 'balances: [...found.values()], failures: [] }'],
    ],
  ),
  ...bugs(
    'src/app/sending/nonces/next-nonce.ts',
    [OUTAGES, SETS],
    [
      [
        'const failures = await eachPastOutages(',
        'const failures: ChainUnavailable[] = []; await eachPastOutages(',
      ],
      ['await pastOutage(failures, async () => {', 'await pastOutage([], async () => {'],
    ],
  ),
  ...bugs('src/app/sweeps/sweep-economics.ts', [ENERGY], [['addressesAlike ? gas : null', 'gas']]),
];

export const FORWARD_MUTANTS: readonly Mutant[] = [...FORWARDS, ...SETS_OF_SWEEPS];
