/**
 * The listed tokens of a chain, each checked against the chain before use: amounts of a wrong
 * contract would be wrong by powers of ten (safety.md E9). That a contract fits is remembered. That
 * it does not fit is never remembered: a node that lags or lies would hide every deposit of it.
 * Such a contract is checked again each time, and the fault counts only while every node that
 * answers reports it.
 */
import type { UnscannedAsset } from '../../../ports/chains/chain-scanner.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import { NodeLagging } from './nodes/node-errors.ts';
import type { NodePool } from './nodes/node-pool.ts';

/** A node's verdict on a listed token: its values, or why it cannot be used. */
export type TokenVerdict<Token> = { readonly fits: Token } | { readonly fault: string };

export interface TokenBook<Node, Token> {
  /**
   * The tokens that can be used, by contract. `node` is asked about those that no node has
   * confirmed before; NodeLagging when another one contradicts it. Call it once the node has the
   * blocks that are read, so that its state is not older than they are.
   */
  usable(node: Node): Promise<ReadonlyMap<string, Token>>;
  /** The faults found last; empty before the first call. */
  faults(): readonly UnscannedAsset[];
  /** Only these tokens. All parts share what is learnt of a token. */
  among(tokens: readonly { readonly asset: string }[]): TokenBook<Node, Token>;
}

/** ChainScanner.unscannedAssets of a scanner that reads these tokens. */
export async function unscannedOf<Node>(
  pool: Pick<NodePool<Node>, 'use'>,
  tokens: TokenBook<Node, unknown>,
): Promise<readonly UnscannedAsset[]> {
  await pool.use(tokens.usable);
  return tokens.faults();
}

interface TokenBookOptions<Node, Listing, Token> {
  readonly chain: string;
  /** `key`: the contract, as blocks name it. */
  readonly tokens: readonly Listing[];
  readonly pool: Pick<NodePool<Node>, 'size' | 'every'>;
  readonly logger: Logger;
  /** Returns a verdict for each of the given tokens, in order. */
  readonly check: (node: Node, tokens: readonly Listing[]) => Promise<readonly TokenVerdict<Token>[]>;
}

interface ListedAsset {
  readonly asset: string;
  readonly key: string;
}

interface TokenBookState<Node, Listing, Token> extends TokenBookOptions<Node, Listing, Token> {
  /** By contract: it is not asked about again. */
  readonly fit: Map<string, Token>;
  /** Why an asset cannot be used, as found last. */
  readonly unfit: Map<string, string>;
}

/** Throws for a contract that is listed twice. */
export function heldAgainstChain<Node extends { readonly label: string }, Listing extends ListedAsset, Token>(
  options: TokenBookOptions<Node, Listing, Token>,
): TokenBook<Node, Token> {
  const { chain, tokens } = options;
  if (new Set(tokens.map(({ key }) => key)).size !== tokens.length)
    throw new Error(`${chain}: one contract is listed for two assets`);
  return partOf({ ...options, fit: new Map(), unfit: new Map() }, tokens);
}

function partOf<Node extends { readonly label: string }, Listing extends ListedAsset, Token>(
  held: TokenBookState<Node, Listing, Token>,
  tokens: readonly Listing[],
): TokenBook<Node, Token> {
  const { fit, unfit } = held;
  return {
    async usable(node) {
      const open = tokens.filter(({ key }) => !fit.has(key));
      if (open.length > 0) await holdAgainst(held, node, open);
      return new Map(tokens.flatMap(({ key }) => (fit.has(key) ? [[key, fit.get(key)!]] : [])));
    },
    faults: () =>
      tokens.flatMap(({ asset }) => (unfit.has(asset) ? [{ asset, reason: unfit.get(asset)! }] : [])),
    among(wanted) {
      const assets = new Set(wanted.map(({ asset }) => asset));
      return partOf(
        held,
        tokens.filter(({ asset }) => assets.has(asset)),
      );
    },
  };
}

async function holdAgainst<Node extends { readonly label: string }, Listing extends ListedAsset, Token>(
  held: TokenBookState<Node, Listing, Token>,
  node: Node,
  open: readonly Listing[],
): Promise<void> {
  const { pool, check } = held;
  const verdicts = await check(node, open);
  const denied: { readonly listing: Listing; readonly reason: string }[] = [];
  for (const [position, listing] of open.entries()) {
    const verdict = verdicts[position]!;
    if ('fits' in verdict) tellFit(held, listing, verdict.fits);
    else denied.push({ listing, reason: verdict.fault });
  }
  const listings = denied.map(({ listing }) => listing);
  const others =
    denied.length === 0 || pool.size === 1 ? [] : await pool.every((other) => check(other, listings));
  const contradicted = denied.find((_, position) => others.some((other) => 'fits' in other[position]!));
  if (contradicted !== undefined)
    throw new NodeLagging(
      `${node.label}: another node contradicts what it says of a contract: ${contradicted.reason}`,
    );
  for (const { listing, reason } of denied) tellUnfit(held, listing, reason);
}

function tellFit<Token>(
  {
    chain,
    fit,
    unfit,
    logger,
  }: Pick<TokenBookState<never, never, Token>, 'chain' | 'fit' | 'unfit' | 'logger'>,
  { asset, key }: ListedAsset,
  token: Token,
): void {
  fit.set(key, token);
  if (unfit.delete(asset)) logger.warn('asset.contract_fits', { chain, asset });
}

function tellUnfit(
  { chain, unfit, logger }: Pick<TokenBookState<never, never, never>, 'chain' | 'unfit' | 'logger'>,
  { asset }: ListedAsset,
  reason: string,
): void {
  if (!unfit.has(asset)) logger.error('asset.contract_unfit', { chain, asset, reason });
  unfit.set(asset, reason);
}
