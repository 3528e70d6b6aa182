/**
 * What a family of chains brings. Everything outside its folder goes through this. The parts that read,
 * derive and sign, and the libraries that they need, are loaded when they are asked for: a family that
 * is not configured costs nothing.
 */
import type { AssetCatalog } from '../../../domain/catalog/asset.ts';
import type { Chain } from '../../../domain/catalog/chain.ts';
import type { NetworkName } from '../../../domain/catalog/family.ts';
import type { AddressDeriver } from '../../../ports/chains/address-deriver.ts';
import type { AddressPool } from '../../../ports/chains/address-pool.ts';
import type { ChainHeads } from '../../../ports/chains/chain-heads.ts';
import type { ChainIdentity } from '../../../ports/chains/chain-identity.ts';
import type { ChainNodes } from '../../../ports/chains/chain-nodes.ts';
import type { ChainScanner } from '../../../ports/chains/chain-scanner.ts';
import type { ChangeAddresses } from '../../../ports/chains/change-addresses.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import type { ChainSender } from '../../../ports/sending/chain-sender.ts';
import type { FamilySigning } from '../../../ports/sending/family-signing.ts';
import type { SendingCapabilities } from '../../../ports/sending/sending-capabilities.ts';
import type { NodeSettings } from './nodes/node-endpoint.ts';

export interface ChainFamilyModule {
  /** Null without what its addresses are derived from. Throws where that is no key of the family. */
  wallet(source: AddressSource): Promise<FamilyWallet | null>;
  /** One node pool for both. Throws where the family needs a key or a setting that is not there. */
  clients(parts: ClientParts): Promise<ChainClients>;
  /** Null where nothing is signed for it. */
  readonly signing: ((keys: SigningKeys) => Promise<FamilySigning>) | null;
  /** Null where there are no tokens. */
  readonly contracts: ContractRules | null;
  readonly fake: FakeFamily;
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

export interface ChainClients {
  readonly scanner: ChainScanner;
  /** Null where nothing can be sent. */
  readonly sender: ChainSender | null;
  /** What both ask. */
  readonly nodes: ChainNodes;
  /** What those of them tell that have a stream; null where none has. */
  readonly heads: ChainHeads | null;
}

/** What is configured of a chain (config/types.ts). */
export interface ChainSettings {
  readonly rpc: readonly (NodeSettings & { readonly stream: string | null })[];
  readonly esplora: readonly NodeSettings[];
  readonly electrum: readonly NodeSettings[];
  /** EIP-155; null: the chain's own, and outside evm. */
  readonly chainId: number | null;
  readonly network: NetworkName | null;
  readonly confirmations: number | null;
  readonly startHeight: number | null;
  readonly feeCeiling: string | null;
  /** Where the wallet is the operator's own: its program, and the keys that see what it is paid. */
  readonly ownWallet: {
    readonly walletRpc: string;
    readonly primaryAddress: string;
    readonly viewKey: string;
    readonly network: 'main' | 'test' | 'stage' | 'regtest';
  } | null;
}

export interface ClientParts {
  readonly chain: Chain;
  readonly settings: ChainSettings;
  readonly catalog: AssetCatalog;
  readonly clock: Clock;
  /** Which chain the nodes must be of. */
  readonly boundTo: ChainIdentity;
  readonly logger: Logger;
  /** Hex or base58, of the keystore; null where it has none of the family. */
  readonly publicKey: string | null;
  /** Null without what its addresses are derived from. */
  readonly wallet: FamilyWallet | null;
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

/** The family on a fake chain, without nodes and keys. */
export interface FakeFamily {
  /** One that looks right and belongs to nobody, from 128 pseudo-random bytes. */
  address(entropy: Uint8Array): string;
  /** As AddressDeriver.normalize: real addresses of the family are accepted, too. */
  normalize(address: string): string | null;
  /** How its real chains send otherwise than by nonces; the life of what expires is the fake's own. */
  readonly ways: Partial<Omit<SendingCapabilities, 'lifeSeconds'>>;
}
