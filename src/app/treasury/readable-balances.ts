/**
 * The balances of a chain where no node can read one of the tokens: the other assets are still
 * read.
 */
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';

export interface ReadableAssets {
  /** By asset: why it could not be read. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** The others. */
  readable(): readonly string[];
  /**
   * Returns the result of `ask` for all readable assets. An asset that fails alone, while the coin
   * succeeds, is left out from then on. Throws what `ask` throws for the coin, and for all that are
   * left.
   */
  read<T>(ask: (assets: readonly string[]) => Promise<T>): Promise<T>;
}

/** Of `assets`, which include the chain's own coin. */
export function readableAssets(nativeAsset: string, assets: readonly string[]): ReadableAssets {
  const unreadable = new Map<string, string>();
  const readable = () => assets.filter((asset) => !unreadable.has(asset));

  async function problemOf(problem: Promise<unknown>): Promise<string | null> {
    try {
      await problem;
      return null;
    } catch (error) {
      if (error instanceof ChainUnavailable) return error.message;
      throw error;
    }
  }

  return {
    unreadable,
    readable,
    async read(ask) {
      const asked = readable();
      const answer = ask(asked);
      if ((await problemOf(answer)) === null) return answer;
      for (const asset of asked) {
        const problem = asset === nativeAsset ? null : await problemOf(ask([asset]));
        if (problem === null) continue;
        // The nodes may be unavailable.
        await ask([nativeAsset]);
        unreadable.set(asset, problem);
      }
      return ask(readable());
    },
  };
}
