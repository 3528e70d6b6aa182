/** Bugs in the rules of money and in the state machines. */
import type { Mutant } from './mutant.ts';

export const DOMAIN_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/domain/ledger.ts',
    find: "{ account: 'suspense', currency: asset, amount: -units },\n  ]);\n}\n\nexport interface",
    replace: "{ account: 'capital', currency: asset, amount: -units },\n  ]);\n}\n\nexport interface",
    tests: ['tests/domain/ledger-and-payout.test.ts'],
  },
];
