/**
 * Tries at secrets, counted in the database, so that all processes count together. A try is counted
 * before the secret is looked at: many at once cannot all be the first.
 */
import { type ThrottleRule, waitMs, withTry } from '../../../domain/accounts/throttle.ts';
import type { AccountsDependencies } from '../dependencies.ts';

/** Where a try is counted: `address ann@shop.example`. */
export interface CountedPlace {
  readonly name: string;
  readonly rule: ThrottleRule;
}

type Needs = Pick<AccountsDependencies, 'clock' | 'unitOfWork' | 'vault'>;

/** Typed addresses stay out of the database: people type passwords into the wrong field. */
export function tryKey({ vault }: Pick<Needs, 'vault'>, name: string): string {
  return vault.mac(`try ${name}`);
}

/** Counts a try at all places. Returns the seconds to wait instead, if it comes too early. */
export async function beginTry(deps: Needs, places: readonly CountedPlace[]): Promise<number | null> {
  const keyed = places.map(({ name, rule }) => ({ key: tryKey(deps, name), rule }));
  return deps.unitOfWork.run(async ({ signInAttempts }) => {
    const now = deps.clock.now();
    const tallies = await signInAttempts.lock(
      keyed.map(({ key }) => key),
      now,
    );
    const found = keyed.map(({ key, rule }) => {
      const tally = tallies.get(key) ?? { failures: 0, lastAt: now };
      return { key, tally, wait: waitMs(tally, rule, now) };
    });
    const wait = Math.max(...found.map((each) => each.wait));
    if (wait > 0) return Math.ceil(wait / 1_000);
    for (const { key, tally } of found) await signInAttempts.save(key, withTry(tally, now));
    return null;
  });
}
