/**
 * Payments to watched addresses in the transactions of a block, of the native coin and of listed
 * tokens (safety.md S1 to S5).
 */
import type { Transfer, UnknownTransaction } from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import { associatedAccount } from '../programs.ts';
import type { ListedToken } from '../tokens.ts';
import { lamportsGained, type Movements, type TokenHolding, tokensGained } from './movements.ts';

/** A balance that grew, of an address that may be watched. */
interface SolanaArrival {
  readonly to: string;
  readonly units: bigint;
  readonly movements: Movements;
  /** Null for the native coin. */
  readonly token: (ListedToken & { readonly account: string }) | null;
}

export function arrivalsIn(
  movements: Movements,
  tokens: ReadonlyMap<string, ListedToken>,
): readonly SolanaArrival[] {
  if (movements.failed) return [];
  const coins = movements.accounts.flatMap((to, position): SolanaArrival[] => {
    const units = lamportsGained(movements, position);
    return units > 0n ? [{ to, units, movements, token: null }] : [];
  });
  const ofTokens = movements.tokensAfter.flatMap((held): SolanaArrival[] => {
    const token = tokens.get(held.mint);
    if (token === undefined || held.owner === null) return [];
    const units = tokensGained(movements, held);
    const { owner: to, account } = held;
    return units > 0n ? [{ to, units, movements, token: { ...token, account } }] : [];
  });
  return [...coins, ...ofTokens];
}

/**
 * A transaction that our wallet signed, and whose fee or amount it paid, as if this gateway had not
 * sent it; null for any other. Tokens that a mint takes back from our account need no signature of
 * ours.
 */
export function sentBy(
  wallet: string,
  movements: Movements,
  arrivals: readonly SolanaArrival[],
  nativeAsset: string,
): UnknownTransaction | null {
  const { txid, failed, feeUnits, accounts, signers } = movements;
  const position = accounts.indexOf(wallet);
  if (position < 0 || position >= signers) return null;
  const lost =
    (position > 0 && lamportsGained(movements, position) < 0n) ||
    movements.tokensBefore.some((held) => held.owner === wallet && tokensLeft(movements, held) < held.units);
  if (position !== 0 && !lost) return null;
  const paid = arrivals.filter(({ to }) => to !== wallet);
  return {
    ...{ txid, nonce: null, feeUnits, harmless: failed },
    payments: paid.map(({ to, token, units }) => ({ to, asset: token?.asset ?? nativeAsset, units })),
  };
}

const tokensLeft = ({ tokensAfter }: Movements, held: TokenHolding): bigint =>
  tokensAfter.find(({ account }) => account === held.account)?.units ?? 0n;

/**
 * The payments of each block to addresses of `watch`, which is called once for all. A token counts
 * only in the account that is derived from the address: a former owner may have handed over any
 * other (S3).
 */
export async function paymentsAmong(
  blocks: readonly (readonly SolanaArrival[])[],
  watch: WatchList,
  nativeAsset: string,
): Promise<readonly (readonly Transfer[])[]> {
  const addresses = new Set(blocks.flatMap((arrivals) => arrivals.map(({ to }) => to)));
  const known = await watch.known([...addresses]);
  return blocks.map((arrivals) =>
    arrivals
      .filter(
        ({ to, token }) =>
          known.has(to) && (token === null || token.account === associatedAccount(to, token)),
      )
      .map((arrival) => transferOf(arrival, nativeAsset)),
  );
}

function transferOf({ to, units, movements, token }: SolanaArrival, nativeAsset: string): Transfer {
  const { txid } = movements;
  const payment = { txid, to, units, kind: 'payment' } as const;
  if (token === null)
    return { ...payment, output: `native:${to}`, asset: nativeAsset, from: payerOf(movements, to) };
  const from = tokenPayerOf(movements, token.mint, to);
  return { ...payment, output: `token:${token.mint}:${to}`, asset: token.asset, from };
}

/** The owner whose balance fell the most, not counting the fee. */
function payerOf(movements: Movements, to: string): string | null {
  return mostLost(
    movements.accounts.map((account, position) => [account, lamportsGained(movements, position)]),
    to,
  );
}

function tokenPayerOf(movements: Movements, mint: string, to: string): string | null {
  const holdings = movements.tokensBefore.filter((held) => held.mint === mint && held.owner !== null);
  return mostLost(
    holdings.map((held) => {
      const after = movements.tokensAfter.find(({ account }) => account === held.account);
      return [held.owner ?? '', (after?.units ?? 0n) - held.units];
    }),
    to,
  );
}

function mostLost(changes: readonly (readonly [string, bigint])[], to: string): string | null {
  let most: { account: string; gained: bigint } | null = null;
  for (const [account, gained] of changes)
    if (account !== to && gained < (most?.gained ?? 0n)) most = { account, gained };
  return most?.account ?? null;
}
