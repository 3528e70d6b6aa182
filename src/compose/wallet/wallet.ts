/** The wallet's public side: the public keys of each family, and their derivers. */
import { CHAIN_FAMILIES } from '../../adapters/chains/families.ts';
import { keyText, type PublicKeys } from '../../adapters/signer/keystore-file.ts';
import type { Config } from '../../config/types.ts';
import {
  FAMILIES,
  FAMILY_ROWS,
  type Family,
  hasWalletKey,
  isUtxo,
  type UtxoFamily,
} from '../../domain/catalog/family.ts';
import type { AddressDeriver } from '../../ports/chains/address-deriver.ts';
import type { AddressPool } from '../../ports/chains/address-pool.ts';
import type { ChangeAddresses } from '../../ports/chains/change-addresses.ts';

/**
 * The API role, and a worker with a signer process, only need public keys: they never create or
 * change a wallet.
 */
export function readsPublicKeysOnly(config: Config): boolean {
  return config.role === 'api' || config.signer.socket !== null;
}

export interface WalletDerivers {
  /** One for each family that has a public key or, without the keystore, its settings. */
  readonly derivers: ReadonlyMap<Family, AddressDeriver>;
  /** The change addresses, in the families with UTXOs. */
  readonly change: ReadonlyMap<UtxoFamily, ChangeAddresses>;
}

/**
 * On the configured networks of the families' chains. `poolOf`: the source of addresses that the
 * signer derives in advance; null if there is none.
 */
export async function walletDerivers(
  config: Config,
  keys: PublicKeys,
  poolOf: (family: Family) => AddressPool | null = () => null,
): Promise<WalletDerivers> {
  const derivers = new Map<Family, AddressDeriver>();
  const change = new Map<UtxoFamily, ChangeAddresses>();
  for (const family of FAMILIES) {
    const wallet = await CHAIN_FAMILIES[family].wallet({
      publicKey: publicKeyText(keys, family),
      // Fake chains look like the main networks, whatever is configured for the real ones.
      settings: config.fakeChains ? null : (config.chains[family] ?? null),
      pool: FAMILY_ROWS[family].pooledAddresses ? poolOf(family) : null,
    });
    if (wallet === null) continue;
    derivers.set(family, wallet.deriver);
    if (isUtxo(family) && wallet.change !== null) change.set(family, wallet.change);
  }
  return { derivers, change };
}

/** In the families' format; null if the keystore has none. */
export function publicKeyText(keys: PublicKeys, family: Family): string | null {
  const key = hasWalletKey(family) ? keys[family] : undefined;
  return key === undefined ? null : keyText(key);
}
