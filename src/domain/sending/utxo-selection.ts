/**
 * Which UTXOs pay an amount, where a chain has UTXOs instead of balances: a set that needs no
 * change if there is a cheap one (branch and bound), else the largest first, with the last of them
 * as small as will do. Exact in the fee of every number of UTXOs; all UTXOs cost the same to spend.
 */

/** What spending costs at one price, in base units. */
export interface SpendingCosts {
  /**
   * Fee of a transaction that spends `utxos` UTXOs and pays what is to be paid; it grows with the
   * UTXOs.
   */
  fee(utxos: number, withChange: boolean): bigint;
  /** Fee of spending one more UTXO, at most. */
  readonly coinFee: bigint;
  /** Change below this is not given: it would be dust, or cost more to spend than it is worth. */
  readonly leastChange: bigint;
  /**
   * What change should have beyond that, so that a transaction of `utxos` UTXOs can be given a
   * higher fee later.
   */
  headroom(utxos: number): bigint;
  /** Most UTXOs that one transaction can spend. */
  readonly utxosMax: number;
}

/** Sets that the search for one without change looks at, at most: some ten milliseconds. */
const TRIES_MAX = 10_000;

/**
 * The UTXOs to spend so that `amount` and the fee are paid; null when there are not enough. Change
 * has its headroom if any choice gives it that. Without change all that is left is fee: less than
 * the bytes of change cost and the least it may be.
 */
export function selectUtxos<C extends { readonly units: bigint }>(
  utxos: readonly C[],
  amount: bigint,
  costs: SpendingCosts,
): readonly C[] | null {
  const worthIt = utxos
    .filter(({ units }) => units > costs.coinFee)
    .toSorted((a, b) => (a.units > b.units ? -1 : a.units < b.units ? 1 : 0));
  const needs = {
    roomyChange: (spent: number) =>
      amount + costs.fee(spent, true) + costs.leastChange + costs.headroom(spent),
    anyChange: (spent: number) => amount + costs.fee(spent, true) + costs.leastChange,
    noChange: (spent: number) => amount + costs.fee(spent, false),
  };
  const withChange =
    largestFirst(worthIt, needs.roomyChange, costs) ?? largestFirst(worthIt, needs.anyChange, costs);
  const dearest = withChange === null ? null : costs.fee(withChange.length, true) + costs.coinFee;
  return (
    withoutChange(worthIt, { need: needs.noChange, amount, dearest }, costs) ??
    withChange ??
    largestFirst(worthIt, needs.noChange, costs)
  );
}

/**
 * As few UTXOs as reach `need`, which depends on their number; the last one is the smallest that
 * still reaches it.
 */
function largestFirst<C extends { readonly units: bigint }>(
  descending: readonly C[],
  need: (utxos: number) => bigint,
  { utxosMax }: SpendingCosts,
): readonly C[] | null {
  let sum = 0n;
  for (const [index, utxo] of descending.slice(0, utxosMax).entries()) {
    const rest = need(index + 1) - sum;
    sum += utxo.units;
    if (utxo.units < rest) continue;
    return [...descending.slice(0, index), descending.findLast(({ units }) => units >= rest)!];
  }
  return null;
}

/**
 * The set that reaches `need` with the least left over, too little for change. One that pays more
 * in all than `dearest` is not looked for: few UTXOs with change, which is spent later, are cheaper
 * then.
 */
function withoutChange<C extends { readonly units: bigint }>(
  descending: readonly C[],
  goal: { need: (utxos: number) => bigint; amount: bigint; dearest: bigint | null },
  costs: SpendingCosts,
): readonly C[] | null {
  const { need, amount, dearest } = goal;
  /** What all UTXOs from an index on are together. */
  const remaining = [0n];
  for (const { units } of descending.toReversed()) remaining.unshift(remaining[0]! + units);

  const chosen: number[] = [];
  let best: { readonly indexes: readonly number[]; readonly excess: bigint } | null = null;
  let tries = 0;

  const isTooMuch = (sum: bigint, spent: number): boolean =>
    sum >= amount + costs.fee(spent, true) + costs.leastChange ||
    (dearest !== null && sum > amount + dearest);
  /** As large as the UTXO before it, which leads to the same sets in the same place. */
  const isRepeated = (index: number): boolean => descending[index]!.units === descending[index - 1]!.units;

  function keepIfBetter(excess: bigint): void {
    if (best === null || excess < best.excess) best = { indexes: [...chosen], excess };
  }

  function visit(index: number, sum: bigint): void {
    if (tries++ >= TRIES_MAX || best?.excess === 0n) return;
    const excess = sum - need(chosen.length);
    if (isTooMuch(sum, chosen.length)) return;
    if (excess >= 0n && chosen.length > 0) {
      keepIfBetter(excess);
      return;
    }
    if (chosen.length >= costs.utxosMax || excess + remaining[index]! < 0n) return;
    for (let next = index; next < descending.length; next++) {
      if (next > index && isRepeated(next)) continue;
      if (excess + remaining[next]! < 0n || tries >= TRIES_MAX) return;
      chosen.push(next);
      visit(next + 1, sum + descending[next]!.units);
      chosen.pop();
    }
  }

  visit(0, 0n);
  // the search assigns inside a closure, which the compiler does not follow
  const found = best as { readonly indexes: readonly number[] } | null;
  return found === null ? null : found.indexes.map((index) => descending[index]!);
}
