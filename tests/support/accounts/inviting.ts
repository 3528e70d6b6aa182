/** Merchants with an owner, admins, and the links by which they invite others. */
import type { MerchantRole, OperatorRole } from '../../../src/domain/accounts/role.ts';
import { type AccountWorld, done, type EnrolledUser, HOME, PASSWORD, tokenOf } from './account-world.ts';

/** The result of a use case that has nothing to return. */
export const DONE = { ok: true, value: undefined } as const;

/** The result of a refusal, to be compared with. */
export const fault = (code: string) => ({ ok: false, error: code }) as never;

/** `world` is asked at each call: tests open it before the first one. */
export function inviting(world: () => AccountWorld) {
  return {
    async shop(): Promise<{ merchantId: string; owner: EnrolledUser }> {
      const merchantId = await world().merchant();
      return { merchantId, owner: await world().withCodes(await world().member('owner', merchantId)) };
    },
    admin: async () => world().withCodes(await world().operator('admin')),
    /** The token of a link. */
    async linkFor(
      { by }: EnrolledUser,
      email: string,
      merchantId: string | null,
      role: MerchantRole | OperatorRole,
    ): Promise<string> {
      const of = { email, merchantId, role, refundLimitMicroUsd: null };
      return tokenOf(done(await world().accounts.invite(by, of)).url);
    },
    accept: (token: string, given: { name?: string; password?: string } = {}) =>
      world().accounts.acceptInvitation({ token, name: 'Bob', password: PASSWORD, ...given }, HOME),
  };
}
