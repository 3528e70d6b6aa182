/** Money in a hot wallet that no decision was made on. */
import type { Repositories } from '../../ports/repositories.ts';

/** Native base units in blocks up to `height` that lie in the hot wallet and that nobody decided on. */
export async function undecidedUnits(
  { deposits, utxos }: Repositories,
  { chain, nativeAsset, height }: { chain: string; nativeAsset: string; height: number },
): Promise<bigint> {
  const tagged = await deposits.undecidedUnits({ chain, asset: nativeAsset, height });
  return tagged + (await utxos.unbookedUnits(chain, height));
}
