/**
 * What a family of chains brings. Everything outside its folder goes through this. The parts that read,
 * derive and sign, and the libraries that they need, are loaded when they are asked for: a family that
 * is not configured costs nothing.
 */
import type { NetworkName } from '../../../domain/catalog/family.ts';
import type { AddressDeriver } from '../../../ports/chains/address-deriver.ts';
import type { AddressPool } from '../../../ports/chains/address-pool.ts';
import type { ChangeAddresses } from '../../../ports/chains/change-addresses.ts';
import type { FamilySigning } from '../../../ports/sending/family-signing.ts';
import type { ChainClients, ChainSettings, ClientParts } from './client-parts.ts';

export interface ChainFamilyModule {
  /** Null without what its addresses are derived from. Throws where that is no key of the family. */
  wallet(source: AddressSource): Promise<FamilyWallet | null>;
  /** One node pool for both. Throws where the family needs a key or a setting that is not there. */
  clients(parts: ClientParts): Promise<ChainClients>;
  /** Null where nothing is signed for it. */
  readonly signing: ((keys: SigningKeys) => Promise<FamilySigning>) | null;
  /** Null where there are no tokens. */
  readonly contracts: ContractRules | null;
}

export interface AddressSource {
  /** Of the keystore: an extended public key, or one public key in hex (WalletKeyFacts); null for none. */
  readonly publicKey: string | null;
  /** Of the family's chain, where it has only one; null where it is not configured, and on fake chains. */
  readonly settings: ChainSettings | null;
  /** Where addresses come from that the signer derived ahead (FamilyFacts.pooledAddresses). */
  readonly pool: AddressPool | null;
}

export interface FamilyWallet {
  readonly deriver: AddressDeriver;
  /** Null where transactions leave no change. */
  readonly change: ChangeAddresses | null;
}

export interface SigningKeys {
  readonly network: NetworkName;
  mnemonic(): Promise<string>;
}

export interface ContractRules {
  /** One text for each contract; null for what is no address of one. */
  key(text: string, network: NetworkName): string | null;
  /** Completes the sentence "the contract ...". */
  readonly expected: string;
}
