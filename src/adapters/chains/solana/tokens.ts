/**
 * The listed mints, each held against the chain before use: one that is no mint of a token program, or whose decimals differ from
 * the catalog's, is not scanned, since its amounts would be credited wrongly by powers of ten.
 */
import type { UnscannedAsset } from '../../../ports/chain-scanner.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { normalizeSolanaAddress } from './address.ts';
import { type Account, accounts, withSlot } from './answers.ts';
import { CONFIRMED } from './blocks.ts';
import { isTokenProgram } from './programs.ts';

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

export interface TokenBook {
  /** The tokens that can be used, by mint, checked on `node` at the first call. */
  readonly usable: (node: RpcNode) => Promise<ReadonlyMap<string, ListedToken>>;
  /** What the check found; empty before the first call. */
  readonly faults: () => readonly UnscannedAsset[];
}

/** Layout of a mint (SPL): supply and authorities, decimals, whether it was initialised; the kind comes after an account's length. */
const DECIMALS_AT = 44;
const INITIALISED_AT = 45;
const MINT_BYTES = 82;
const KIND_AT = 165;
const KIND_MINT = 1;

/** Throws for a mint that is no address, or that is listed twice: faults of the catalog. */
export function tokenBook(options: {
  chain: string;
  tokens: readonly TokenListing[];
  logger: Logger;
}): TokenBook {
  const { chain, tokens, logger } = options;
  for (const { asset, contract } of tokens)
    if (normalizeSolanaAddress(contract) === null)
      throw new Error(`${asset}: ${contract} is not a Solana address`);
  if (new Set(tokens.map(({ contract }) => contract)).size !== tokens.length)
    throw new Error(`${chain}: one mint is listed for two assets`);

  let checked: ReadonlyMap<string, ListedToken> | null = null;
  let faults: readonly UnscannedAsset[] = [];

  async function check(node: RpcNode): Promise<ReadonlyMap<string, ListedToken>> {
    const mints = tokens.map(({ contract }) => contract);
    if (mints.length === 0) return new Map();
    const answer = await node.call('getMultipleAccounts', mints, { ...CONFIRMED, encoding: 'base64' });
    const found = accounts(withSlot(answer, 'mints').value, mints.length);
    const problems: UnscannedAsset[] = [];
    const good = new Map<string, ListedToken>();
    for (const [position, { asset, contract: mint, decimals }] of tokens.entries()) {
      const account = found[position] ?? null;
      const reason = problemOf(account, mint, decimals);
      if (reason !== null) problems.push({ asset, reason });
      else if (account !== null) good.set(mint, { asset, mint, decimals, program: account.owner });
    }
    for (const { asset, reason } of problems)
      logger.error('asset is not scanned: its mint does not fit the catalog', { chain, asset, reason });
    faults = problems;
    return good;
  }

  return {
    usable: async (node) => {
      checked ??= await check(node);
      return checked;
    },
    faults: () => faults,
  };
}

/** Null when it is a mint with the catalog's decimals. */
function problemOf(account: Account | null, mint: string, decimals: number): string | null {
  if (account === null || !isMint(account)) return `${mint} is not a mint on this chain`;
  const found = account.data[DECIMALS_AT];
  return found === decimals ? null : `${mint} has ${found} decimals, the catalog says ${decimals}`;
}

function isMint({ owner, data }: Account): boolean {
  if (!isTokenProgram(owner) || data[INITIALISED_AT] !== 1) return false;
  return data.length === MINT_BYTES || data[KIND_AT] === KIND_MINT;
}
