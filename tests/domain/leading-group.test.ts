/** The first items of a queue that fit together. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { leadingGroup } from '../../src/domain/leading-group.ts';

test('a leading group is the longest that weighs no more than it may, and never empty where items wait', () => {
  const weights = fc.array(fc.nat(50));
  fc.assert(
    fc.property(weights, fc.nat(200), (items, most) => {
      const sum = (count: number) => items.slice(0, count).reduce((all, one) => all + one, 0);
      const count = leadingGroup(items, most, (one) => one);
      if (items.length === 0) expect(count).toBe(0);
      else expect(count).toBeGreaterThanOrEqual(1);
      if (count > 1) expect(sum(count)).toBeLessThanOrEqual(most);
      if (count < items.length) expect(sum(count + 1)).toBeGreaterThan(most);
    }),
  );
});
