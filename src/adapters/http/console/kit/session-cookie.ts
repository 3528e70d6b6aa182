/**
 * The cookie of a session, and the code that its forms carry. Scripts cannot read the cookie, and
 * other sites cannot send it with a form (SameSite=Lax).
 */
import { SECRET_TOKEN, SESSION_LONGEST_MS } from '../../../../domain/accounts/session.ts';

/** `__Host-`: browsers take it over TLS only, from this host only, for all paths. */
const SECURE_NAME = '__Host-quittance-console';
const PLAIN_NAME = 'quittance-console';

/** Null where there is none, or more than one, or it is malformed. */
export function tokenOf(request: Request, isSecure: boolean): string | null {
  const name = nameOf(isSecure);
  const found = (request.headers.get('cookie') ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1));
  const [token] = found;
  return found.length === 1 && token !== undefined && SECRET_TOKEN.test(token) ? token : null;
}

/** Null ends it. */
export function sessionCookie(token: string | null, isSecure: boolean): string {
  const seconds = token === null ? 0 : SESSION_LONGEST_MS / 1_000;
  const parts = [`${nameOf(isSecure)}=${token ?? ''}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly'];
  return [...parts, 'SameSite=Lax', ...(isSecure ? ['Secure'] : [])].join('; ');
}

/** The code of a session's forms. Who does not know the cookie cannot make it. */
export function formCode(token: string): string {
  return new Bun.CryptoHasher('sha256').update(`form ${token}`).digest('base64url');
}

/** Hashed once more, so that the time of the comparison reveals nothing. */
export function isFormCode(given: string | null, token: string): boolean {
  return given !== null && formCode(given) === formCode(formCode(token));
}

function nameOf(isSecure: boolean): string {
  return isSecure ? SECURE_NAME : PLAIN_NAME;
}
