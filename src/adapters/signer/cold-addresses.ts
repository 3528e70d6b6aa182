/**
 * The cold addresses of a policy are addresses of their chains, and not our own hot wallet:
 * forwards go there unseen, so a fault must be found before the first one.
 */
import { isNobodys, whyOutOfReach } from '../../domain/catalog/address-shape.ts';
import type { AssetCatalog } from '../../domain/catalog/asset.ts';
import { chainNamed } from '../../domain/catalog/chain.ts';
import type { SigningPolicy } from '../../domain/sending/signing-policy.ts';

/** What is asked of a chain's addresses. */
export interface OwnAddresses {
  /** Null for what is no address of the chain. */
  normalize(address: string): string | null;
  /** Normalized, without the tag of a shared account (XRP). */
  accountOf(address: string): string | null;
  hotWallet(): Promise<string | null>;
}

interface ColdAddressFault {
  readonly path: string;
  readonly message: string;
}

/** `ownOn`: null for a chain on which nothing is signed here. */
export async function coldAddressFaults(
  { coldAddresses }: Pick<SigningPolicy, 'coldAddresses'>,
  catalog: AssetCatalog,
  ownOn: (chain: string) => OwnAddresses | null,
): Promise<readonly ColdAddressFault[]> {
  const faults: ColdAddressFault[] = [];
  for (const [name, address] of coldAddresses) {
    const chain = catalog.get(name)?.chain ?? name;
    const message = await faultOf(chain, address, ownOn(chain));
    if (message !== null) faults.push({ path: `cold_addresses.${name}`, message });
  }
  return faults;
}

async function faultOf(chain: string, address: string, own: OwnAddresses | null): Promise<string | null> {
  if (own === null) return `there are no keys of ${chain}: nothing is forwarded there`;
  const { family } = chainNamed(chain);
  const normalized = own.normalize(address);
  if (normalized === null || isNobodys(family, normalized)) return `must be an address of ${chain}`;
  const outOfReach = whyOutOfReach(family, normalized);
  if (outOfReach !== null) return outOfReach;
  const hot = await own.hotWallet();
  const isHot = hot !== null && own.accountOf(normalized) === own.accountOf(hot);
  return isHot ? 'is the hot wallet itself' : null;
}
