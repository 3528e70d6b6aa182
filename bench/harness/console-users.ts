/** People who are signed in to the console. */
import { TOTP } from 'otpauth';
import type { Service } from '../../src/compose/compose.ts';
import type { MerchantRole, OperatorRole } from '../../src/domain/accounts/role.ts';
import type { Actor } from '../../src/domain/audit/audit-entry.ts';
import type { Result } from '../../src/domain/result.ts';

const SCRIPT: Actor = { kind: 'script', userId: null, name: 'bench', ip: null };
const HERE = { ip: '127.0.0.1', userAgent: 'Bench' };

/**
 * The header of a session that has given all that it needs: of a merchant's user, or of an
 * operator (null).
 */
export async function signedInUser(
  { accounts, operatorAccounts }: Service,
  {
    email,
    merchantId,
    role,
  }: { email: string; merchantId: string | null; role: MerchantRole | OperatorRole },
): Promise<{ cookie: string }> {
  const { url } = done(
    await operatorAccounts.invite(SCRIPT, { email, merchantId, role, refundLimitMicroUsd: null }),
  );
  const given = {
    token: url.slice(url.lastIndexOf('/') + 1),
    name: email,
    password: 'a stable with 9 horses',
  };
  const by = await accounts.sessionOf(done(await accounts.acceptInvitation(given, HERE)).token);
  if (by === null) throw new Error('the session is not there');
  const { secret } = await accounts.beginCodes(by);
  const { token } = done(await accounts.enableCodes(by, new TOTP({ secret }).generate())).started;
  return { cookie: `quittance-console=${token}` };
}

function done<Value>(result: Result<Value, unknown>): Value {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}
