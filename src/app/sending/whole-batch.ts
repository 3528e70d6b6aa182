/** All that the transactions of a bundle pay and spend, whatever of it was given up or is settled. */
import type { Bundle, OutgoingTransfer, SignedTransaction } from '../../domain/sending/outgoing.ts';
import type { Coin } from '../../ports/sending/chain-sender.ts';
import { bundleOf, type SendingChain, type SendingNeeds } from './sending-chain.ts';

/**
 * `bundle` is what is open of it, which is not all where a worker died while it settled them. On a chain of coins a transaction may
 * leave some of the payments out, and of two alike it does not say which: `payments` has those first that it is the more likely to pay.
 */
export async function wholeOf(
  { unitOfWork }: Pick<SendingNeeds, 'unitOfWork'>,
  { chain, sender: { ways, coins } }: Pick<SendingChain, 'chain' | 'sender'>,
  bundle: Bundle,
  signed: readonly SignedTransaction[],
): Promise<{ payments: readonly OutgoingTransfer[]; inputs: readonly Coin[] }> {
  if (ways.paymentsAtOnce === 1) return { payments: bundle, inputs: [] };
  const [{ bundleId }] = bundle;
  // Of one that was given up, some coins may not be the bundle's any more (settle-transfer.ts).
  const givenUp = coins !== null && signed.some(({ voids }) => voids);
  return unitOfWork.run(async (repositories) => {
    const all = (await bundleOf(repositories, bundleId)) ?? bundle;
    return {
      payments: coins === null ? all : all.toSorted((a, b) => claimOf(a) - claimOf(b)),
      inputs: givenUp
        ? await repositories.coins.named(
            chain,
            signed.flatMap(({ raw }) => coins.spends(raw)),
          )
        : await repositories.coins.ofBundle(bundleId),
    };
  });
}

/** What was settled stays so: paid first, and unpaid last. Of the others those that were not given up come first. */
function claimOf({ status, voided }: OutgoingTransfer): number {
  if (status === 'confirmed') return 0;
  if (status === 'failed') return 3;
  return voided ? 2 : 1;
}
