/**
 * The signer's policy: the operator's file, checked at start and after each change; without one, no
 * limits, and no cold address.
 */
import { coldAddressFaults, type OwnAddresses } from '../../adapters/signer/cold-addresses.ts';
import { type CurrentPolicy, policyFile } from '../../adapters/signer/policy-file.ts';
import type { ConfigError } from '../../config/config-error.ts';
import { readSigningPolicy } from '../../config/signer-policy.ts';
import type { Config } from '../../config/types.ts';
import type { AssetCatalog } from '../../domain/catalog/asset.ts';
import { chainNamed } from '../../domain/catalog/chain.ts';
import type { Family } from '../../domain/catalog/family.ts';
import { UNLIMITED_SIGNING } from '../../domain/sending/signing-policy.ts';
import type { FamilySigning } from '../../ports/sending/family-signing.ts';

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

/**
 * `ownOn` is asked where the file names a cold address. Throws SigningPolicyFaults if the file has
 * faults: a process must not start with one.
 */
export async function composeSigningPolicy(
  config: Config,
  catalog: AssetCatalog,
  ownOn: () => Promise<(chain: string) => OwnAddresses | null>,
): Promise<CurrentPolicy> {
  const path = config.signer.policyFile;
  if (path === null) return async () => UNLIMITED_SIGNING;
  const parse = async (text: string) => {
    const faults: ConfigError[] = [];
    const policy = readSigningPolicy(path, { read: () => text }, catalog, faults);
    if (policy === null) throw new SigningPolicyFaults(faults);
    if (policy.coldAddresses.size > 0)
      faults.push(...(await coldAddressFaults(policy, catalog, await ownOn())));
    if (faults.length > 0) throw new SigningPolicyFaults(faults);
    return policy;
  };
  const current = policyFile(path, parse);
  await current().catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    throw new SigningPolicyFaults([{ path: 'SIGNER_POLICY', message: `cannot be read: ${error.message}` }]);
  });
  return current;
}

/** The addresses of the keys that sign. */
export function ownAddressesOf(
  families: ReadonlyMap<Family, FamilySigning>,
): (chain: string) => OwnAddresses | null {
  return (chain) => {
    const family = families.get(chainNamed(chain).family);
    if (family === undefined) return null;
    return {
      normalize: (address) => family.normalize(address),
      accountOf: (address) => (family.accountOf ?? family.normalize)(address),
      hotWallet: () => family.addressOf({ role: 'hot' }),
    };
  };
}
