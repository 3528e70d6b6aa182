/**
 * Finds the next nonce of a wallet. Our own records have it; the chain is ahead of them only where
 * nothing was sent from the wallet, the operator used it elsewhere, or the database was restored.
 * Too low a count is harmless: the network refuses a used nonce. Too high a count leaves a gap that
 * all later payments wait behind. So no node is believed alone that the chain is ahead.
 */
import { ChainUnavailable } from '../../../ports/chains/chain-scanner.ts';
import type { LogEvent } from '../../../ports/runtime/log-events.ts';
import type { NonceFrom } from '../../../ports/sending/outgoing-repository.ts';
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

/**
 * For OutgoingRepository.takeNonce. Rejects with ChainUnavailable as long as the nodes' answers
 * cannot be relied on. A nonce that was given back is taken again only where no node says that the
 * chain has used it.
 */
export function nonceFinder(
  deps: Needs,
  { chain, sender }: Pick<SendingChain, 'chain' | 'sender'>,
  { proofMs = PROOF_MS, aheadOfUs }: { proofMs?: number; aheadOfUs?: AheadOfUs } = {},
): (wallet: string) => Promise<NonceFrom> {
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

  return async (wallet) => {
    if (!sender.reportedNonces) return { atLeast: await sender.nextNonce(wallet) };
    const { lowest, highest, complete } = await sender.reportedNonces(wallet);
    const own = await deps.unitOfWork.run(({ outgoing }) => outgoing.nextOf({ chain, address: wallet }));
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
  };
}
