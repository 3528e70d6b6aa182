/**
 * The facts by which chain families differ. Domain and use cases know these, never a family's name.
 */

export interface FamilyFacts {
  /** Whether it offers permanent addresses (specification, "Permanent deposit address"). */
  readonly permanentAddresses: boolean;
  /**
   * Whether money is unspent transaction outputs (UTXOs), and not balances of addresses. Such a
   * family has one chain, with the family's name.
   */
  readonly utxo: boolean;
  /** Whether miners make its blocks, at irregular times. */
  readonly mined: boolean;
  /** Whether a payment needs energy, which can be delegated instead of paid for. */
  readonly energy: boolean;
  /**
   * Whether addresses cannot be derived from public keys: the signer derives them ahead, and the
   * database keeps them in a pool.
   */
  readonly pooledAddresses: boolean;
  /** Whether nodes name the final block themselves; then blocks are counted only if configured. */
  readonly finalityTag: boolean;
  /** Whether configured confirmations can only raise those of the catalog (safety.md T4). */
  readonly leastConfirmations: boolean;
  /** When a block is final, for the docs; `{blocks}` stands for the chain's confirmations. */
  readonly finalWhen: string;
  /** Which settings its chains have in CONFIG_FILE. */
  readonly settings: SettingsKind;
  /** How a signed payout can be cancelled. */
  readonly cancel: CancelWay | null;
  /** What customers' wallets ask for beside the address; null for nothing. */
  readonly memo: MemoUse | null;
  /** How wallets in a browser offer themselves to a page; null where they do not. */
  readonly browserWallets: BrowserWallets | null;
  readonly addresses: AddressRules;
  /** Our wallet's key, from which addresses come; null if the wallet is the operator's own. */
  readonly walletKey: WalletKeyFacts | null;
  /** The content of the QR code. */
  readonly paymentUri: (payment: PaymentRequest) => string;
}

/**
 * `gas`: for chains that charge gas and have EIP-155 ids; `utxo`: for chains of UTXOs. `expiring`:
 * for chains whose transactions expire; `streaming`: the same, with nodes that push new heads.
 * `ownWallet`: for chains where the wallet is the operator's own.
 */
export type SettingsKind = 'gas' | 'utxo' | 'expiring' | 'streaming' | 'ownWallet';

/**
 * `replace`: another transaction with the same nonce or UTXOs replaces it, unless it is mined
 * first. `expire`: it is neither broadcast nor signed again, and expires within minutes. Null: not
 * at all, because the chain's nodes replace nothing.
 */
export type CancelWay = 'replace' | 'expire';

/** `needless`: our addresses need none. `tag`: it selects one of an account's addresses. */
export type MemoUse = 'needless' | 'tag';

/**
 * EIP-6963; the object of TronLink; the Wallet Standard, whose wallets are given a whole
 * transaction.
 */
export type BrowserWallets = 'eip6963' | 'tronlink' | 'wallet_standard';

export interface WalletKeyFacts {
  /**
   * BIP-44 with SLIP-44's coin types; BIP-84 where addresses are native segwit; SLIP-10 for
   * ed25519.
   */
  readonly path: string;
  /**
   * `account`: an extended public key, from which addresses derive; else one public key of the
   * curve.
   */
  readonly kind: 'account' | 'secp256k1' | 'ed25519';
  /**
   * Its fixed position among the keys of keystore.json, whose checksum covers their order. New:
   * last.
   */
  readonly place: number;
}

export interface AddressRules {
  /**
   * Alphabet, prefix and length on the main network. It is used only where the family's adapter,
   * which checks the checksum, is not loaded. Nothing is sent after this check alone.
   */
  readonly shape: RegExp;
  /** Burn addresses: nobody has their key. */
  readonly nobodys: RegExp | null;
  /** Valid addresses to which payouts are refused. */
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
  /** The address's account and tag, if it has them. */
  readonly parts: { readonly account: string; readonly tag: number | null } | null;
}
