/** Who may do what at present, for decisions about what somebody asked for earlier. */
import type { Role } from '../../domain/accounts/role.ts';

export interface RoleDirectory {
  /**
   * The role of an active user at the merchant, or as an operator (null). Null: disabled, unknown,
   * or without a role there.
   */
  roleOf(userId: string, merchantId: string | null): Promise<Role | null>;
}
