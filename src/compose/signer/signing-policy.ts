/**
 * The signer's policy: the operator's file, checked at start and after each change; without one, no
 * limits.
 */
import { type CurrentPolicy, policyFile } from '../../adapters/signer/policy-file.ts';
import type { ConfigError } from '../../config/config-error.ts';
import { readSigningPolicy } from '../../config/signer-policy.ts';
import type { Config } from '../../config/types.ts';
import type { AssetCatalog } from '../../domain/catalog/asset.ts';
import { UNLIMITED_SIGNING } from '../../domain/sending/signing-policy.ts';

/** All faults of a policy file. */
export class SigningPolicyFaults extends Error {
  override readonly name = 'SigningPolicyFaults';
  readonly lines: readonly string[];
  constructor(faults: readonly ConfigError[]) {
    const lines = faults.map(({ path, message }) => `${path}: ${message}`);
    super(lines.join('; '));
    this.lines = lines;
  }
}

/** Throws SigningPolicyFaults if the file has faults: a process must not start with one. */
export async function composeSigningPolicy(config: Config, catalog: AssetCatalog): Promise<CurrentPolicy> {
  const path = config.signer.policyFile;
  if (path === null) return async () => UNLIMITED_SIGNING;
  const parse = (text: string) => {
    const faults: ConfigError[] = [];
    const policy = readSigningPolicy(path, { read: () => text }, catalog, faults);
    if (policy === null) throw new SigningPolicyFaults(faults);
    return policy;
  };
  const current = policyFile(path, parse);
  await current().catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    throw new SigningPolicyFaults([{ path: 'SIGNER_POLICY', message: `cannot be read: ${error.message}` }]);
  });
  return current;
}
