/** Every planted bug, by the layer that it is planted in. */
import { ACCOUNT_MUTANTS } from './accounts.ts';
import { APP_MUTANTS } from './app.ts';
import { COMPAT_MUTANTS } from './compat.ts';
import { DESK_MUTANTS } from './desks.ts';
import { DOMAIN_MUTANTS } from './domain.ts';
import { EVM_MUTANTS } from './evm.ts';
import { FORMAT_MUTANTS } from './formats.ts';
import { FORWARD_MUTANTS } from './forwards.ts';
import { KEY_MUTANTS } from './keys.ts';
import { LINK_MUTANTS } from './links.ts';
import type { Mutant } from './mutant.ts';
import { NOTICE_MUTANTS } from './notices.ts';
import { POSTGRES_MUTANTS } from './postgres.ts';
import { PROVIDER_MUTANTS } from './providers.ts';
import { READING_MUTANTS } from './reading.ts';
import { REFUND_MUTANTS } from './refunds.ts';
import { SAFETY_MUTANTS } from './safety.ts';
import { VAULT_MUTANTS } from './vault.ts';

export const MUTANTS: readonly Mutant[] = [
  ...DOMAIN_MUTANTS,
  ...APP_MUTANTS,
  ...POSTGRES_MUTANTS,
  ...VAULT_MUTANTS,
  ...REFUND_MUTANTS,
  ...LINK_MUTANTS,
  ...SAFETY_MUTANTS,
  ...PROVIDER_MUTANTS,
  ...READING_MUTANTS,
  ...EVM_MUTANTS,
  ...KEY_MUTANTS,
  ...COMPAT_MUTANTS,
  ...FORMAT_MUTANTS,
  ...FORWARD_MUTANTS,
  ...ACCOUNT_MUTANTS,
  ...DESK_MUTANTS,
  ...NOTICE_MUTANTS,
];
