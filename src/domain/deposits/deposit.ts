/** A payment found on a chain, and where its money is. The credit key is (chain, txid, output), once for ever (safety.md, "Payments in"). */
import type { StrayReason } from './stray-reason.ts';

export const DEPOSIT_STATUSES = [
  /** Seen, not final. */
  'confirming',
  /** Final and posted to the treasury; waits for the risk check (or defers, under 2 USD). */
  'arrived',
  /** In a merchant's balance. */
  'credited',
  /** Kept by the risk check, for an operator to decide. */
  'held',
  /** The operator rejected it: the money stays on the held account. */
  'rejected',
  /** Final, and no invoice takes it: for an operator to credit or refund. */
  'stray',
  /** Disappeared before it was final: double-spend or reorganisation. */
  'dropped',
  /** Disappeared after it was credited or parked: posted back (safety.md U7). */
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
  /** The canonical block that holds it; null while it waits in the mempool or was orphaned. */
  readonly block: { readonly height: number; readonly hash: string } | null;
  /** Block time at which it was first seen: decides whether it counts (safety.md A1). Never changes. */
  readonly firstSeenAt: Date;
  /** Balance reconciliation found it: it is parked, never credited by itself (safety.md E6). */
  readonly unexplained: boolean;
  /** Height of the first block that may spend it, where its block is not enough: it is final no sooner (safety.md U4, U6). */
  readonly lockedUntil: number | null;
  /** Carries something besides the coin (CashTokens): it counts like any other, and is never spent as a plain coin (safety.md U8). */
  readonly encumbered: boolean;
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly invoiceId: string | null;
  /** Why no invoice takes it; kept when an operator credits it. */
  readonly strayReason: StrayReason | null;
  /** What the risk check or an operator said about it. For people: nothing compares it. */
  readonly note: string | null;
}

/** A payment within its chain, as a key of maps and sets. */
export const outputKey = ({ txid, output }: { readonly txid: string; readonly output: string }): string =>
  `${txid} ${output}`;

/** What names money that balances alone tell to have come to an address in a block: it has no transaction (safety.md E6). */
export const balanceKey = (chain: string, height: number, to: string) => ({
  txid: `balance:${chain}:${height}`,
  output: `balance:${to}`,
});

/** Whether only a trace shows it: what a contract paid, in a call of its own. */
export const isTraced = ({ output }: { readonly output: string }): boolean => output.startsWith('call:');
