/** Bugs in sweeps that are planned, started and ended together. */
import { bugs, type Mutant } from './mutant.ts';

const SETS = 'tests/journeys/sweeps/sweep-sets.test.ts';
const SWEEPS = 'tests/journeys/sweeps/sweeps.test.ts';
const STRANGERS = 'tests/journeys/sweeps/sweep-strangers.test.ts';
const ENERGY = 'tests/journeys/sweeps/tron-energy.test.ts';

export const SWEEP_MUTANTS: readonly Mutant[] = [
  ...bugs(
    'src/app/sweeps/start-sweeps.ts',
    [SETS, SWEEPS, STRANGERS],
    [
      ['before.set(address, turn + 1);', ''],
      ['started < room', 'nth === 0'],
      ['nth + room - started', 'nth + SET_MAX'],
      ['failures.push(...ordered.failures);', ''],
      ['failures.push(error);', 'throw error;'],
      ['if (failures[0] !== undefined) throw failures[0];', ''],
      ['!sweep.forced && unitsOf(sweep) > 0n', 'unitsOf(sweep) > 0n'],
      ['!sweep.forced && unitsOf(sweep) > 0n', '!sweep.forced'],
      ['free.filter((sweep) => !dear.includes(sweep))', 'free'],
      ['await tryTogether(dear, { work: record, failed, stopping });', ''],
      ['begin.filter(({ address }) => !withheld.has(address))', 'begin'],
      ["recordWait(changes, sweep, sweepReason('withheld'))", 'void changes'],
      ['const begin = room > 0 ? await', 'const begin = true ? await'],
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
      [
        "return orders.filter(({ sweep }) => sweep.status === 'planned').length;",
        'return orders.length * 0;',
      ],
    ],
  ),
  ...bugs(
    'src/app/sweeps/insert-orders.ts',
    [SETS, SWEEPS],
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
  ...bugs(
    'src/app/sweeps/sweep-facts.ts',
    ['tests/journeys/sweeps/sweep-unread-money.test.ts'],
    [['if (own === undefined) return;', '']],
  ),
];
