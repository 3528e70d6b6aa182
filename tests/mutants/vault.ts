/** Bugs in keys, signatures and their log. */
import type { Mutant } from './mutant.ts';

export const VAULT_MUTANTS: readonly Mutant[] = [];
