/**
 * The token that NOWPayments' clients get from `POST /auth` and send with payouts: a JWT that is
 * signed with the API key, so that nothing is stored. It is valid for five minutes, and only
 * together with that key.
 */
import { createHmac } from 'node:crypto';
import { isSameText } from '../compat-pipeline.ts';

const LIFETIME_SECONDS = 300;
const HEADER = encoded({ alg: 'HS256', typ: 'JWT' });

export function issueToken(apiKey: string, merchantId: string, now: Date): string {
  const issuedAt = Math.floor(now.getTime() / 1000);
  const payload = encoded({ id: merchantId, iat: issuedAt, exp: issuedAt + LIFETIME_SECONDS });
  return `${HEADER}.${payload}.${signature(payload, apiKey)}`;
}

export function isGoodToken(token: string, apiKey: string, now: Date): boolean {
  const [header, payload, sign, ...rest] = token.split('.');
  if (header !== HEADER || payload === undefined || sign === undefined || rest.length > 0) return false;
  if (!isSameText(sign, signature(payload, apiKey))) return false;
  const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number };
  return exp * 1000 > now.getTime();
}

function signature(payload: string, apiKey: string): string {
  return createHmac('sha256', apiKey).update(`${HEADER}.${payload}`).digest('base64url');
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
