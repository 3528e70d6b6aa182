/**
 * HTTP Digest (RFC 7616, MD5 with qop "auth"): the only login that monerod and monero-wallet-rpc
 * know (--rpc-login).
 */
import { createHash } from 'node:crypto';

export interface Login {
  readonly user: string;
  readonly password: string;
}

export interface Challenge {
  readonly realm: string;
  readonly nonce: string;
}

/** What a WWW-Authenticate header asks; null when it is no digest challenge. */
export function readChallenge(header: string | null): Challenge | null {
  if (header === null || !/^digest\b/i.test(header)) return null;
  const value = (name: string): string | undefined =>
    new RegExp(`\\b${name}="([^"\\\\]*)"`, 'i').exec(header)?.[1];
  const [realm, nonce] = [value('realm'), value('nonce')];
  return realm === undefined || nonce === undefined ? null : { realm, nonce };
}

/** The Authorization header of the `count`-th POST under a challenge; `count` begins at 1. */
export function digestHeader(options: {
  login: Login;
  challenge: Challenge;
  path: string;
  count: number;
}): string {
  const { login, challenge, path, count } = options;
  const { realm, nonce } = challenge;
  const nc = count.toString(16).padStart(8, '0');
  // Only has to differ from request to request.
  const cnonce = md5(`${nonce}:${nc}`);
  const secret = md5(`${login.user}:${realm}:${login.password}`);
  const response = md5(`${secret}:${nonce}:${nc}:${cnonce}:auth:${md5(`POST:${path}`)}`);
  const quoted = Object.entries({ username: login.user, realm, nonce, uri: path, cnonce, response });
  return `Digest ${quoted.map(([name, value]) => `${name}="${value}"`).join(', ')}, algorithm=MD5, qop=auth, nc=${nc}`;
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
