/**
 * Compares the unspent UTXOs in the records with the chain's: one that the chain lacks was spent
 * without the gateway.
 */
import { outpointText } from '../../domain/chains/outpoint.ts';
import type { UnitOfWork } from '../../ports/repositories.ts';
import type { Utxo, UtxoSpending } from '../../ports/sending/utxo-spending.ts';

const PAGE = 200;

/**
 * UTXOs that were booked as spent without the gateway, and that the chain has unspent again: a
 * reorganisation undid what spent them.
 */
export async function unspentAgain(
  { unitOfWork }: { unitOfWork: UnitOfWork },
  { chain, utxos }: { chain: string; utxos: UtxoSpending },
): Promise<readonly Utxo[]> {
  const found: Utxo[] = [];
  for (let after: Utxo | null = null; ; ) {
    const of: { inBlock: true; after: Utxo | null; limit: number } = { inBlock: true, after, limit: PAGE };
    const { page, height } = await unitOfWork.run(async (repositories) => ({
      page: await repositories.utxos.spentOutside(chain, of),
      height: (await repositories.chains.cursor(chain))?.height ?? 0,
    }));
    const there = page.length === 0 ? [] : await utxos.unspent(page, height);
    found.push(...page.filter((_, position) => there[position]));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return found;
    after = last;
  }
}

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
