/**
 * Passkeys (WebAuthn, level 3) with user verification, for the site of BASE_URL. Options are plain
 * JSON; answers are checked by @simplewebauthn/server, which is loaded with the first of them,
 * since it takes 24 MB.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Passkey, Passkeys } from '../../ports/accounts/credentials.ts';
import type { IdSource } from '../../ports/runtime/id-source.ts';

/** EdDSA, ES256, RS256: what all authenticators have at least one of. */
const ALGORITHMS = [-8, -7, -257];
const TIMEOUT_MS = 300_000;
/** An answer of a browser has some 2 kB. */
const ANSWER_LENGTH_MAX = 20_000;
const TRANSPORTS: ReadonlySet<string> = new Set([
  'ble',
  'cable',
  'hybrid',
  'internal',
  'nfc',
  'smart-card',
  'usb',
]);

export function webauthnPasskeys(
  site: { readonly baseUrl: string; readonly name: string },
  ids: Pick<IdSource, 'secretToken'>,
): Passkeys {
  const { hostname: rpId, origin } = new URL(site.baseUrl);
  const expected = (challenge: string) => ({
    ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId },
    requireUserVerification: true,
  });
  return {
    async registration({ id, email, name, known }) {
      const challenge = ids.secretToken();
      const options = {
        ...{ challenge, rp: { id: rpId, name: site.name }, timeout: TIMEOUT_MS, attestation: 'none' },
        user: { id: Buffer.from(id).toString('base64url'), name: email, displayName: name },
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
        excludeCredentials: known.map(descriptor),
        authenticatorSelection: {
          ...{ residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        },
      };
      return { options: JSON.stringify(options), challenge };
    },

    async registered(answer, challenge) {
      const response = parsed<RegistrationResponseJSON>(answer);
      if (response === null) return null;
      const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
      const verified = await orNull(() =>
        verifyRegistrationResponse({
          ...{ ...expected(challenge), response, supportedAlgorithmIDs: ALGORITHMS },
        }),
      );
      if (verified?.verified !== true) return null;
      const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
      return {
        ...{ credentialId: id, publicKey, signCount: counter },
        transports: transports.filter((transport) => TRANSPORTS.has(transport)),
      };
    },

    async assertion(known) {
      const challenge = ids.secretToken();
      const options = {
        ...{ challenge, rpId, timeout: TIMEOUT_MS, userVerification: 'required' },
        allowCredentials: known.map(descriptor),
      };
      return { options: JSON.stringify(options), challenge };
    },

    credentialOf: (answer) => parsed<AuthenticationResponseJSON>(answer)?.id ?? null,

    async asserted(answer, challenge, { credentialId, publicKey, signCount }) {
      const response = parsed<AuthenticationResponseJSON>(answer);
      if (response === null || response.id !== credentialId) return null;
      const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
      const credential = { id: credentialId, publicKey: new Uint8Array(publicKey), counter: signCount };
      const verified = await orNull(() =>
        verifyAuthenticationResponse({ ...expected(challenge), response, credential }),
      );
      return verified?.verified === true ? verified.authenticationInfo.newCounter : null;
    },
  };
}

function descriptor({ credentialId, transports }: Passkey) {
  return { type: 'public-key', id: credentialId, transports };
}

/** The answer as JSON, if it has the shape that the library reads without checks of its own. */
function parsed<Answer extends { readonly id: string }>(answer: string): Answer | null {
  if (answer.length > ANSWER_LENGTH_MAX) return null;
  try {
    const value: unknown = JSON.parse(answer);
    if (typeof value !== 'object' || value === null) return null;
    const { id, response } = value as { readonly id?: unknown; readonly response?: unknown };
    const isOne = typeof id === 'string' && /^[A-Za-z0-9_-]{1,1366}$/.test(id);
    return isOne && typeof response === 'object' && response !== null ? (value as Answer) : null;
  } catch {
    return null;
  }
}

/** The library throws for every answer that is not right, and for malformed ones. */
async function orNull<Verified>(verify: () => Promise<Verified>): Promise<Verified | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}
