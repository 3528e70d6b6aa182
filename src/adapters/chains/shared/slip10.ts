/**
 * Private keys on ed25519 from the words of a wallet: BIP-39's seed, and SLIP-10's hardened derivation (ed25519 has no other).
 * For the signer only: whoever has a key can spend.
 */
import { createHmac, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';

/** An extended private key: 32 bytes each. */
export interface Ed25519Node {
  readonly key: Uint8Array;
  readonly chainCode: Uint8Array;
}

const HARDENED = 2 ** 31;
const SEED_ROUNDS = 2048;
const SEED_BYTES = 64;

/** The node m of `mnemonic`, without a passphrase. */
export async function ed25519Root(mnemonic: string): Promise<Ed25519Node> {
  const seed = await promisify(pbkdf2)(
    mnemonic.normalize('NFKD'),
    'mnemonic',
    SEED_ROUNDS,
    SEED_BYTES,
    'sha512',
  );
  return halves(createHmac('sha512', 'ed25519 seed').update(seed).digest());
}

/** The node at `path` below `node`; each of its indexes is hardened. Throws a RangeError for one that there cannot be. */
export function ed25519Child(node: Ed25519Node, path: readonly number[]): Ed25519Node {
  return path.reduce(hardenedChild, node);
}

function hardenedChild({ key, chainCode }: Ed25519Node, index: number): Ed25519Node {
  if (!Number.isInteger(index) || index < 0 || index >= HARDENED)
    throw new RangeError('an index of a path is a whole number below 2^31');
  const data = Buffer.alloc(37);
  data.set(key, 1);
  data.writeUInt32BE(HARDENED + index, 33);
  return halves(createHmac('sha512', chainCode).update(data).digest());
}

const halves = (digest: Buffer): Ed25519Node => ({
  key: digest.subarray(0, 32),
  chainCode: digest.subarray(32),
});
