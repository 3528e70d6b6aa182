/**
 * A payment found on a chain, and where its money is. (chain, txid, output) is its unique key, so
 * that it is credited once (safety.md, "Payments in").
 */
import type { StrayReason } from './stray-reason.ts';

export const DEPOSIT_STATUSES = [
  /** Seen, not final. */
  'confirming',
  /** Final and posted to the treasury; waits for the risk check (or defers, under 2 USD). */
  'arrived',
  /** In a merchant's balance. */
  'credited',
  /** Stopped by the risk check; an operator decides. */
  'held',
  /** The operator rejected it: the money stays on the held account. */
  'rejected',
  /** Unmatched: final, and no invoice takes it. An operator credits or refunds it. */
  'stray',
  /** Disappeared before it was final: a double-spend or reorganisation. */
  'dropped',
  /** Disappeared after it was final: its postings are reversed (safety.md U7). */
  'reversed',
] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];

export interface Deposit {
  readonly id: string;
  readonly chain: string;
  readonly txid: string;
  readonly output: string;
  readonly asset: string;
  /** Normalized receiving address: the key of the address directory. */
  readonly address: string;
  readonly addressFrom: string | null;
  readonly units: bigint;
  readonly status: DepositStatus;
  /** Its canonical block; null while it is in the mempool or orphaned. */
  readonly block: { readonly height: number; readonly hash: string } | null;
  /**
   * Block time at which it was first seen: decides whether it counts (safety.md A1). Never changes.
   */
  readonly firstSeenAt: Date;
  /** Found by balance reconciliation: only an operator can credit it (safety.md E6). */
  readonly unexplained: boolean;
  /**
   * First block that may spend it, if locked longer: it is not final earlier (safety.md U4, U6).
   */
  readonly lockedUntil: number | null;
  /**
   * It also carries tokens (CashTokens): it counts, and is never spent as a plain UTXO (safety.md
   * U8).
   */
  readonly encumbered: boolean;
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly invoiceId: string | null;
  /** Why no invoice takes it; kept when an operator credits it. */
  readonly strayReason: StrayReason | null;
  /** A remark of the risk check or an operator, for people only. */
  readonly note: string | null;
}

/** A payment within its chain, as a key of maps and sets. */
export const outputKey = ({ txid, output }: { readonly txid: string; readonly output: string }): string =>
  `${txid} ${output}`;

/** The key of money that only a balance shows: it has no transaction (safety.md E6). */
export const balanceKey = (chain: string, height: number, to: string) => ({
  txid: `balance:${chain}:${height}`,
  output: `balance:${to}`,
});

/** Whether only a trace shows it: a contract paid it in an internal call. */
export const isTraced = ({ output }: { readonly output: string }): boolean => output.startsWith('call:');
