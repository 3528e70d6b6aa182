/**
 * Compares the unspent UTXOs in the records with the chain's: one that the chain lacks was spent
 * without the gateway.
 */
import { outpointText } from '../../domain/chains/outpoint.ts';
import type { UnitOfWork } from '../../ports/repositories.ts';
import type { Utxo, UtxoSpending } from '../../ports/sending/utxo-spending.ts';

const PAGE = 200;

/** UTXOs that the chain lacks, up to `most`, and how many were checked. */
export async function missingUtxos(
  deps: { unitOfWork: UnitOfWork },
  on: { chain: string; utxos: UtxoSpending },
  { most, progress }: { most: number; progress?: (checked: number) => void },
): Promise<{ missing: readonly Utxo[]; checked: number }> {
  const { chain, utxos } = on;
  /** With the height up to which the chain was read: no UTXO is of a later block. */
  const pageAfter = (after: Utxo | null) =>
    deps.unitOfWork.run(async (repositories) => ({
      page: await repositories.utxos.standing(chain, { after, limit: PAGE }),
      height: (await repositories.chains.cursor(chain))?.height ?? 0,
    }));
  const missing: Utxo[] = [];
  let checked = 0;
  for (let after: Utxo | null = null; ; ) {
    const { page, height }: { page: readonly Utxo[]; height: number } = await pageAfter(after);
    const there = await utxos.unspent(page, height);
    const doubtful = page.filter((_, position) => !there[position]);
    // A batch may have been signed between the two questions: the UTXOs it spends no longer count.
    const still =
      doubtful.length === 0 ? new Set() : new Set((await pageAfter(after)).page.map(outpointText));
    missing.push(...doubtful.filter((utxo) => still.has(outpointText(utxo))));
    checked += page.length;
    progress?.(checked);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE || missing.length >= most) break;
    after = last;
  }
  return { missing: missing.slice(0, most), checked };
}
