/**
 * Finds the next nonce of a wallet. Our own records have it; the chain is ahead of them only where
 * nothing was sent from the wallet, the operator used it elsewhere, or the database was restored.
 * Too low a count is harmless: the network refuses a used nonce. Too high a count leaves a gap that
 * all later payments wait behind. So no node is believed alone that the chain is ahead.
 */
import { ChainUnavailable } from '../../../ports/chains/chain-scanner.ts';
import type { LogEvent } from '../../../ports/runtime/log-events.ts';
import type { ReportedNonces } from '../../../ports/sending/chain-sender.ts';
import type { NonceFrom } from '../../../ports/sending/outgoing-repository.ts';
import { eachPastOutages, pastOutage } from '../../shared/tolerate-outage.ts';
import type { SendingChain, SendingNeeds } from '../sending-chain.ts';

/**
 * All nodes have to say so for so long before a wallet that we sent from goes on behind
 * transactions that are not ours.
 */
const PROOF_MS = 60_000;

/** What is done about transactions of a wallet that are not ours. */
export interface AheadOfUs {
  /** Nodes report such transactions for the first time, or more of them. */
  begun(wallet: string): Promise<void>;
  /** Nonces `from` .. `below` - 1 are believed to be used: ours go on behind them. */
  proven(gap: { wallet: string; from: bigint; below: bigint }): Promise<void>;
}

/** A report that the chain is ahead, and since when it stands, in milliseconds. */
interface Noted {
  readonly highest: bigint;
  readonly event: LogEvent<'error'>;
  readonly since: number;
}

type Needs = Pick<SendingNeeds, 'clock' | 'logger' | 'unitOfWork'>;

export interface NonceFinders {
  /**
   * For OutgoingRepository.takeNonce. Rejects with ChainUnavailable as long as the nodes' answers
   * cannot be relied on. A nonce that was given back is taken again only where no node says that
   * the chain has used it.
   */
  of(wallet: string): Promise<NonceFrom>;
  /**
   * The same for many wallets, by wallet. One that no node can be asked about, or whose answers
   * cannot be relied on, is left out, and why is in `failures`.
   */
  ofEach(wallets: readonly string[]): Promise<{
    readonly found: ReadonlyMap<string, NonceFrom>;
    readonly failures: readonly ChainUnavailable[];
  }>;
}

export function nonceFinders(
  deps: Needs,
  { chain, sender }: Pick<SendingChain, 'chain' | 'sender'>,
  { proofMs = PROOF_MS, aheadOfUs }: { proofMs?: number; aheadOfUs?: AheadOfUs } = {},
): NonceFinders {
  const ahead = new Map<string, Noted>();

  /** Logs a report that is new or has changed; returns since when it stands. */
  async function noted(
    wallet: string,
    highest: bigint,
    event: LogEvent<'error'>,
    own: bigint,
  ): Promise<number> {
    const before = ahead.get(wallet);
    if (before?.highest === highest && before.event === event) return before.since;
    const since = deps.clock.now().getTime();
    deps.logger.error(event, { chain, wallet, told: highest.toString(), own: own.toString() });
    if (event === 'wallet.used_elsewhere') await aheadOfUs?.begun(wallet);
    ahead.set(wallet, { highest, event, since });
    return since;
  }

  async function judged(
    wallet: string,
    { lowest, highest, complete }: ReportedNonces,
    own: bigint,
  ): Promise<NonceFrom> {
    if (highest <= own) {
      ahead.delete(wallet);
      return { atLeast: lowest, givenBackFrom: highest };
    }
    if (own === 0n && !ahead.has(wallet)) {
      // Either nothing was sent from it, or the nodes must agree on how much was.
      if (lowest === 0n) return { atLeast: lowest };
      if (lowest !== highest)
        throw new ChainUnavailable(
          `${chain}: the nodes tell different nonces of ${wallet}: ${lowest} and ${highest}`,
        );
      // What waits for a block is not ours, and may be of a moment ago.
      if (lowest <= (await sender.nextNonce(wallet))) return { atLeast: lowest };
    }
    if (lowest <= own) {
      await noted(wallet, highest, 'wallet.nonce_contradicted', own);
      return { atLeast: lowest };
    }
    const since = await noted(wallet, highest, 'wallet.used_elsewhere', own);
    const proven = complete && lowest === highest && deps.clock.now().getTime() - since >= proofMs;
    if (!proven)
      throw new ChainUnavailable(
        `${chain}: nodes report nonce ${highest} for ${wallet}, our records say ${own}. Sending goes on at ${highest} once every node has reported it for a minute`,
      );
    await aheadOfUs?.proven({ wallet, from: own, below: highest });
    return { atLeast: highest, givenBackFrom: highest };
  }

  return {
    async of(wallet) {
      const reported = await sender.reportedNonces?.(wallet);
      if (reported === undefined) return { atLeast: await sender.nextNonce(wallet) };
      // After the nodes: what we took since then is not theirs.
      const own = await deps.unitOfWork.run(({ outgoing }) => outgoing.nextOf({ chain, address: wallet }));
      return judged(wallet, reported, own);
    },

    async ofEach(wallets) {
      const found = new Map<string, NonceFrom>();
      const reported = new Map<string, ReportedNonces>();
      const failures = await eachPastOutages(wallets, async (wallet) => {
        const nonces = await sender.reportedNonces?.(wallet);
        if (nonces === undefined) found.set(wallet, { atLeast: await sender.nextNonce(wallet) });
        else reported.set(wallet, nonces);
      });
      if (reported.size === 0) return { found, failures };
      const own = await deps.unitOfWork.run(({ outgoing }) => outgoing.nextOfEach(chain, wallets));
      for (const [wallet, nonces] of reported)
        await pastOutage(failures, async () => {
          found.set(wallet, await judged(wallet, nonces, own.get(wallet) ?? 0n));
        });
      return { found, failures };
    },
  };
}

/** The finder of one wallet alone. */
export function nonceFinder(...given: Parameters<typeof nonceFinders>): NonceFinders['of'] {
  return nonceFinders(...given).of;
}
