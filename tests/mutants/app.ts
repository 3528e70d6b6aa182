/** Bugs in the use cases. */
import type { Mutant } from './mutant.ts';

export const APP_MUTANTS: readonly Mutant[] = [];
