/**
 * Double entry. An entry is a set of postings that sums to zero in every currency; the builders below are the only
 * places that make entries. Accounts that we owe on are negative, what we hold is positive.
 */

/** USD is held in micros (10^-6); an asset in its base units. */
export type Account =
  /** The merchant's balance (USD): what we owe the merchant. */
  | 'merchant'
  /** Commission and rounding remainders (USD). */
  | 'fees'
  /** Money the risk check keeps (USD). */
  | 'held'
  /** Reserved for payouts that are not settled (USD). */
  | 'payouts_in_flight'
  /** Owed to customers for refunds not sent yet (USD). */
  | 'refunds_in_flight'
  /** What we hold on-chain, per asset. */
  | 'treasury'
  /** Arrived and final, not credited to anybody yet, per asset. */
  | 'suspense'
  /** What sending cost the gateway, less what merchants were charged for it (USD): positive is a loss. */
  | 'network_fees'
  /** What the operator put in, or (positive) took out, per asset. */
  | 'capital'
  /** Ties asset amounts to their USD value; has a balance in both currencies. */
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
  /** Taken from the merchant again, also below zero: the chain paid what had failed. */
  | 'payout_retaken'
  | 'payout_settled'
  | 'payout_unsettled'
  | 'payout_released'
  /** What the network took for a transaction of the payout without effect (safety.md G2). */
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
  | 'capital';

/** Postings of an entry that does not sum to zero per currency are a bug and throw. */
export function balanced(postings: readonly Posting[]): readonly Posting[] {
  const sums = new Map<string, bigint>();
  for (const { currency, amount } of postings) sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  for (const [currency, sum] of sums) {
    if (sum !== 0n) throw new Error(`unbalanced entry: ${currency} is off by ${sum}`);
  }
  return postings.filter((posting) => posting.amount !== 0n);
}

/** A deposit is final on its chain: we hold it, and owe its purpose. */
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

/** The risk check keeps a deposit: out of suspense, into the held account. */
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
 * A payout or refund is paid on-chain: `units` left the treasury. Of what was reserved for it, `feeMicroUsd` was charged for
 * the network's fee; what the network really took is an entry of its own (networkFee).
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

/** The merchant bears what the network took (networkFee) for a transaction of his without effect (safety.md G2). */
export function feeCharged(microUsd: bigint): readonly Posting[] {
  return balanced([
    { account: 'merchant', currency: 'USD', amount: microUsd },
    { account: 'network_fees', currency: 'USD', amount: -microUsd },
  ]);
}

/** The operator put money into a wallet of ours (negative: took some out). */
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

/** How an entry moves the merchant's summary: available = total_income - total_payouts - refunds (decision 0006). */
export interface BalanceSummary {
  readonly incomeMicroUsd: bigint;
  readonly payoutsMicroUsd: bigint;
  readonly refundsMicroUsd: bigint;
}

export function availableMicroUsd(summary: BalanceSummary): bigint {
  return summary.incomeMicroUsd - summary.payoutsMicroUsd - summary.refundsMicroUsd;
}
