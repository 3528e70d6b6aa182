/** Balances of a chain where no node can tell one of its tokens: the rest is read all the same. */
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';

export interface ReadableAssets {
  /** By asset: why it could not be read. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** Those left. */
  readable(): readonly string[];
  /**
   * What `ask` answers for all that can be read. What it cannot answer for an asset alone, though for the coin, is left out from then on.
   * Throws what it throws for the coin, and for all that is left.
   */
  read<T>(ask: (assets: readonly string[]) => Promise<T>): Promise<T>;
}

/** Of `assets`, the chain's own coin among them. */
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
        // The nodes may be away.
        await ask([nativeAsset]);
        unreadable.set(asset, problem);
      }
      return ask(readable());
    },
  };
}
