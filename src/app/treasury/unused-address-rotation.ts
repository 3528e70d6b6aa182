/**
 * Addresses that never had a payment, some at each reconciliation, so that a first payment which was missed is found without asking
 * for all of them every time. Where the round stands is kept in memory: a process begins anywhere, so that restarts do not
 * leave the same addresses out again and again.
 */
import type { ChainSender } from '../../ports/sending/chain-sender.ts';
import type { TreasuryQueries } from '../../ports/treasury/treasury-queries.ts';
import type { AppDependencies } from '../dependencies.ts';
import { normalized } from '../sending/sending-chain.ts';
import type { TreasuryChain } from '../sweeps/sweep-needs.ts';
import type { ChainReconciliation } from './reconcile-chain.ts';

export type RoundChain = Pick<TreasuryChain, 'chain' | 'family' | 'deriver'> & {
  readonly sender: Pick<ChainSender, 'utxos' | 'ways'>;
};

export interface UnusedAddressRotation {
  /** The next addresses of a chain, and those that differed last time: what was found stays in sight until it is mended. */
  next(on: RoundChain): Promise<readonly string[]>;
  /** Of the run that checked them; if it could not, they are next again. */
  done(checked: Pick<ChainReconciliation, 'chain' | 'differences' | 'unavailable'>): void;
}

interface Round {
  readonly after: string;
  readonly differing: readonly string[];
  /** Handed out, not checked yet. */
  readonly out: { readonly after: string; readonly addresses: ReadonlySet<string> } | null;
}

export function unusedAddressRotation(
  deps: Pick<AppDependencies, 'ids'> & { readonly treasuryQueries: Pick<TreasuryQueries, 'unpaidAddresses'> },
  perRun: number,
): UnusedAddressRotation {
  const rounds = new Map<string, Round>();

  return {
    async next(on) {
      // Where UTXOs are spent each by itself, or deposits are pooled, the scanner sees what arrives, and nothing is asked by address.
      if (on.sender.utxos !== null || on.sender.ways.pooled) return [];
      const { chain, family } = on;
      const { after, differing } = rounds.get(chain) ?? { after: await anywhere(deps, on), differing: [] };
      const page = (from: string, limit: number) =>
        deps.treasuryQueries.unpaidAddresses({ chain, family }, { after: from, limit });
      const found = [...(await page(after, perRun))];
      if (found.length < perRun) found.push(...(await page('', perRun - found.length)));
      const addresses = new Set([...differing, ...found]);
      rounds.set(chain, { after, differing, out: { after: found.at(-1) ?? '', addresses } });
      return [...addresses];
    },

    done({ chain, differences, unavailable }) {
      const out = rounds.get(chain)?.out;
      if (!out || unavailable !== null) return;
      const differing = differences.flatMap(({ address }) =>
        address !== null && out.addresses.has(address) ? address : [],
      );
      rounds.set(chain, { after: out.after, differing: [...new Set(differing)], out: null });
    },
  };
}

/** The address of a random index: addresses are as good as random texts, so it lies anywhere among them. */
async function anywhere({ ids }: Pick<AppDependencies, 'ids'>, { deriver }: RoundChain): Promise<string> {
  const index = Number.parseInt(ids.id().slice(-7), 16);
  const [address = ''] = await deriver.derive({ from: index, count: 1 });
  return normalized(deriver, address);
}
