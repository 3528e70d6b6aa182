/** Bugs in statements and rows. */
import type { Mutant } from './mutant.ts';

export const POSTGRES_MUTANTS: readonly Mutant[] = [];
