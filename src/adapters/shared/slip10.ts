/** Keys of ed25519 from a seed (SLIP-10): every step is hardened, so that public keys derive nothing. */
import { createHmac } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';

const HARDENED = 2 ** 31;

/** The private key of `path` (`m/44'/501'/0'/0'`, hardened throughout), 32 bytes. Throws RangeError for any other path. */
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

/** 32 bytes (RFC 8032). */
export function ed25519PublicKey(privateKey: Uint8Array): Uint8Array {
  return ed25519.getPublicKey(privateKey);
}

function hmac(key: Uint8Array, data: Uint8Array): Buffer {
  return createHmac('sha512', key).update(data).digest();
}
