/**
 * A software authenticator for passkeys with ES256: what a browser and its device do, by WebAuthn
 * level 3, section 6. Tests bend single parts of it.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Bent {
  readonly origin?: string;
  readonly challenge?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly signCount?: number;
  readonly userVerified?: boolean;
  readonly crossOrigin?: boolean;
}

interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
}

export interface Authenticator {
  readonly credentialId: string;
  /** The answer to registration options. */
  register(options: string, bent?: Bent): string;
  /** The answer to assertion options; it counts up. */
  assert(options: string, bent?: Bent): string;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

export function authenticator(origin: string): Authenticator {
  const id = randomBytes(32);
  const credentialId = id.toString('base64url');
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let signCount = 0;

  function clientData(type: string, { challenge }: Options, bent: Bent): Buffer {
    return Buffer.from(
      JSON.stringify({
        ...{ type: bent.type ?? type, challenge: bent.challenge ?? challenge },
        ...{ origin: bent.origin ?? origin, crossOrigin: bent.crossOrigin ?? false },
      }),
    );
  }
  function authData({ rp, rpId }: Options, bent: Bent, attested: Buffer | null): Buffer {
    const site = bent.rpId ?? rp?.id ?? rpId ?? '';
    const flags = PRESENT | (bent.userVerified === false ? 0 : VERIFIED) | (attested ? ATTESTED : 0);
    const head = Buffer.alloc(5);
    head.writeUInt8(flags, 0);
    head.writeUInt32BE(bent.signCount ?? signCount, 1);
    return Buffer.concat([sha256(Buffer.from(site)), head, attested ?? Buffer.alloc(0)]);
  }

  return {
    credentialId,
    register(text, bent = {}) {
      const options = JSON.parse(text) as Options;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)]);
      const object = Buffer.concat([
        Buffer.from([0xa3]),
        ...[cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0])],
        ...[cborText('authData'), cborBytes(authData(options, bent, attested))],
      ]);
      return JSON.stringify({
        ...{ id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: clientData('webauthn.create', options, bent).toString('base64url'),
          attestationObject: object.toString('base64url'),
          transports: ['internal', 'made-up'],
        },
      });
    },
    assert(text, bent = {}) {
      const options = JSON.parse(text) as Options;
      signCount += 1;
      const data = authData(options, bent, null);
      const client = clientData('webauthn.get', options, bent);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return JSON.stringify({
        ...{ id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      });
    },
  };
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** COSE_Key of ES256 (RFC 9053, 7.1): {1: 2, 3: -7, -1: 1, -2: x, -3: y}. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    cborBytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    cborBytes(Buffer.from(y, 'base64url')),
  ]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function cborBytes(bytes: Buffer): Buffer {
  const head = bytes.length < 256 ? [0x58, bytes.length] : [0x59, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.from(head), bytes]);
}
