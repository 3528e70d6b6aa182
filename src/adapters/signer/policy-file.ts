/** The signer's policy, read again whenever its file changes. */
import { readFile, stat } from 'node:fs/promises';
import type { SigningPolicy } from '../../domain/sending/signing-policy.ts';

/** The present policy. Rejects when it cannot be read or has faults: then nothing may be signed. */
export type CurrentPolicy = () => Promise<SigningPolicy>;

/** @param parse throws, or rejects, on faults */
export function policyFile(
  path: string,
  parse: (text: string) => SigningPolicy | Promise<SigningPolicy>,
): CurrentPolicy {
  let known: { version: string; policy: SigningPolicy } | null = null;
  return async () => {
    const version = await versionOf(path);
    if (known?.version === version) return known.policy;
    const policy = await parse(await readFile(path, 'utf8'));
    // An editor may have written half of the file: the next order reads it again.
    if ((await versionOf(path)) !== version) throw new Error('the file changed while it was read');
    known = { version, policy };
    return policy;
  };
}

async function versionOf(path: string): Promise<string> {
  const { mtimeNs, ctimeNs, size, ino } = await stat(path, { bigint: true });
  return `${mtimeNs} ${ctimeNs} ${size} ${ino}`;
}
