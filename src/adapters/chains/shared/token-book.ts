/**
 * The listed tokens of a chain, each held against the chain before use, since amounts of a contract that is another one than
 * the catalog's would be wrong by powers of ten (safety.md E9). That a contract fits is remembered. That it does not is never:
 * a node that has not come so far yet, or that lies, would hide every deposit of it. It is asked about again each time, and
 * believed only as long as every node that answers says so.
 */
import type { UnscannedAsset } from '../../../ports/chains/chain-scanner.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import { NodeLagging } from './nodes/node-errors.ts';
import type { NodePool } from './nodes/node-pool.ts';

/** What a node says about a listed token: what is used of it, or why it is not. */
export type TokenVerdict<Token> = { readonly fits: Token } | { readonly fault: string };

export interface TokenBook<Node, Token> {
  /**
   * The tokens that can be used, by contract. `node` is asked about those that no node called fit before; NodeLagging when another
   * one contradicts it. To be asked once the node has the blocks that are read, so that its state is not older than they are.
   */
  usable(node: Node): Promise<ReadonlyMap<string, Token>>;
  /** What was found last; empty before the first call. */
  faults(): readonly UnscannedAsset[];
}

/** `check` answers a verdict for each of the tokens that it is given, in order. Throws for a contract that is listed twice. */
export function heldAgainstChain<
  Node extends { readonly label: string },
  Listing extends { readonly asset: string; readonly key: string },
  Token,
>(options: {
  chain: string;
  /** `key`: the contract, as blocks name it. */
  tokens: readonly Listing[];
  pool: Pick<NodePool<Node>, 'size' | 'every'>;
  logger: Logger;
  check: (node: Node, tokens: readonly Listing[]) => Promise<readonly TokenVerdict<Token>[]>;
}): TokenBook<Node, Token> {
  const { chain, tokens, pool, logger, check } = options;
  if (new Set(tokens.map(({ key }) => key)).size !== tokens.length)
    throw new Error(`${chain}: one contract is listed for two assets`);
  const fit = new Map<string, Token>();
  let faults: readonly UnscannedAsset[] = [];

  function tell(found: readonly UnscannedAsset[]): void {
    for (const { asset, reason } of found)
      if (!faults.some((known) => known.asset === asset))
        logger.error('asset.contract_unfit', { chain, asset, reason });
    for (const { asset } of faults)
      if (!found.some((still) => still.asset === asset))
        logger.warn('asset.contract_fits', {
          chain,
          asset,
        });
    faults = found;
  }

  async function usable(node: Node): Promise<ReadonlyMap<string, Token>> {
    const open = tokens.filter(({ key }) => !fit.has(key));
    if (open.length === 0) return fit;
    const verdicts = await check(node, open);
    const unfit: { readonly listing: Listing; readonly reason: string }[] = [];
    for (const [position, listing] of open.entries()) {
      const verdict = verdicts[position]!;
      if ('fits' in verdict) fit.set(listing.key, verdict.fits);
      else unfit.push({ listing, reason: verdict.fault });
    }
    const listings = unfit.map(({ listing }) => listing);
    const others =
      unfit.length === 0 || pool.size === 1 ? [] : await pool.every((other) => check(other, listings));
    const denied = unfit.find((_, position) => others.some((other) => 'fits' in other[position]!));
    if (denied !== undefined)
      throw new NodeLagging(
        `${node.label}: another node contradicts what it says of a contract: ${denied.reason}`,
      );
    tell(unfit.map(({ listing: { asset }, reason }) => ({ asset, reason })));
    return fit;
  }

  return { usable, faults: () => faults };
}
