import { expect, test } from 'bun:test';
import { recheckedFrom } from '../../../src/app/sending/send-transfers.ts';

test('settled transfers are rechecked below the last final block, however far below the tip that is', () => {
  expect(recheckedFrom({ finalizedHeight: 40_000 })).toBe(39_744);
  expect(recheckedFrom(null)).toBeLessThan(0);
});
