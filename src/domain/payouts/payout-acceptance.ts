/**
 * Which payout requests are accepted. They are decided in order, each against the X-Uniq-Ids and
 * the balance that earlier ones left, so that grouping makes no difference. Pure.
 */

/** Most payouts that are ordered together. */
export const PAYOUTS_PER_BATCH = 200;

/** What a request created: returned to a later one with the same X-Uniq-Id (decision 0003). */
export type UniqIdResult = { readonly order_id: string } | { readonly batch_id: string };

export interface UniqIdClaim {
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly uniqId: string;
  /** From then on the X-Uniq-Id is used: the request's time, or the chains' if that is earlier. */
  readonly at: Date;
  /** From then on the X-Uniq-Id may be used again. */
  readonly expiresAt: Date;
  /** A batch always uses its X-Uniq-Id, a single payout only if it is accepted. */
  readonly creates: UniqIdResult;
}

export interface PayoutToDecide {
  /** Whether its destination is one of this gateway's addresses. */
  readonly ownAddress: boolean;
  /** What it takes from the balance; null if a rule refused it before that. */
  readonly reservedMicroUsd: bigint | null;
}

export type ItemOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'own_address' }
  /** Refused by a rule that the caller checked. */
  | { readonly kind: 'refused' }
  /** The balance that was left for it is too small. */
  | { readonly kind: 'insufficient'; readonly availableMicroUsd: bigint };

export type PayoutOutcome =
  | { readonly kind: 'duplicate'; readonly created: UniqIdResult }
  /** Per item, in order. Unless `usesUniqId`, nothing is written and the X-Uniq-Id stays unused. */
  | { readonly kind: 'decided'; readonly usesUniqId: boolean; readonly items: readonly ItemOutcome[] };

/** Balances and used X-Uniq-Ids before the first request. */
export interface PayoutContext {
  /** Micro-USD; zero without a balance. */
  available(of: { merchantId: string; sandbox: boolean }): bigint;
  /** The X-Uniq-Id's latest use. */
  used(of: UniqIdClaim): { readonly expiresAt: Date; readonly created: UniqIdResult } | null;
}

export function decidePayouts(
  requests: readonly { readonly claim: UniqIdClaim; readonly items: readonly PayoutToDecide[] }[],
  context: PayoutContext,
): readonly PayoutOutcome[] {
  const left = new Map<string, bigint>();
  const uses = new Map<string, UniqIdClaim>();
  return requests.map(({ claim, items }) => {
    const scope = scopeKey(claim);
    const key = uniqIdKey(claim);
    const earlier = uses.get(key);
    const use = earlier ? { expiresAt: earlier.expiresAt, created: earlier.creates } : context.used(claim);
    if (use !== null && use.expiresAt.getTime() > claim.at.getTime())
      return { kind: 'duplicate', created: use.created };

    let available = left.get(scope) ?? context.available(claim);
    const outcomes = items.map(({ ownAddress, reservedMicroUsd }): ItemOutcome => {
      if (ownAddress) return { kind: 'own_address' };
      if (reservedMicroUsd === null) return { kind: 'refused' };
      if (available < reservedMicroUsd) return { kind: 'insufficient', availableMicroUsd: available };
      available -= reservedMicroUsd;
      return { kind: 'accepted' };
    });
    left.set(scope, available);
    const usesUniqId = 'batch_id' in claim.creates || outcomes.some(({ kind }) => kind === 'accepted');
    if (usesUniqId) uses.set(key, claim);
    return { kind: 'decided', usesUniqId, items: outcomes };
  });
}

/**
 * The claim by both clocks: it begins at the earlier and ends at the later, so that a clock that
 * jumps frees no X-Uniq-Id (safety.md K7). `chainTime`: the latest of all chains; null without one.
 */
export function byEveryClock<Claim extends UniqIdClaim>(claim: Claim, chainTime: Date | null): Claim {
  if (claim.sandbox || chainTime === null) return claim;
  const [at, chain] = [claim.at.getTime(), chainTime.getTime()];
  const keptMs = claim.expiresAt.getTime() - at;
  return { ...claim, at: new Date(Math.min(at, chain)), expiresAt: new Date(Math.max(at, chain) + keptMs) };
}

/** A merchant has a balance per environment. */
export function scopeKey(of: { merchantId: string; sandbox: boolean }): string {
  return `${of.merchantId} ${of.sandbox}`;
}

/** An X-Uniq-Id is valid per merchant and environment. */
export function uniqIdKey(of: { merchantId: string; sandbox: boolean; uniqId: string }): string {
  return `${scopeKey(of)} ${of.uniqId}`;
}
