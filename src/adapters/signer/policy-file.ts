/** The signer's policy as its file says it now: read again whenever the file changed. */
import { readFile, stat } from 'node:fs/promises';
import type { SigningPolicy } from '../../domain/sending/signing-policy.ts';

/** The policy that counts now. Rejects when it cannot be read or has faults: nothing may be signed then. */
export type CurrentPolicy = () => Promise<SigningPolicy>;

/** @param parse throws on faults */
export function policyFile(path: string, parse: (text: string) => SigningPolicy): CurrentPolicy {
  let known: { version: string; policy: SigningPolicy } | null = null;
  return async () => {
    const version = await versionOf(path);
    if (known?.version === version) return known.policy;
    const policy = parse(await readFile(path, 'utf8'));
    // A file that an editor is just writing may be half there: the next order reads it again.
    if ((await versionOf(path)) !== version) throw new Error('the file changed while it was read');
    known = { version, policy };
    return policy;
  };
}

async function versionOf(path: string): Promise<string> {
  const { mtimeNs, ctimeNs, size, ino } = await stat(path, { bigint: true });
  return `${mtimeNs} ${ctimeNs} ${size} ${ino}`;
}
