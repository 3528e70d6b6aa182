/**
 * Signs a transfer and stores the bytes before anybody can broadcast them (safety.md, 2). Network and signer are asked outside
 * transactions; what comes back is stored only if nothing changed meanwhile, and is thrown away, never sent, otherwise.
 */
import { decideOutgoing, type OutgoingTransfer, type SignedTransaction } from '../domain/outgoing.ts';
import type { Payout } from '../domain/payout-record.ts';
import { SendingRefused } from '../ports/chain-sender.ts';
import { SigningRefused } from '../ports/signer.ts';
import { lockTransfer, normalized, type SendingChain, type SendingNeeds, walletKey } from './sending.ts';
import { applyPayoutEvent } from './settle-payout.ts';

/** Signs the first transaction of a transfer, or one that replaces `earlier`. Null when it could not be, or must not be now. */
export async function signTransfer(
  deps: SendingNeeds,
  on: SendingChain,
  transfer: OutgoingTransfer,
  earlier: readonly SignedTransaction[],
): Promise<SignedTransaction | null> {
  const { id, wallet, sequence, asset, to, units, voided: voids } = transfer;
  const keys = await deps.unitOfWork.run(async (repositories) => {
    if (await repositories.outgoing.signingStopped()) return null;
    const ownTo = transfer.purpose === 'payout' ? null : normalized(on.deriver, to);
    return {
      key: await walletKey(repositories, on, wallet),
      toKey: ownTo === null ? null : await walletKey(repositories, on, ownTo),
    };
  });
  if (keys === null) return null;
  const order = { wallet, sequence, asset, to, units, voids };
  try {
    const { payload, maxFeeUnits } = await on.sender.prepare(order, earlier.at(-1) ?? null);
    const { raw, txid } = await on.signer.sign({
      ...order,
      transferId: id,
      chain: on.chain,
      ...keys,
      purpose: transfer.purpose,
      referenceId: transfer.referenceId,
      payload,
    });
    const signed = {
      transferId: id,
      ordinal: earlier.length + 1,
      txid,
      raw,
      voids,
      maxFeeUnits,
      signedAt: deps.clock.now(),
    };
    return (await store(deps, transfer, signed)) ? { ...signed, broadcastAt: null } : null;
  } catch (error) {
    if (error instanceof SendingRefused || error instanceof SigningRefused)
      await refused(deps, transfer, error);
    else throw error;
    return null;
  }
}

/** False when the bytes must not be used: signing was stopped, the transfer changed, or another worker was first. */
function store(
  deps: SendingNeeds,
  expected: OutgoingTransfer,
  signed: Omit<SignedTransaction, 'broadcastAt'>,
): Promise<boolean> {
  return deps.unitOfWork.run(async (repositories) => {
    if (await repositories.outgoing.signingStopped()) return false;
    const { transfer, payout } = await lockTransfer(repositories, expected);
    const next = decideOutgoing(transfer, { type: 'signed' });
    if (next === null || transfer.voided !== signed.voids) return false;
    if (payout && !signed.voids && !mayBePaid(payout)) return false;
    if (!(await repositories.outgoing.insertSigned(signed))) return false;
    await repositories.outgoing.save({ ...transfer, ...next, hurried: false });
    if (payout && !signed.voids) {
      await applyPayoutEvent(deps, repositories, payout, {
        type: 'broadcast',
        txid: signed.txid,
        at: signed.signedAt,
      });
    }
    return true;
  });
}

const mayBePaid = ({ status, held }: Payout): boolean =>
  (status === 'pending' && held === null) || status === 'processing';

/**
 * A payment that can never be signed gives its sequence up, and one of which nothing was signed fails at once. What only
 * lacks money, or is refused its replacement, waits: bytes that were signed before may still be mined.
 */
function refused(
  deps: SendingNeeds,
  expected: OutgoingTransfer,
  error: SendingRefused | SigningRefused,
): Promise<void> {
  deps.logger.warn('a transfer could not be signed', {
    transferId: expected.id,
    referenceId: expected.referenceId,
    reason: error.message,
  });
  const forEver = error instanceof SigningRefused ? error.lasting : error.because === 'undone';
  return deps.unitOfWork.run(async (repositories) => {
    const { transfer, payout } = await lockTransfer(repositories, expected);
    if (forEver && transfer.status === 'allocated' && !transfer.voided) {
      const next = decideOutgoing(transfer, { type: 'voided', reason: error.message });
      if (next === null) return;
      await repositories.outgoing.save({ ...transfer, ...next });
      if (payout)
        await applyPayoutEvent(deps, repositories, payout, {
          type: 'failed',
          reason: error.message,
          at: deps.clock.now(),
        });
    } else if (payout && mayBePaid(payout) && payout.waiting !== error.message) {
      await repositories.payouts.save({ ...payout, waiting: error.message });
    }
  });
}
