/** Money in a hot wallet that is not identified yet. */
import type { Repositories } from '../../ports/repositories.ts';

/**
 * Native base units of deposits and UTXOs in the hot wallet, in blocks up to `height`, that are not
 * decided on yet.
 */
export async function undecidedUnits(
  { deposits, utxos }: Repositories,
  { chain, nativeAsset, height }: { chain: string; nativeAsset: string; height: number },
): Promise<bigint> {
  const tagged = await deposits.undecidedUnits({ chain, asset: nativeAsset, height });
  return tagged + (await utxos.unbookedUnits(chain, height));
}
