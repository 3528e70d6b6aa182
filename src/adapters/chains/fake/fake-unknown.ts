/**
 * What left the hot wallet of a fake chain without this gateway (safety.md K4), as a real chain's
 * scanner tells it.
 */
import { outpointText } from '../../../domain/chains/outpoint.ts';
import type { UnknownTransaction } from '../../../ports/chains/chain-scanner.ts';
import type { OwedPayment, WatchedSpending } from '../../../ports/chains/watch-list.ts';
import { withoutSigned } from '../shared/read/unknown.ts';
import type { FakeBlock, FakeTransaction } from './chain-state.ts';

/** For each block. `counted`: whether the chain counts a wallet's transactions. */
export async function unknownIn(
  blocks: readonly FakeBlock[],
  spending: WatchedSpending | undefined,
  counted: boolean,
): Promise<readonly (readonly UnknownTransaction[])[]> {
  if (spending === undefined) return blocks.map(() => []);
  const transactions = blocks.flatMap((block) => block.transactions);
  const outpoints = transactions.flatMap(outpointsOf);
  const utxos = await spending.ours(outpoints);
  const owed = outpoints.length === 0 ? [] : await spending.owed();
  const isOurs = (each: FakeTransaction): boolean =>
    each.sending?.wallet === spending.wallet || outpointsOf(each).some((outpoint) => utxos.has(outpoint));
  const sent = blocks.map((block) =>
    block.transactions.filter((each) => isOurs(each) || paysOwed(each, owed)),
  );
  const change = await spending.change(sent.flat().flatMap(({ transfers }) => transfers.map(({ to }) => to)));
  const strange = await withoutSigned(spending, sent);
  return strange.map((ofBlock) =>
    ofBlock.map((each) => {
      const left = each.transfers.filter(({ to }) => !change.has(to) && to !== spending.wallet);
      return {
        ...unknownOf(each, counted),
        harmless: left.length === 0,
        ...(isOurs(each) ? {} : { onlyPays: true }),
      };
    }),
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
