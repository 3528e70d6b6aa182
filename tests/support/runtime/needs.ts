/**
 * Tests that need an outside program: skipped by name where it is missing, failing instead when
 * REQUIRE_ALL=1 (as in CI).
 */
export type OutsideProgram =
  | 'anvil'
  | 'postgres'
  | 'pgbouncer'
  | 'chromium'
  | 'pgbench'
  | 'bitcoind'
  | 'litecoind'
  | 'bcash'
  | 'monerod'
  | 'php'
  | 'python3';

/**
 * True when the program is there. Otherwise prints `skipped: needs <program>` (scripts/check.ts
 * counts those lines) and answers false, for `describe.skipIf(!needs('anvil', available))`. Throws
 * when REQUIRE_ALL=1.
 */
export function needs(program: OutsideProgram, available: boolean): boolean {
  if (available) return true;
  if (process.env.REQUIRE_ALL === '1') throw new Error(`REQUIRE_ALL=1, but this machine has no ${program}`);
  console.log(`skipped: needs ${program}`);
  return false;
}
