import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  areIndependent,
  type Sponsored,
  sponsorsBy,
  withReset,
} from '../../../src/domain/accounts/sponsors.ts';

const USERS = ['a', 'b', 'c', 'd', 'e', 'f'];
/** `by` (null: the machine) lets `user` in, anew if need be, or makes a link for a new password. */
const links = fc.array(
  fc.record({
    kind: fc.constantFrom('invitation', 'reset'),
    by: fc.option(fc.constantFrom(...USERS)),
    user: fc.constantFrom(...USERS),
  }),
  { maxLength: 20 },
);

test('nobody can be two independent people, whatever links were made: each link may stay with its maker', () => {
  fc.assert(
    fc.property(links, (all) => {
      const place = new Map<string, Sponsored>();
      /** The people who may sign in as a user. */
      const may = new Map<string, ReadonlySet<string>>();
      for (const { kind, by, user } of all) {
        const known = place.get(user);
        if (by !== null && (by === user || !place.has(by))) continue;
        if (kind === 'reset' && known === undefined) continue;
        const holders = [...place.values()];
        const sponsors =
          kind === 'reset' && known !== undefined
            ? withReset(known, by, holders)
            : sponsorsBy(by, holders).filter((id) => id !== user);
        const kept = kind === 'reset' ? (may.get(user) ?? []) : [];
        may.set(user, new Set([user, ...kept, ...(by === null ? [] : (may.get(by) ?? []))]));
        place.set(user, { userId: user, sponsors });
      }
      for (const one of place.values())
        for (const other of place.values()) {
          const shared = may.get(one.userId)?.intersection(may.get(other.userId) ?? new Set());
          if (shared?.size) expect(areIndependent(one, other)).toBe(false);
        }
    }),
    { numRuns: 2_000 },
  );
});

test('whom the machine let in is independent of everybody else whom it let in', () => {
  const [ann, bob] = [
    { userId: 'ann', sponsors: sponsorsBy(null, []) },
    { userId: 'bob', sponsors: sponsorsBy(null, []) },
  ];
  expect(areIndependent(ann, bob)).toBe(true);
  expect(areIndependent(ann, ann)).toBe(false);
});
