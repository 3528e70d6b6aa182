/** Which receipts decide about payments in blocks that were read, and what they confirm. */
import type { Transfer } from '../../../../ports/chains/chain-scanner.ts';
import type { NodeBlock, NodeReceipt, NodeTransaction } from '../decode.ts';
import type { WantedReceipt } from './receipts.ts';

/** The receipts that decide about payments to `known`, and that balances of `comparing` need. */
export function receiptsWanted(
  blocks: readonly NodeBlock[],
  on: {
    readonly unlisted: readonly ReadonlySet<string>[];
    readonly known: ReadonlySet<string>;
    readonly comparing: readonly string[];
  },
): readonly WantedReceipt[] {
  const moving = paysOneOf(new Set(on.comparing));
  const pays = ({ value, to }: NodeTransaction): boolean => value > 0n && to !== null && on.known.has(to);
  return blocks.flatMap((block, position) => [
    ...block.transactions
      .filter((each) => moving(each) || pays(each))
      .map(({ hash }) => ({ txid: hash, block })),
    ...[...on.unlisted[position]!].map((txid) => ({ txid, block })),
  ]);
}

/**
 * Payments to `known`, in the order of the block. Receipts decide about the coin, and about
 * unlisted transactions.
 */
export function confirmedAmong(
  candidates: readonly Transfer[],
  { transactions }: NodeBlock,
  on: {
    readonly unlisted: ReadonlySet<string>;
    readonly known: ReadonlySet<string>;
    readonly receipts: ReadonlyMap<string, NodeReceipt>;
  },
): readonly Transfer[] {
  const order = new Map(transactions.map(({ hash }, index) => [hash, index]));
  const placeOf = ({ txid }: Transfer): number => order.get(txid) ?? transactions.length;
  return candidates
    .filter(
      ({ to, txid, output }) =>
        on.known.has(to) &&
        ((output !== 'native' && !on.unlisted.has(txid)) || on.receipts.get(txid)?.succeeded === true),
    )
    .toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Whether a transaction moves the native coin of one of `addresses`. Its fee does too. */
export const paysOneOf =
  (addresses: ReadonlySet<string>) =>
  ({ from, to, value }: NodeTransaction): boolean =>
    addresses.has(from) || (value > 0n && to !== null && addresses.has(to));

/**
 * Transactions that pay a known address by a log, but are not in their block. For a long time
 * Polygon listed none of those that bring money from another chain. Their receipts decide
 * (safety.md R3).
 */
export function unlistedAmong(
  { transactions }: NodeBlock,
  paid: readonly Transfer[],
  known: ReadonlySet<string>,
): ReadonlySet<string> {
  const listed = new Set(transactions.map(({ hash }) => hash));
  return new Set(paid.flatMap(({ txid, to }) => (known.has(to) && !listed.has(txid) ? [txid] : [])));
}
