/** Bugs in sweeps that are planned, started and ended together. */
import { bugs, type Mutant } from './mutant.ts';

const SETS = 'tests/journeys/sweeps/sweep-sets.test.ts';
const SWEEPS = 'tests/journeys/sweeps/sweeps.test.ts';
const FEES = 'tests/journeys/sweeps/sweep-fees.test.ts';
const STRANGERS = 'tests/journeys/sweeps/sweep-strangers.test.ts';
const ENERGY = 'tests/journeys/sweeps/tron-energy.test.ts';

export const SWEEP_MUTANTS: readonly Mutant[] = [
  ...bugs(
    'src/app/sweeps/advance-sweeps.ts',
    [SETS, 'tests/journeys/service/stopped-jobs.test.ts'],
    [
      ["for (const part of planned) if (part.status === 'rejected') throw part.reason;", ''],
      ["step === 'start' && mayStart(sweeping, read)", "step === 'start'"],
      [
        'await startSweeps({ starter, lookups, failed, stopping }',
        'await startSweeps({ starter, lookups, failed, stopping: undefined }',
      ],
    ],
  ),
  ...bugs(
    'src/app/sweeps/start-sweeps.ts',
    [SETS, SWEEPS, FEES],
    [
      ['({ may, most } = await standing(starting, left));', 'may = [];'],
      [
        'failures.push(...(await orderSweeps(starter, some, lookups)));',
        'await orderSweeps(starter, some, lookups);',
      ],
      ['failures.push(error);', 'throw error;'],
      ['if (failures[0] !== undefined) throw failures[0];', ''],
      ['sweep.forced || its === 0n', 'its === 0n'],
      ['sweep.forced || its === 0n', 'sweep.forced'],
      ['may.filter((sweep) => !isDear(sweep))', 'may'],
      ['await tryTogether(may.filter(isDear), { work, failed, stopping });', ''],
      ['begin.filter(({ address }) => !withheld.has(address))', 'begin'],
      ["recordWait(changes, sweep, sweepReason('withheld'))", 'void changes'],
    ],
  ),
  ...bugs(
    'src/app/sweeps/order-sweeps.ts',
    [SETS, SWEEPS, STRANGERS, ENERGY],
    [
      ['(await outgoing.signingStopped())', 'false'],
      ["setBack(deps, changes, sweep, sweepReason('withheld'))", 'going.push(sweep)'],
      ['room -= 1;', ''],
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
    [SETS, SWEEPS],
    [
      ['const worthy = await worthOf(costModel, scanned);', 'const worthy = scanned;'],
      [
        'if (await costModel.isWorth(one)) worthy.add(one);',
        'await costModel.isWorth(one); worthy.add(one);',
      ],
      ['open.get(sweep.address) ?? []', '[]'],
      ['others.every(({ reason }) => reason !== null)', 'true'],
      ['(wanted.address ?? address) === address', 'true'],
    ],
  ),
  ...bugs('src/app/sweeps/sweep-economics.ts', [ENERGY], [['addressesAlike ? gas : null', 'gas']]),
];
