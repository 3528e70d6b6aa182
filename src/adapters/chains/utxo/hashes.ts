/** Double SHA-256, and hashes as people write them: in reverse, as hex. */
import { createHash } from 'node:crypto';

/** Of the concatenation of `parts`; the runtime's own, since a block has thousands. */
export function doubleSha256(...parts: readonly Uint8Array[]): Uint8Array {
  const first = createHash('sha256');
  for (const part of parts) first.update(part);
  return createHash('sha256').update(first.digest()).digest();
}

/** The text of a hash as it is in consensus bytes. */
export function hashText(bytes: Uint8Array): string {
  return Buffer.from(bytes).reverse().toString('hex');
}

/** SHA-256 as hex, not reversed: how Esplora names a script. */
export function sha256Text(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
