/** The wallet's public side: the public keys of each family, and the derivers made from them. */
import type { PublicKeys } from '../../adapters/signer/keystore-file.ts';
import type { Config, MoneroSettings } from '../../config/types.ts';
import { type Family, UTXO_FAMILIES, type UtxoFamily } from '../../domain/catalog/family.ts';
import type { AddressDeriver } from '../../ports/chains/address-deriver.ts';
import type { AddressPool } from '../../ports/chains/address-pool.ts';
import type { ChangeAddresses } from '../../ports/chains/change-addresses.ts';

/** Public keys are enough for the API role, and where another process signs: they never make or change a wallet. */
export function readsPublicKeysOnly(config: Config): boolean {
  return config.role === 'api' || config.signer.socket !== null;
}

export interface WalletDerivers {
  readonly keys: PublicKeys;
  /** One for each family that has a public key, on the network that is configured for its chain. */
  readonly derivers: ReadonlyMap<keyof PublicKeys, AddressDeriver>;
  /** Where change comes back, in the families that have coins. */
  readonly change: ReadonlyMap<UtxoFamily, ChangeAddresses>;
}

/** `pool`: where Solana's addresses come from; null for none of that family. */
export async function walletDerivers(
  config: Config,
  keys: PublicKeys,
  pool: AddressPool | null = null,
): Promise<WalletDerivers> {
  const { evmDeriver } = await import('../../adapters/chains/evm/deriver.ts');
  const { utxoDeriver } = await import('../../adapters/chains/utxo/deriver.ts');
  const { utxoNetwork } = await import('../../adapters/chains/utxo/network.ts');
  const derivers = new Map<keyof PublicKeys, AddressDeriver>([
    ['evm', evmDeriver({ accountXpub: keys.evm.xpub })],
  ]);
  if (keys.tron !== undefined) {
    const { tronDeriver } = await import('../../adapters/chains/tron/deriver.ts');
    derivers.set('tron', tronDeriver({ accountXpub: keys.tron.xpub }));
  }
  const change = new Map<UtxoFamily, ChangeAddresses>();
  for (const family of UTXO_FAMILIES) {
    const accountXpub = keys[family]?.xpub;
    if (accountXpub === undefined) continue;
    // fake chains look like the main ones, whatever is configured for the real ones
    const configured = config.fakeChains ? 'main' : (config.chains[family]?.network ?? 'main');
    const network = utxoNetwork(family, configured);
    const deriver = utxoDeriver({ network, accountXpub });
    derivers.set(family, deriver);
    change.set(family, deriver);
  }
  if (keys.xrp !== undefined) {
    const { xrpDeriver } = await import('../../adapters/chains/xrp/deriver.ts');
    const { xrpNetwork } = await import('../../adapters/chains/xrp/network.ts');
    const network = xrpNetwork(config.fakeChains ? null : (config.chains.xrp?.network ?? null));
    derivers.set('xrp', xrpDeriver({ network, publicKey: keys.xrp.publicKey }));
  }
  if (keys.solana !== undefined && pool !== null) {
    const { solanaDeriver } = await import('../../adapters/chains/solana/deriver.ts');
    const hotWallet = Buffer.from(keys.solana.publicKey, 'hex');
    derivers.set('solana', solanaDeriver({ hotWallet, pool }));
  }
  if (keys.ton !== undefined) {
    const { tonDeriver } = await import('../../adapters/chains/ton/deriver.ts');
    const { tonNetwork } = await import('../../adapters/chains/ton/network.ts');
    const network = tonNetwork(config.fakeChains ? 'main' : (config.chains.ton?.network ?? 'main'));
    derivers.set('ton', tonDeriver({ network, publicKey: keys.ton.publicKey }));
  }
  return { keys, derivers, change };
}

/** Null where Monero is not received. */
export function moneroSettings(config: Config): MoneroSettings | null {
  return config.fakeChains ? null : (config.chains.monero?.monero ?? null);
}

/** Monero's keys are the operator's own: they are in the configuration, and without them it has no live address. */
export async function moneroDerivers(
  config: Config,
): Promise<readonly (readonly [Family, AddressDeriver])[]> {
  const keys = moneroSettings(config);
  if (keys === null) return [];
  const { moneroDeriver } = await import('../../adapters/chains/monero/deriver.ts');
  return [['monero', moneroDeriver(keys)]];
}
