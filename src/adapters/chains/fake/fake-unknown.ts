/**
 * What left the hot wallet of a fake chain without this gateway (safety.md K4), as a real chain's
 * scanner tells it.
 */
import { outpointText } from '../../../domain/chains/outpoint.ts';
import type { UnknownTransaction } from '../../../ports/chains/chain-scanner.ts';
import type { OwedPayment, WatchedSpending } from '../../../ports/chains/watch-list.ts';
import { withoutSigned } from '../shared/read/unknown.ts';
import type { FakeBlock, FakeTransaction } from './chain-state.ts';

/**
 * For each block. `counted`: whether the chain counts a wallet's transactions. `isKnown`: whether
 * an address was issued.
 */
export async function unknownIn(
  blocks: readonly FakeBlock[],
  spending: WatchedSpending | undefined,
  { counted, isKnown }: { counted: boolean; isKnown: (address: string) => boolean },
): Promise<readonly (readonly UnknownTransaction[])[]> {
  if (spending === undefined) return blocks.map(() => []);
  const { wallet } = spending;
  const transactions = blocks.flatMap((block) => block.transactions);
  const outpoints = transactions.flatMap(outpointsOf);
  const utxos = await spending.ours(outpoints);
  const owed = outpoints.length === 0 ? [] : await spending.owed();
  const change = await spending.change(
    transactions.flatMap(({ transfers }) => transfers.map(({ to }) => to)),
  );
  const isBack = (to: string): boolean => change.has(to) || to === wallet;
  /** Outputs of these blocks, which are not stored yet: the next block may spend them. */
  const fresh = new Set<string>();
  const ours = new Set<FakeTransaction>();
  for (const each of transactions) {
    const spends = outpointsOf(each).some((outpoint) => utxos.has(outpoint) || fresh.has(outpoint));
    if (spends || each.sending?.wallet === wallet) ours.add(each);
    const isSent = ours.has(each) || paysOwed(each, owed);
    for (const { txid, output, to } of each.transfers)
      if (isKnown(to) || (isSent && isBack(to))) fresh.add(`${txid}:${output.slice('vout:'.length)}`);
  }
  const sent = blocks.map((block) =>
    block.transactions.filter((each) => ours.has(each) || paysOwed(each, owed)),
  );
  const strange = await withoutSigned(spending, sent);
  return strange.map((ofBlock) =>
    ofBlock.map((each) => ({
      ...unknownOf(each, counted),
      harmless: each.transfers.every(({ to }) => isBack(to)),
      ...(ours.has(each) ? {} : { onlyPays: true }),
    })),
  );
}

/** On a UTXO chain. */
export const paysOwed = ({ spends, transfers }: FakeTransaction, owed: readonly OwedPayment[]): boolean =>
  spends !== undefined &&
  transfers.some(({ to, units }) => owed.some((payment) => payment.to === to && payment.units === units));

const outpointsOf = ({ spends = [] }: FakeTransaction): string[] => spends.map(outpointText);

function unknownOf(
  { txid, sending, receipt, offer, transfers }: FakeTransaction,
  counted: boolean,
): Omit<UnknownTransaction, 'harmless'> {
  return {
    txid,
    nonce: counted && sending ? sending.nonce : null,
    feeUnits: receipt?.feeUnits ?? offer?.feeUnits ?? null,
    payments: transfers.map(({ to, asset, units, output }) => {
      const vout = /^vout:(\d+)$/.exec(output)?.[1];
      return { to, asset, units, ...(vout === undefined ? {} : { vout: Number(vout) }) };
    }),
  };
}
