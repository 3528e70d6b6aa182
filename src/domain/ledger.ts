/**
 * Double entry. The postings of an entry add up to zero in each currency, and only the functions
 * below make entries. Accounts of what we owe are negative, accounts of what we hold are positive.
 */

/** USD in micros (10^-6), assets in base units. */
export type Account =
  /** The merchant's balance (USD): what we owe the merchant. */
  | 'merchant'
  /** Commission and rounding remainders (USD). */
  | 'fees'
  /** Deposits that the risk check stopped (USD). */
  | 'held'
  /** Reserved for unsettled payouts (USD). */
  | 'payouts_in_flight'
  /** Owed to customers for unsettled refunds (USD). */
  | 'refunds_in_flight'
  /** What we hold on-chain, per asset. */
  | 'treasury'
  /** Final deposits that are not credited yet, per asset. */
  | 'suspense'
  /** Network fees less what merchants were charged for them (USD): positive is a loss. */
  | 'network_fees'
  /** Owner funding: negative is put in, positive is taken out, per asset. */
  | 'capital'
  /** Ties asset amounts to their USD value: it has a balance in both. */
  | 'trading';

export interface Posting {
  readonly account: Account;
  /** `USD` or an asset key. */
  readonly currency: string;
  readonly amount: bigint;
}

export type EntryKind =
  | 'deposit_arrived'
  | 'deposit_departed'
  | 'income'
  | 'income_reversed'
  | 'hold'
  | 'hold_reversed'
  | 'payout_reserved'
  /** Taken from the merchant again, even below zero: the chain paid a failed payout after all. */
  | 'payout_retaken'
  | 'payout_settled'
  | 'payout_unsettled'
  | 'payout_released'
  /** The network fee of a payout's transaction that had no effect (safety.md G2). */
  | 'payout_fee_charged'
  | 'payout_fee_returned'
  | 'refund'
  | 'refund_settled'
  | 'refund_unsettled'
  | 'refund_reversed'
  | 'refund_fee_charged'
  | 'refund_fee_returned'
  | 'network_fee'
  | 'network_fee_reversed'
  | 'capital'
  /** The operator's money went to the cold address. */
  | 'forward'
  | 'forward_reversed';

/** Throws if the postings do not add up to zero in each currency: a bug. */
export function balanced(postings: readonly Posting[]): readonly Posting[] {
  const sums = new Map<string, bigint>();
  for (const { currency, amount } of postings) sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  for (const [currency, sum] of sums) {
    if (sum !== 0n) throw new Error(`unbalanced entry: ${currency} is off by ${sum}`);
  }
  return postings.filter((posting) => posting.amount !== 0n);
}

/** A deposit is final: we hold it, and it is not credited yet. */
export function depositArrived(asset: string, units: bigint): readonly Posting[] {
  return balanced([
    { account: 'treasury', currency: asset, amount: units },
    { account: 'suspense', currency: asset, amount: -units },
  ]);
}

export interface CreditValue {
  readonly asset: string;
  /** Received = credited + fee, in base units. */
  readonly creditedUnits: bigint;
  readonly feeUnits: bigint;
  /** Value of the received units and of the credited part, in micro-USD. */
  readonly receivedMicroUsd: bigint;
  readonly creditedMicroUsd: bigint;
}

/** A deposit is credited: out of suspense, into the merchant's balance and the fee account. */
export function income(value: CreditValue): readonly Posting[] {
  const units = value.creditedUnits + value.feeUnits;
  return balanced([
    { account: 'suspense', currency: value.asset, amount: units },
    { account: 'trading', currency: value.asset, amount: -units },
    { account: 'trading', currency: 'USD', amount: value.receivedMicroUsd },
    { account: 'merchant', currency: 'USD', amount: -value.creditedMicroUsd },
    { account: 'fees', currency: 'USD', amount: value.creditedMicroUsd - value.receivedMicroUsd },
  ]);
}

/** The risk check stops a deposit: out of suspense, into the held account. */
export function hold(value: { asset: string; units: bigint; microUsd: bigint }): readonly Posting[] {
  return balanced([
    { account: 'suspense', currency: value.asset, amount: value.units },
    { account: 'trading', currency: value.asset, amount: -value.units },
    { account: 'trading', currency: 'USD', amount: value.microUsd },
    { account: 'held', currency: 'USD', amount: -value.microUsd },
  ]);
}

/** A payout is accepted: its amount and fee leave the available balance. */
export function payoutReserved(microUsd: bigint): readonly Posting[] {
  return balanced([
    { account: 'merchant', currency: 'USD', amount: microUsd },
    { account: 'payouts_in_flight', currency: 'USD', amount: -microUsd },
  ]);
}

/**
 * A payout or refund is paid on-chain: `units` left the treasury. `feeMicroUsd` of its reserve was
 * charged for the network fee; the real network fee is an entry of its own (networkFee).
 */
export function paidOut(value: {
  reserve: 'payouts_in_flight' | 'refunds_in_flight';
  asset: string;
  units: bigint;
  reservedMicroUsd: bigint;
  feeMicroUsd: bigint;
}): readonly Posting[] {
  return balanced([
    { account: value.reserve, currency: 'USD', amount: value.reservedMicroUsd },
    { account: 'network_fees', currency: 'USD', amount: -value.feeMicroUsd },
    { account: 'trading', currency: 'USD', amount: value.feeMicroUsd - value.reservedMicroUsd },
    { account: 'trading', currency: value.asset, amount: value.units },
    { account: 'treasury', currency: value.asset, amount: -value.units },
  ]);
}

/** The network took its fee for a transaction of ours. */
export function networkFee(value: { asset: string; units: bigint; microUsd: bigint }): readonly Posting[] {
  return balanced([
    { account: 'treasury', currency: value.asset, amount: -value.units },
    { account: 'trading', currency: value.asset, amount: value.units },
    { account: 'trading', currency: 'USD', amount: -value.microUsd },
    { account: 'network_fees', currency: 'USD', amount: value.microUsd },
  ]);
}

/** The merchant is charged the network fee of a transaction that had no effect (safety.md G2). */
export function feeChargedPostings(microUsd: bigint): readonly Posting[] {
  return balanced([
    { account: 'merchant', currency: 'USD', amount: microUsd },
    { account: 'network_fees', currency: 'USD', amount: -microUsd },
  ]);
}

/** Owner funding of one of our wallets (negative: withdrawal). */
export function capital(asset: string, units: bigint): readonly Posting[] {
  return balanced([
    { account: 'treasury', currency: asset, amount: units },
    { account: 'capital', currency: asset, amount: -units },
  ]);
}

/** An invoice is refunded from the merchant's balance. */
export function refund(microUsd: bigint): readonly Posting[] {
  return balanced([
    { account: 'merchant', currency: 'USD', amount: microUsd },
    { account: 'refunds_in_flight', currency: 'USD', amount: -microUsd },
  ]);
}

/** The compensating postings of an entry; nothing is ever deleted. */
export function reversed(postings: readonly Posting[]): readonly Posting[] {
  return postings.map((posting) => ({ ...posting, amount: -posting.amount }));
}

/**
 * How an entry moves the merchant's summary: available = total_income - total_payouts - refunds
 * (decision 0006).
 */
export interface BalanceSummary {
  readonly incomeMicroUsd: bigint;
  readonly payoutsMicroUsd: bigint;
  readonly refundsMicroUsd: bigint;
}

export function availableMicroUsd(summary: BalanceSummary): bigint {
  return summary.incomeMicroUsd - summary.payoutsMicroUsd - summary.refundsMicroUsd;
}
