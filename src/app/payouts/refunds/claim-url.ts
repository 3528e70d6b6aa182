/**
 * The URL of a claim's page. Its last part is made from the claim's id with the master key, so that
 * nobody can guess it, and nothing that the database holds leads to it.
 */
import type { ClaimWithPayout } from '../../../ports/payouts/refund-claim-repository.ts';
import type { AppDependencies } from '../../dependencies.ts';

type Needs = Pick<AppDependencies, 'vault' | 'checkoutUrl' | 'queries'>;

const TOKEN = /^([0-9a-f]{24})-([0-9a-f]{40})$/;
/** 160 bits. */
const CODE_LENGTH = 40;

export function claimUrl({ vault, checkoutUrl }: Omit<Needs, 'queries'>, claimId: string): string {
  return `${checkoutUrl}/r/${claimId}-${codeOf(vault, claimId)}`;
}

/** Null for a text that was not made here. */
export function claimOfToken(deps: Needs): (token: string) => Promise<ClaimWithPayout | null> {
  return async (token) => {
    const [, claimId, code] = TOKEN.exec(token) ?? [];
    if (claimId === undefined || code === undefined) return null;
    // Hashed once more, so that the time of the comparison reveals nothing.
    const { vault, queries } = deps;
    if (vault.mac(code) !== vault.mac(codeOf(vault, claimId))) return null;
    return queries.anyRefundClaim(claimId);
  };
}

function codeOf({ mac }: Needs['vault'], claimId: string): string {
  return mac(`refund claim ${claimId}`).slice(0, CODE_LENGTH);
}
