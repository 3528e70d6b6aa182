/**
 * What spends our UTXOs without this gateway (safety.md K4), block by block in a range: the outputs
 * of one may be spent in the next.
 */
import { outpointText } from '../../../../domain/chains/outpoint.ts';
import type { Transfer, UnknownPayment, UnknownTransaction } from '../../../../ports/chains/chain-scanner.ts';
import type { OwedPayment, WatchedSpending } from '../../../../ports/chains/watch-list.ts';
import { addressOf } from '../codec/address.ts';
import type { RawTransaction } from '../codec/transaction.ts';
import type { UtxoNetwork } from '../network.ts';
import { paidBy } from './owed.ts';

/** Called for each block of a range, in order, with the payments to us that were found in it. */
export type UnknownSpends = (
  transactions: readonly RawTransaction[],
  received: readonly Transfer[],
) => Promise<readonly UnknownTransaction[]>;

export function unknownSpends(
  spending: WatchedSpending | undefined,
  on: { network: UtxoNetwork; asset: string },
): UnknownSpends {
  const { network } = on;
  if (spending === undefined) return async () => [];
  /** Outputs of this range, which are not stored yet. */
  const fresh = new Set<string>();
  let owed: readonly OwedPayment[] | null = null;
  return async (transactions, received) => {
    for (const { txid, output } of received) fresh.add(`${txid}:${output.slice('vout:'.length)}`);
    const spent = transactions.map((transaction) => transaction.inputs().map(outpointText));
    const ours = await spending.ours(spent.flat());
    owed ??= await spending.owed();
    const found: UnknownTransaction[] = [];
    for (const [position, transaction] of transactions.entries()) {
      const isOurs = spent[position]!.some((outpoint) => ours.has(outpoint) || fresh.has(outpoint));
      if (!isOurs && paidBy(transaction, network, owed).length === 0) continue;
      const txid = transaction.txid();
      if ((await spending.signed([txid])).size > 0) continue;
      const payments = paymentsOf(transaction, on);
      const change = await spending.change(payments.map(({ to }) => to));
      const back = payments.filter(({ to }) => change.has(to) || to === spending.wallet);
      for (const { vout } of back) fresh.add(outpointText({ txid, vout }));
      const harmless = back.length === payments.length;
      found.push({
        ...{ txid, nonce: null, feeUnits: null, payments, harmless },
        ...(isOurs ? {} : { onlyPays: true }),
      });
    }
    return found;
  };
}

function paymentsOf(
  { outputs }: RawTransaction,
  { network, asset }: { network: UtxoNetwork; asset: string },
): (UnknownPayment & { readonly vout: number })[] {
  return outputs.flatMap(({ units, script }, vout) => {
    const to = addressOf(network, script);
    return to === null || units === 0n ? [] : [{ to, asset, units, vout }];
  });
}
