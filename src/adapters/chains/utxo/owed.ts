/** Transactions that are known by what they pay, whatever they spend: an older database does not know all coins of ours (safety.md K4). */
import type { OwedPayment } from '../../../ports/chain-scanner.ts';
import { inChunks } from '../shared/chunks.ts';
import { addressOf } from './address.ts';
import type { Mempool, UtxoBackend } from './backend.ts';
import type { UtxoNetwork } from './network.ts';
import type { RawTransaction } from './transaction.ts';
import { readable } from './waiting-payments.ts';

const FETCHED_AT_ONCE = 500;

/** The places of those that it pays, each by one output of just those units. */
export function paidBy(
  { outputs }: RawTransaction,
  network: UtxoNetwork,
  owed: readonly OwedPayment[],
): readonly number[] {
  if (owed.length === 0) return [];
  const units = new Set(owed.map((payment) => payment.units));
  // Most outputs differ by their units already.
  const paid = outputs.flatMap((output) =>
    units.has(output.units) ? [{ units: output.units, to: addressOf(network, output.script) }] : [],
  );
  return [...owed.keys()].filter((place) =>
    paid.some((each) => each.units === owed[place]!.units && each.to === owed[place]!.to),
  );
}

/** For each of `owed` the ids of waiting transactions that pay it; where the source lists not all that waits, by its recipients. */
export async function waitingPaying(
  network: UtxoNetwork,
  { mempool, rawTransactions }: { mempool: Mempool; rawTransactions: UtxoBackend['rawTransactions'] },
  owed: readonly OwedPayment[],
): Promise<readonly (readonly string[])[]> {
  const found = owed.map((): string[] => []);
  if (owed.length === 0) return found;
  const waiting = new Set<string>();
  if ('list' in mempool) for (const txid of await mempool.list()) waiting.add(txid);
  else
    for (const to of new Set(owed.map((payment) => payment.to)))
      for (const txid of await mempool.ofAddress(to)) waiting.add(txid);
  for (const some of inChunks([...waiting], FETCHED_AT_ONCE))
    for (const raw of await rawTransactions(some)) {
      const transaction = raw && readable(network, raw);
      if (transaction === null) continue;
      for (const place of paidBy(transaction, network, owed)) found[place]!.push(transaction.txid());
    }
  return found;
}
