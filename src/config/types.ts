/** The whole configuration of a process, from both of its halves. */
import type { OwnAsset } from '../domain/catalog/asset.ts';
import type { NetworkName } from '../domain/catalog/family.ts';
import type { RiskConfig } from './risk.ts';

export interface Config {
  /** The address to listen on; null for all of this machine, IPv4 and IPv6. */
  readonly host: string | null;
  /** 0 takes a free port. */
  readonly port: number;
  /** Without a trailing slash, like checkoutUrl and the chains' rpc. */
  readonly baseUrl: string;
  readonly checkoutUrl: string;
  /** Null: the embedded database. */
  readonly databaseUrl: string | null;
  /** A streaming replica for lists and reports; null: none. */
  readonly databaseUrlRead: string | null;
  readonly dataDir: string;
  /**
   * 32 bytes as 64 lower-case hex. Null only with the embedded database: the key is kept in
   * dataDir.
   */
  readonly masterKey: string | null;
  readonly role: ProcessRole;
  /** Per API key; 0 is off. */
  readonly rateLimitPerMinute: number;
  /** Days; 0 is for ever. */
  readonly retention: {
    readonly webhookDays: number;
    readonly signedDays: number;
    readonly unpaidDays: number;
  };
  readonly logLevel: LogLevel;
  readonly webhook: {
    /**
     * Host names and addresses, lower case, each with an optional `:port`, that may be loopback or
     * private.
     */
    readonly allowedHosts: readonly string[];
    readonly localAddress: string | null;
    readonly proxy: string | null;
    /** Prefixes of header names, `-Signature` for example follows; without duplicates. */
    readonly headerPrefixes: readonly string[];
  };
  /** Addresses and CIDR ranges. */
  readonly trustedProxies: readonly string[];
  /** E-mails to customers; null: none are sent. */
  readonly mail: MailConfig | null;
  readonly console: {
    readonly isOn: boolean;
    /** Whoever can read an e-mail may open a merchant's account. Needs `mail`. */
    readonly registrationIsOpen: boolean;
    /** Operators' orders worth more, in micro-USD, need a second operator; null: none does. */
    readonly approvalAboveMicroUsd: bigint | null;
  };
  /** Where alarms are reported. */
  readonly operators: {
    /** Only with `mail`. */
    readonly mailTo: readonly string[];
    readonly webhook: OperatorWebhookConfig | null;
  };
  readonly fakeChains: boolean;
  readonly signer: {
    /** Unix socket of the signer's process. Null: a worker signs for itself. */
    readonly socket: string | null;
    /** JSON file (config/signer-policy.ts). Null: no limits beyond the built-in checks. */
    readonly policyFile: string | null;
    /** The signer's own database URL; null: databaseUrl. */
    readonly databaseUrl: string | null;
  };
  readonly chains: Readonly<Record<string, ChainConfig>>;
  readonly assets: Readonly<Record<string, AssetConfig>>;
  /**
   * Tokens that the file adds to the catalog, their contracts as they were written
   * (compose/catalog.ts checks them).
   */
  readonly ownAssets: readonly OwnAsset[];
  /**
   * `usd`: US dollars per unit of the asset. `fiat`: units of that currency per US dollar. Both
   * positive decimals.
   */
  readonly rates: {
    readonly source: 'http' | 'static';
    readonly usd: Readonly<Record<string, string>>;
    readonly fiat: Readonly<Record<string, string>>;
    /** The highest age of a price that deposits are credited at. */
    readonly creditMaxAgeSeconds: number;
  };
  /** Percent of each deposit, 0 or more and under 100; null: the built-in default. */
  readonly commissionPercent: string | null;
  /**
   * Limits of payouts, decimals; null: no limit. A payout over a limit is held until an operator
   * releases it.
   */
  readonly payouts: {
    readonly maxUsd: string | null;
    readonly maxUsdPerDay: string | null;
    /** Most of an asset in one payout, and the reserve in the hot wallet, by asset key. */
    readonly max: Readonly<Record<string, string>>;
    readonly floor: Readonly<Record<string, string>>;
    /** The share of a sweep's value that it may cost. */
    readonly sweepCostPercent: string;
    /** The most that a payout may cost in network fees, as a multiple of an ordinary payment's. */
    readonly maxFeeFactor: number;
  };
  readonly treasury: {
    /** Thresholds of forwards by asset key, decimals of the asset; `keep` is below `above`. */
    readonly forward: Readonly<Record<string, { readonly above: string; readonly keep: string }>>;
  };
  readonly risk: RiskConfig;
  readonly checkout: {
    /**
     * By chain: the link to a transaction, with `{txid}` in its place; null: no link. A chain that
     * is missing has its usual one.
     */
    readonly explorers: Readonly<Record<string, string | null>>;
  };
}

export interface MailConfig {
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte. `starttls`: required after the greeting. */
  readonly security: 'tls' | 'starttls' | 'none';
  readonly user: string | null;
  /** Secret. */
  readonly password: string | null;
  /** Sender of every e-mail. */
  readonly from: string;
}

export interface OperatorWebhookConfig {
  /** Secret: it may contain a token. */
  readonly url: string;
  readonly format: 'json' | 'slack' | 'telegram';
}

export type ProcessRole = 'api' | 'worker' | 'all';
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
/** One node, with its provider's requirements and limits; null: unknown. */
export interface NodeConfig {
  /** Without a trailing slash. Secret: it may contain a password or a key. */
  readonly url: string;
  /** Secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** Secret. */
  readonly apiKey: string | null;
  /** The URL where the node announces new heads, ws(s). Secret. */
  readonly stream: string | null;
  readonly maxRps: number | null;
  readonly maxPerDay: number | null;
  /** The lowest is asked first. */
  readonly priority: number;
  /** The provider's price of a million calls, in USD; a positive decimal. */
  readonly pricePerMillionCalls: string | null;
  /**
   * Electrum servers: fingerprint of the only right certificate, 64 lower-case hex digits; null: an
   * authority must vouch for it.
   */
  readonly certificateSha256: string | null;
}

export interface ChainConfig {
  /** At least one, unless there is an `esplora` or an `electrum`. */
  readonly rpc: readonly NodeConfig[];
  /** Esplora servers instead, for the families bitcoin, litecoin and bitcoincash. */
  readonly esplora: readonly NodeConfig[];
  /** Electrum servers instead, for the same families. */
  readonly electrum: readonly NodeConfig[];
  readonly chainId: number | null;
  /** For all but EVM chains, whose networks have chain ids; null: main. */
  readonly network: NetworkName | null;
  readonly confirmations: number | null;
  readonly pollMs: number | null;
  readonly startHeight: number | null;
  /** Payments that stay undetected for longer are late; null: BEHIND_AFTER_SECONDS. */
  readonly behindAfterSeconds: number | null;
  /** Milliseconds after which a transaction without a block is replaced by one with higher fees. */
  readonly stuckMs: number | null;
  /**
   * Highest fee that is ever offered to the network: gwei per unit of gas (evm), satoshi per
   * virtual byte (UTXO chains), whole coins for a transaction (the others).
   */
  readonly feeCeiling: string | null;
  /** Always set for chains without a key in the gateway's wallet, and only for them. */
  readonly ownWallet: OwnWalletSettings | null;
}

/** The operator's own wallet, which this service can only view. */
export interface OwnWalletSettings {
  /** Without a trailing slash. */
  readonly walletRpc: string;
  readonly primaryAddress: string;
  /** 64 lower-case hex digits. Secret. */
  readonly viewKey: string;
  readonly network: 'main' | 'test' | 'stage' | 'regtest';
}

/** Overrides of the built-in catalog; null keeps the catalog's value. */
export interface AssetConfig {
  readonly contract: string | null;
  readonly decimals: number | null;
  readonly minAmountUsd: string | null;
  readonly enabled: boolean | null;
}
