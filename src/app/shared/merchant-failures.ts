/**
 * Sets of many merchants, of one of whom something is locked for long: what somebody has locked
 * costs each of its items a wait (SET_LOCKS).
 */

/** Items of a merchant that fail in a run before its others are left to the next one. */
const FAILED_AT_MOST = 3;

/** Of one run. */
export interface MerchantFailures {
  note(merchantId: string): void;
  /** All but those of merchants whose other items wait for the next run. */
  left<One extends { readonly merchantId: string }>(items: readonly One[]): readonly One[];
}

export function merchantFailures(): MerchantFailures {
  const failures = new Map<string, number>();
  const failed = (merchantId: string): number => failures.get(merchantId) ?? 0;
  return {
    note: (merchantId) => void failures.set(merchantId, failed(merchantId) + 1),
    left: (items) => items.filter(({ merchantId }) => failed(merchantId) < FAILED_AT_MOST),
  };
}

/** Those of a merchant beside each other, so that few halves of a set have some. */
export function byMerchant<One extends { readonly merchantId: string }>(
  items: readonly One[],
): readonly (readonly One[])[] {
  return [...Map.groupBy(items, ({ merchantId }) => merchantId).values()];
}
