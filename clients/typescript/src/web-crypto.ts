const NODE_CRYPTO = 'node:crypto';

/**
 * The platform's WebCrypto: a global everywhere but in Node.js 18, whose module bundlers for
 * browsers need not know.
 */
export async function webCrypto(): Promise<Crypto> {
  return globalThis.crypto ?? (await import(NODE_CRYPTO)).webcrypto;
}
