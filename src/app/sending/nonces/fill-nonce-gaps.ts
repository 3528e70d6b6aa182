/**
 * Fills nonce gaps of the hot wallet. A nonce that no transfer has (a node once reported too high a
 * count) would hold up all behind it for ever: a transfer that moves nothing uses it up.
 */
import {
  allocatedTransfer,
  decideOutgoing,
  type OutgoingTransfer,
} from '../../../domain/sending/outgoing.ts';
import { type Failure, failureOf } from '../../../domain/sending/outgoing-failure.ts';
import { hotWalletOf, hotWalletText, type SendingChain, type SendingNeeds } from '../sending-chain.ts';

const AT_ONCE = 20;
/**
 * After a look that found no gap, none is looked for until this time is over. No longer: the count
 * of a node may have been too high, and have hidden one.
 */
const LOOK_AGAIN_MS = 10_000;

/** A transfer of the hot wallet that moves nothing, and uses its nonce up. */
export function voidingTransfer(
  deps: Pick<SendingNeeds, 'ids' | 'clock'>,
  on: Pick<SendingChain, 'chain' | 'sender' | 'deriver'>,
  { nonce, reason }: { nonce: bigint; reason: Failure },
): OutgoingTransfer {
  const id = deps.ids.id();
  const { chain, sender } = on;
  const place = {
    chain,
    wallet: hotWalletOf(on),
    nonce,
    asset: sender.nativeAsset,
    to: hotWalletText(on),
  };
  const transfer = allocatedTransfer({
    ...{ id, ...place, purpose: 'gap', referenceId: id, units: 1n },
    createdAt: deps.clock.now(),
  });
  return { ...transfer, ...decideOutgoing(transfer, { type: 'voided', reason }) };
}

/**
 * Returns how many gaps were filled, from the first nonce that is not mined to the first open
 * transfer.
 */
export function gapFiller(deps: SendingNeeds, on: SendingChain) {
  const wallet = hotWalletOf(on);
  const { chain, sender } = on;
  let noGap = { next: 0n, below: -1n, until: 0 };

  /** Whether transfers of ours have all nonces since that look: then there still is no gap. */
  async function allTaken(first: bigint): Promise<boolean> {
    const { next: from } = noGap;
    const range = { chain, address: wallet, from, below: first, limit: 1 };
    const free = await deps.unitOfWork.run(({ outgoing }) => outgoing.unusedNonces(range));
    if (free.length === 0) noGap.below = first;
    return free.length === 0;
  }

  return async (open: readonly OutgoingTransfer[]): Promise<number> => {
    if (sender.capabilities.nonces === 'independent') return 0;
    const ours = open.filter((transfer) => transfer.wallet === wallet).map(({ nonce }) => nonce);
    const [first] = ours;
    const now = deps.clock.now().getTime();
    const dense = ours.every((nonce, place) => nonce - (ours[place - 1] ?? nonce) <= 1n);
    if (first === undefined) return 0;
    if (dense && now < noGap.until && (first <= noGap.below || (await allTaken(first)))) return 0;
    const next = await sender.nextNonce(wallet);
    // Some of them are mined, and not final yet.
    const lowest = ours.find((nonce) => nonce >= next);
    if (lowest === undefined || lowest === next) {
      noGap = { next, below: first, until: now + LOOK_AGAIN_MS };
      return 0;
    }
    return deps.unitOfWork.run(async (repositories) => {
      await repositories.outgoing.lockWallet({ chain, address: wallet });
      const missing = await repositories.outgoing.unusedNonces({
        ...{ chain, address: wallet, from: next, below: lowest },
        limit: AT_ONCE,
      });
      for (const nonce of missing)
        await repositories.outgoing.insert(
          voidingTransfer(deps, on, { nonce, reason: failureOf('unused_sequence') }),
        );
      if (missing.length > 0)
        deps.logger.warn('wallet.nonce_gap_filled', { chain, wallet, count: missing.length });
      return missing.length;
    });
  };
}
