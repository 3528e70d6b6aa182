/**
 * The listed mints, each checked against the chain before use. A mint is not scanned when it
 * belongs to no token program, or when its decimals differ from the catalog's: its amounts would be
 * credited wrongly by powers of ten.
 */
import type { Logger } from '../../../ports/runtime/logger.ts';
import type { NodePool } from '../shared/nodes/node-pool.ts';
import type { RpcNode } from '../shared/nodes/rpc-node.ts';
import { heldAgainstChain, type TokenBook, type TokenVerdict } from '../shared/token-book.ts';
import { normalizeSolanaAddress } from './address.ts';
import { type Account, accounts, withSlot } from './answers.ts';
import { isTokenProgram } from './programs.ts';
import { CONFIRMED } from './read/blocks.ts';

export interface TokenListing {
  readonly asset: string;
  /** The mint. */
  readonly contract: string;
  readonly decimals: number;
}

export interface ListedToken {
  readonly asset: string;
  readonly mint: string;
  readonly program: string;
  readonly decimals: number;
}

/** By mint. */
export type SolanaTokens = TokenBook<RpcNode, ListedToken>;

/**
 * Layout of a mint (SPL): supply and authorities, decimals, whether it was initialised. The type of
 * account follows after an account's length.
 */
const DECIMALS_AT = 44;
const INITIALISED_AT = 45;
const MINT_BYTES = 82;
const KIND_AT = 165;
const KIND_MINT = 1;

/** Throws for a mint that is no address, or that is listed twice: faults of the catalog. */
export function tokenBook(options: {
  chain: string;
  tokens: readonly TokenListing[];
  pool: NodePool<RpcNode>;
  logger: Logger;
}): SolanaTokens {
  for (const { asset, contract } of options.tokens)
    if (normalizeSolanaAddress(contract) === null)
      throw new Error(`${asset}: ${contract} is not a Solana address`);
  return heldAgainstChain({
    ...options,
    tokens: options.tokens.map((token) => ({ ...token, key: token.contract })),
    check: verdictsOn,
  });
}

async function verdictsOn(
  node: RpcNode,
  listed: readonly TokenListing[],
): Promise<readonly TokenVerdict<ListedToken>[]> {
  const mints = listed.map(({ contract }) => contract);
  const answer = await node.call('getMultipleAccounts', mints, { ...CONFIRMED, encoding: 'base64' });
  const found = accounts(withSlot(answer, 'mints').value, mints.length);
  return listed.map((token, position) => verdictOn(token, found[position] ?? null));
}

function verdictOn(
  { asset, contract: mint, decimals }: TokenListing,
  account: Account | null,
): TokenVerdict<ListedToken> {
  if (account === null || !isMint(account)) return { fault: `${mint} is not a mint on this chain` };
  const found = account.data[DECIMALS_AT];
  if (found !== decimals) return { fault: `${mint} has ${found} decimals, the catalog says ${decimals}` };
  return { fits: { asset, mint, decimals, program: account.owner } };
}

function isMint({ owner, data }: Account): boolean {
  if (!isTokenProgram(owner) || data[INITIALISED_AT] !== 1) return false;
  return data.length === MINT_BYTES || data[KIND_AT] === KIND_MINT;
}
