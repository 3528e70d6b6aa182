/**
 * Chooses some addresses without payments for each reconciliation, so that a missed first payment
 * is found without asking for all of them every time. The position is kept in memory only; each
 * process starts at a random one, so that restarts do not leave out the same addresses again and
 * again.
 */
import { AddressesNotDerived } from '../../ports/chains/address-pool.ts';
import type { ChainSender } from '../../ports/sending/chain-sender.ts';
import type { TreasuryQueries } from '../../ports/treasury/treasury-queries.ts';
import type { AppDependencies } from '../dependencies.ts';
import { normalized } from '../sending/sending-chain.ts';
import type { TreasuryChain } from '../sweeps/sweep-needs.ts';
import type { ChainReconciliation } from './reconcile-chain.ts';

export type RoundChain = Pick<TreasuryChain, 'chain' | 'family' | 'deriver'> & {
  readonly sender: Pick<ChainSender, 'utxos' | 'capabilities'>;
};

export interface UnusedAddressRotation {
  /**
   * The next addresses of a chain, and those that differed last time: a difference stays visible
   * until it is resolved.
   */
  next(on: RoundChain): Promise<readonly string[]>;
  /** Reports the check of these addresses; if it failed, they come next again. */
  done(checked: Pick<ChainReconciliation, 'chain' | 'differences' | 'unavailable'>): void;
}

interface RotationRound {
  readonly after: string;
  readonly differing: readonly string[];
  /** Returned by `next`, and not checked yet. */
  readonly out: { readonly after: string; readonly addresses: ReadonlySet<string> } | null;
}

export function unusedAddressRotation(
  deps: Pick<AppDependencies, 'ids'> & { readonly treasuryQueries: Pick<TreasuryQueries, 'unpaidAddresses'> },
  perRun: number,
): UnusedAddressRotation {
  const rounds = new Map<string, RotationRound>();

  return {
    async next(on) {
      // For single UTXOs or pooled deposits the scanner sees all incoming money, and no address is
      // asked for.
      if (on.sender.utxos !== null || on.sender.capabilities.pooled) return [];
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

/**
 * The address of a random index. Addresses are like random texts, so its position among them is
 * random. Where only the signer derives addresses, it made few so far: then a random text is the
 * position, which need not be an address.
 */
async function anywhere({ ids }: Pick<AppDependencies, 'ids'>, { deriver }: RoundChain): Promise<string> {
  const random = ids.id().slice(-12);
  try {
    const [address = ''] = await deriver.derive({ from: Number.parseInt(random.slice(-7), 16), count: 1 });
    return normalized(deriver, address);
  } catch (error) {
    if (!(error instanceof AddressesNotDerived)) throw error;
    return inAddressLetters(random);
  }
}

const ADDRESS_LETTERS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

function inAddressLetters(hex: string): string {
  const bytes = [...Buffer.from(hex, 'hex')];
  return bytes.map((byte) => ADDRESS_LETTERS[byte % ADDRESS_LETTERS.length]).join('');
}
