/**
 * Time-based one-time codes (RFC 6238 over RFC 4226), as all authenticator apps make them: SHA-1,
 * six digits, thirty seconds.
 */
import { createHmac } from 'node:crypto';
import { base32nopad } from '@scure/base';
import type { OneTimeCodes } from '../../ports/accounts/credentials.ts';
import type { IdSource } from '../../ports/runtime/id-source.ts';

const STEP_MS = 30_000;
const DIGITS = 6;
/** The length of the hash, which RFC 4226 recommends. */
const SECRET_BYTES = 20;
/** A code of the step before is still being typed, and clocks of phones differ. */
const STEPS_BESIDE = [0, -1, 1] as const;

export function oneTimeCodes(ids: Pick<IdSource, 'secretToken'>): OneTimeCodes {
  return {
    secret: () => base32nopad.encode(Buffer.from(ids.secretToken(), 'base64url').subarray(0, SECRET_BYTES)),

    uri(secret, { issuer, email }) {
      const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
      return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
    },

    stepOf(typed, secret, now) {
      const code = typed.replaceAll(/\s/g, '');
      const present = Math.floor(now.getTime() / STEP_MS);
      const key = base32nopad.decode(secret);
      const beside = STEPS_BESIDE.find((by) => codeOf(key, present + by) === code);
      return beside === undefined ? null : present + beside;
    },
  };
}

/** RFC 4226, 5.3. */
function codeOf(key: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', key).update(counter).digest();
  const offset = hash.readUInt8(hash.length - 1) & 0xf;
  const number = hash.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}
