/**
 * A family of chains. All code outside its folder uses it through this interface. The parts that
 * read, derive and sign are loaded at their first use, with their libraries: a family that is not
 * configured costs nothing.
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
import type { WalletPayments } from '../../../ports/chains/wallet-payments.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import type { ChainSender } from '../../../ports/sending/chain-sender.ts';
import type { FamilySigning } from '../../../ports/sending/family-signing.ts';
import type { SendingCapabilities } from '../../../ports/sending/sending-capabilities.ts';
import type { NodeSettings } from './nodes/node-endpoint.ts';

export interface ChainFamilyModule {
  /**
   * Null without the key that addresses are derived from. Throws where that is no key of the
   * family.
   */
  wallet(source: AddressSource): Promise<FamilyWallet | null>;
  /** Scanner and sender share one node pool. Throws where a required key or setting is missing. */
  clients(parts: ClientParts): Promise<ChainClients>;
  /** Null for a family without signatures. */
  readonly signing: ((keys: SigningKeys) => Promise<FamilySigning>) | null;
  /** Null for a family without tokens. */
  readonly contracts: ContractRules | null;
  readonly fake: FakeFamily;
}

export interface AddressSource {
  /**
   * From the keystore: an extended public key, or one public key in hex (WalletKeyFacts); null for
   * none.
   */
  readonly publicKey: string | null;
  /** Of the family's only chain; null where it is not configured, and on fake chains. */
  readonly settings: ChainSettings | null;
  /** The pool of addresses that the signer derived ahead (FamilyFacts.pooledAddresses). */
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
  /** The node pool of both. */
  readonly nodes: ChainNodes;
  /** New heads from nodes with a stream; null where none has one. */
  readonly heads: ChainHeads | null;
  /** Absent where a wallet makes its transactions by itself. */
  readonly walletPayments?: WalletPayments;
}

/** The configuration of a chain (config/types.ts). */
export interface ChainSettings {
  readonly rpc: readonly (NodeSettings & { readonly stream: string | null })[];
  readonly esplora: readonly NodeSettings[];
  readonly electrum: readonly NodeSettings[];
  /** EIP-155; null: the chain's own id, and for other families. */
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
  /** The chain that the nodes must serve. */
  readonly boundTo: ChainIdentity;
  readonly logger: Logger;
  /** Hex or base58, from the keystore; null where it has no key of the family. */
  readonly publicKey: string | null;
  /** Null without the key that addresses are derived from. */
  readonly wallet: FamilyWallet | null;
}

export interface SigningKeys {
  readonly network: NetworkName;
  mnemonic(): Promise<string>;
}

export interface ContractRules {
  /** The one text of a contract's address; null for an invalid one. */
  key(text: string, network: NetworkName): string | null;
  /** Completes the sentence "the contract ...". */
  readonly expected: string;
}

/** The family on a fake chain, without nodes and keys. */
export interface FakeFamily {
  /** A well-formed address without an owner, from 128 pseudo-random bytes. */
  address(entropy: Uint8Array): string;
  /** Like AddressDeriver.normalize: real addresses of the family are accepted too. */
  normalize(address: string): string | null;
  /**
   * How its real chains send if not by nonces. The lifetime of expiring transactions is the fake's
   * own.
   */
  readonly capabilities: Partial<Omit<SendingCapabilities, 'lifeSeconds'>>;
}
