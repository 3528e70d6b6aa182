/** People who are signed in to the console. */
import { TOTP } from 'otpauth';
import type { Service } from '../../src/compose/compose.ts';
import type { MerchantRole, OperatorRole } from '../../src/domain/accounts/role.ts';
import type { Actor } from '../../src/domain/audit/audit-entry.ts';
import type { Result } from '../../src/domain/result.ts';

const SCRIPT: Actor = { kind: 'script', userId: null, name: 'bench', ip: null };
const HERE = { ip: '127.0.0.1', userAgent: 'Bench' };

interface Invited {
  readonly email: string;
  readonly merchantId: string | null;
  readonly role: MerchantRole | OperatorRole;
}

/** The token of the link that invites somebody. */
export async function invitationToken({ operatorAccounts }: Service, invited: Invited): Promise<string> {
  const { url } = done(await operatorAccounts.invite(SCRIPT, { ...invited, refundLimitMicroUsd: null }));
  return url.slice(url.lastIndexOf('/') + 1);
}

/**
 * The header of a session that has given all that it needs: of a merchant's user, or of an
 * operator (null).
 */
export async function signedInUser(service: Service, invited: Invited): Promise<{ cookie: string }> {
  const { accounts } = service;
  const token = await invitationToken(service, invited);
  const given = { token, name: invited.email, password: 'a stable with 9 horses' };
  const by = await accounts.sessionOf(done(await accounts.acceptInvitation(given, HERE)).token);
  if (by === null) throw new Error('the session is not there');
  const { secret } = await accounts.beginCodes(by);
  const { started } = done(await accounts.enableCodes(by, new TOTP({ secret }).generate()));
  return { cookie: `quittance-console=${started.token}` };
}

function done<Value>(result: Result<Value, unknown>): Value {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}
