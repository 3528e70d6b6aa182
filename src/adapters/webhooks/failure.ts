/**
 * An attempt without a response. Its reason is for the merchant, and reveals nothing about this
 * machine.
 */
export class AttemptFailure extends Error {
  override readonly name = 'AttemptFailure';

  /** The gateway lacks a resource, so this says nothing about the receiver. */
  readonly isOurs: boolean;

  constructor(reason: string, isOurs = false) {
    super(reason);
    this.isOurs = isOurs;
  }
}

/** This machine ran out of a resource: files, ports, memory. */
const OURS: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL']);

const READABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by the receiver',
  EPIPE: 'connection reset by the receiver',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate chain is incomplete or not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate chain is incomplete or not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate chain is incomplete or not trusted',
};

/** Describes the error of a socket. */
export function asAttemptFailure(error: unknown): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  const given = (error as { code?: unknown } | null)?.code;
  const code = typeof given === 'string' ? given : '';
  if (OURS.has(code)) return new AttemptFailure(`the gateway could not connect (${code})`, true);
  const known = READABLE[code];
  if (known !== undefined) return new AttemptFailure(known);
  if (/^HPE_|PARSE|INVALID_/.test(code)) return new AttemptFailure(`the answer is not HTTP (${code})`);
  if (/CERT|SSL|TLS/.test(code)) return new AttemptFailure(`the TLS connection failed (${code})`);
  return new AttemptFailure(
    /^[A-Z0-9_]{1,60}$/.test(code) ? `connection failed (${code})` : 'connection failed',
  );
}
