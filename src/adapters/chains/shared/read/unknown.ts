/**
 * What our hot wallet sent in some blocks without this gateway (safety.md K4): the part that all
 * scanners share.
 */
import type { UnknownTransaction } from '../../../../ports/chains/chain-scanner.ts';
import type { WatchedSpending } from '../../../../ports/chains/watch-list.ts';

/**
 * Transactions of the wallet in each block, without those that this gateway signed. No query is
 * made where there is none.
 */
export async function withoutSigned<Sent extends { readonly txid: string }>(
  spending: WatchedSpending | undefined,
  blocks: readonly (readonly Sent[])[],
): Promise<readonly (readonly Sent[])[]> {
  const txids = blocks.flat().map(({ txid }) => txid);
  if (spending === undefined || txids.length === 0) return blocks.map(() => []);
  const signed = await spending.signed(txids);
  return blocks.map((sent) => sent.filter(({ txid }) => !signed.has(txid)));
}

/** For ScannedBlock. */
export function unknownField(unknown: readonly UnknownTransaction[] | undefined): {
  readonly unknown?: readonly UnknownTransaction[];
} {
  return unknown === undefined || unknown.length === 0 ? {} : { unknown };
}
