/** ed25519 keys from a seed (SLIP-10): every step is hardened, so public keys derive nothing. */
import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto';

const HARDENED = 2 ** 31;

/**
 * The private key of `path` (`m/44'/501'/0'/0'`, hardened throughout), 32 bytes. Throws RangeError
 * for any other path.
 */
export function slip10Ed25519(seed: Uint8Array, path: string): Uint8Array {
  if (!/^m(\/\d{1,10}')*$/.test(path)) throw new RangeError(`not a path of hardened steps: ${path}`);
  const steps = path.split('/').slice(1);
  let node = hmac(Buffer.from('ed25519 seed'), seed);
  for (const step of steps) {
    const index = Number(step.slice(0, -1));
    if (index >= HARDENED) throw new RangeError(`a step of a path is below 2^31: ${path}`);
    const data = Buffer.alloc(37);
    data.set(node.subarray(0, 32), 1);
    data.writeUInt32BE(index + HARDENED, 33);
    node = hmac(node.subarray(32), data);
  }
  return Uint8Array.from(node.subarray(0, 32));
}

/** The bytes before the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const PRIVATE_KEY_FOLLOWS = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * 32 bytes (RFC 8032). It uses the runtime's own library: keystores are opened at start, and
 * another library takes time to load.
 */
export function ed25519PublicKey(privateKey: Uint8Array): Uint8Array {
  const key = Buffer.concat([PRIVATE_KEY_FOLLOWS, privateKey]);
  const opened = createPublicKey(createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
  return Uint8Array.from(opened.export({ format: 'der', type: 'spki' }).subarray(-32));
}

function hmac(key: Uint8Array, data: Uint8Array): Buffer {
  return createHmac('sha512', key).update(data).digest();
}
