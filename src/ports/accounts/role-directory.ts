/** Who may do what at present, for decisions about what somebody asked for earlier. */
import type { Standing } from '../../domain/accounts/approval.ts';

export interface RoleDirectory {
  /**
   * The role of an active user at the merchant, or as an operator (null), and who let them in.
   * Null: disabled, unknown, or without a role there.
   */
  standingOf(userId: string, merchantId: string | null): Promise<Standing | null>;
}
