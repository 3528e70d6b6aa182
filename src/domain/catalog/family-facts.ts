/** What the domain and the use cases go by where families of chains differ. */

export interface FamilyFacts {
  /** Whether addresses can be a user's for good (specification, "Permanent deposit address"). */
  readonly permanentAddresses: boolean;
  /**
   * Whether money is unspent outputs of transactions, each of which a key of its own spends, and not
   * the balance of an address. Such a family has one chain, of the family's name.
   */
  readonly utxo: boolean;
  /** Whether miners make its blocks, at times that nobody knows. */
  readonly mined: boolean;
  /** Whether a payment needs energy, which can be delegated instead of paid for. */
  readonly energy: boolean;
  /**
   * Whether nothing is derived from public keys: the signer derives deposit addresses ahead, and the
   * database keeps them in a pool.
   */
  readonly pooledAddresses: boolean;
  /** Whether confirmations that are configured only add to those of the catalog (safety.md T4). */
  readonly leastConfirmations: boolean;
  /** When a block is final, as the docs say it; `{blocks}` stands for the confirmations of the chain. */
  readonly finalWhen: string;
  /** What its chains take in CONFIG_FILE. */
  readonly settings: SettingsKind;
  /** How a payout can be cancelled once it is signed. */
  readonly cancel: CancelWay | null;
  /** What its wallets ask for beside an address; null for nothing. */
  readonly memo: MemoUse | null;
  readonly addresses: AddressRules;
  /** The key of our wallet that addresses are of; null where the wallet is the operator's own. */
  readonly walletKey: WalletKeyFacts | null;
  /** What a customer's wallet scans. */
  readonly paymentUri: (payment: PaymentRequest) => string;
}

/**
 * `evm`, `utxo` and `monero`: those of these families. `expiring`: what chains take whose transactions
 * expire by themselves; `streaming`: the same, with nodes that announce heads.
 */
export type SettingsKind = 'evm' | 'utxo' | 'expiring' | 'streaming' | 'monero';

/**
 * `replace`: another transaction of the same nonce, or of the same UTXOs, takes its place unless it is
 * mined first. `expire`: it is not handed out any more and not signed again, and is dead within
 * minutes. Null: not at all, since nodes of the chain replace nothing that waits.
 */
export type CancelWay = 'replace' | 'expire';

/** `needless`: an address of ours is paid without one. `tag`: it says which of an account's addresses is paid. */
export type MemoUse = 'needless' | 'tag';

export interface WalletKeyFacts {
  /** BIP-44 with SLIP-44's coin types; BIP-84 where addresses are native segwit; SLIP-10 for ed25519. */
  readonly path: string;
  /** `account`: an extended public key, of which addresses are derived; or one public key of a curve. */
  readonly kind: 'account' | 'secp256k1' | 'ed25519';
  /** Place among the keys of keystore.json, whose check covers them in order: never another. A new family's is the last. */
  readonly place: number;
}

export interface AddressRules {
  /**
   * Alphabet, prefix and length on the main network. It is the check where the family's adapter, with
   * the full checksum, is not there; nothing is ever sent on its word alone.
   */
  readonly shape: RegExp;
  /** The addresses of which nobody has the key: what is sent there is burnt. */
  readonly nobodys: RegExp | null;
  /** Addresses that there are, and to which payouts do not go. */
  readonly outOfReach: { readonly shape: RegExp; readonly refusal: string } | null;
}

export interface PaymentRequest {
  readonly address: string;
  /** Base units of the asset, and whole coins as a plain decimal. */
  readonly units: bigint;
  readonly coins: string;
  /** Null for the chain's own coin. */
  readonly contract: string | null;
  /** EIP-155; null outside evm. */
  readonly chainId: number | null;
  /** The parts of the address, where it has some. */
  readonly parts: { readonly account: string; readonly tag: number | null } | null;
}
