/** The roles in words. */
import type { MerchantRole, OperatorRole } from '../../../../domain/accounts/role.ts';

export const ROLE_NAMES: Readonly<Record<MerchantRole | OperatorRole, string>> = {
  owner: 'owner',
  developer: 'developer',
  accountant: 'accountant (reads and exports)',
  support: 'support (refunds up to a limit)',
  admin: 'administrator',
  treasurer: 'treasurer',
  viewer: 'viewer (reads only)',
};
