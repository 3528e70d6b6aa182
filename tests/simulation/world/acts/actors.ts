/**
 * What happens in a turn. Each act is drawn with the random numbers of its turn alone, so that a
 * failing history still fails when other turns are left out.
 */
import type { Seeded } from '../../../support/runtime/seeded.ts';
import { MACHINES } from './machines.ts';
import { PEOPLE } from './people.ts';
import { RESTORES } from './restores.ts';
import { RETENTION } from './retention.ts';
import type { Act } from './stage.ts';
import { SURROUNDINGS } from './surroundings.ts';
import { SWITCHED_OFF } from './switched-off.ts';
import type { Switch } from './switches.ts';

const ACTS: readonly Act[] = [
  ...PEOPLE,
  ...SURROUNDINGS,
  ...RESTORES,
  ...MACHINES,
  ...RETENTION,
  ...SWITCHED_OFF,
];

/** `faults`: whether acts that are faults may be drawn. */
export function drawAct(
  random: Seeded,
  { faults, on }: { readonly faults: boolean; readonly on: ReadonlySet<Switch> },
): Act {
  const possible = ACTS.filter(
    ({ isFault = false, needs }) => (faults || !isFault) && (needs === undefined || on.has(needs)),
  );
  let left = random.int(possible.reduce((sum, { weight }) => sum + weight, 0));
  const drawn = possible.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  if (drawn === undefined) throw new Error('the weights of acts do not add up');
  return drawn;
}
