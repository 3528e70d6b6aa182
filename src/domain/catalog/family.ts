/**
 * The families of chains, a row for each: what the domain goes by where they differ. How a family is
 * read, signed and sent is its adapter's.
 */
import { keysOf } from './keys-of.ts';

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
  /** How a payout can be cancelled once it is signed. */
  readonly cancel: CancelWay | null;
}

/**
 * `replace`: another transaction of the same nonce, or of the same UTXOs, takes its place unless it is
 * mined first. `expire`: it is not handed out any more and not signed again, and is dead within
 * minutes. Null: not at all, since nodes of the chain replace nothing that waits.
 */
export type CancelWay = 'replace' | 'expire';

const OF_ACCOUNTS = { permanentAddresses: true, utxo: false, mined: false, energy: false } as const;
const OF_UTXOS = { permanentAddresses: true, utxo: true, mined: true, energy: false } as const;

const ROWS = {
  evm: { ...OF_ACCOUNTS, cancel: 'replace' },
  bitcoin: { ...OF_UTXOS, cancel: 'replace' },
  // litecoind has -mempoolreplacement off by default
  litecoin: { ...OF_UTXOS, cancel: null },
  bitcoincash: { ...OF_UTXOS, cancel: null },
  tron: { ...OF_ACCOUNTS, energy: true, cancel: 'expire' },
  solana: { ...OF_ACCOUNTS, cancel: 'expire' },
  xrp: { ...OF_ACCOUNTS, cancel: 'expire' },
  ton: { ...OF_ACCOUNTS, cancel: 'expire' },
  monero: { permanentAddresses: false, utxo: false, mined: true, energy: false, cancel: null },
} as const satisfies Readonly<Record<string, FamilyFacts>>;

type Rows = typeof ROWS;
export type Family = keyof Rows;
export type PermanentFamily = {
  [F in Family]: Rows[F]['permanentAddresses'] extends true ? F : never;
}[Family];
export type UtxoFamily = { [F in Family]: Rows[F]['utxo'] extends true ? F : never }[Family];

export const FAMILY_ROWS: Readonly<Record<Family, FamilyFacts>> = ROWS;
export const FAMILIES = keysOf(ROWS);
export const PERMANENT_FAMILIES = FAMILIES.filter(isPermanentFamily);
export const UTXO_FAMILIES = FAMILIES.filter(hasCoins);

export function isPermanentFamily(family: Family): family is PermanentFamily {
  return FAMILY_ROWS[family].permanentAddresses;
}

export function hasCoins(family: Family): family is UtxoFamily {
  return FAMILY_ROWS[family].utxo;
}

/** The networks that a chain can be configured for, outside evm and monero. */
export const NETWORKS = ['main', 'test', 'regtest'] as const;
export type NetworkName = (typeof NETWORKS)[number];

export function isMined(family: Family): boolean {
  return FAMILY_ROWS[family].mined;
}

export function cancelWay(family: Family): CancelWay | null {
  return FAMILY_ROWS[family].cancel;
}
