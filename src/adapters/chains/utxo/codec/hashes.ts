/** Double SHA-256, Merkle roots, and hashes as text: reversed, as hex. */
import { MalformedBytes } from './byte-reader.ts';

/** Of the concatenation of `parts`. It uses the runtime's own hash, since a block has thousands. */
export function doubleSha256(...parts: readonly Uint8Array[]): Uint8Array {
  return sha256(sha256(Buffer.concat(parts)));
}

/**
 * The Merkle root of `hashes`, in their order; in an odd count the last is paired with itself.
 * Throws MalformedBytes for an empty list, and where two that are paired are equal: a list that
 * repeats its end has the same root (CVE-2012-2459).
 */
export function merkleRoot(hashes: readonly Uint8Array[]): Uint8Array {
  let level = hashes;
  while (level.length > 1) {
    const above: Uint8Array[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = [level[at]!, level[at + 1]];
      if (right !== undefined && Buffer.compare(left, right) === 0)
        throw new MalformedBytes('transactions that are there twice');
      above.push(doubleSha256(left, right ?? left));
    }
    level = above;
  }
  const [root] = level;
  if (root === undefined) throw new MalformedBytes('no transactions');
  return root;
}

/** The text of a hash as it is in consensus bytes. */
export function hashText(bytes: Uint8Array): string {
  return Buffer.from(bytes).reverse().toString('hex');
}

function sha256(bytes: Uint8Array): Uint8Array {
  return Bun.SHA256.hash(bytes) as Uint8Array;
}
