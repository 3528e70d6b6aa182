/**
 * Brings the settings of a hot wallet's account into the form that deposits need, where a chain has such settings: by a
 * transaction that moves nothing, ordered like the ones that use a nonce up, so that nothing else need be allowed to be signed.
 */
import { failureOf } from '../../domain/sending/outgoing-failure.ts';
import { voidingTransfer } from '../sending/nonces/fill-nonce-gaps.ts';
import { nonceFinder } from '../sending/nonces/next-nonce.ts';
import { hotWalletOf } from '../sending/sending-chain.ts';
import type { SweepNeeds, TreasuryChain } from '../sweeps/sweep-needs.ts';

const OPEN_MAX = 10_000;

export type WalletSetup =
  /** The chain has nothing to set. */
  | 'nothing_to_set'
  /** The account is not funded yet: nothing can be set. */
  | 'not_funded'
  | 'is_set'
  /** Ordered before, and not mined yet. */
  | 'on_its_way'
  /** Ordered now: a running worker has it signed and sends it. */
  | 'ordered';

/** Repeating it is harmless. Throws ChainUnavailable when no node can tell what is set. */
export async function setUpWallet(deps: SweepNeeds, on: TreasuryChain): Promise<WalletSetup> {
  const { chain, sender } = on;
  const wallet = { chain, address: hotWalletOf(on) };
  if (!sender.isSetUp) return 'nothing_to_set';
  const set = await sender.isSetUp(wallet.address);
  if (set === null) return 'not_funded';
  if (set) return 'is_set';
  // An operator is there, who knows whether somebody else used it.
  const from = await nonceFinder(deps, on, { proofMs: 0 })(wallet.address);
  return deps.unitOfWork.run(async ({ outgoing }) => {
    await outgoing.lockWallet(wallet);
    const open = await outgoing.open(chain, OPEN_MAX);
    const ordered = open.some((transfer) => transfer.wallet === wallet.address && transfer.purpose === 'gap');
    if (ordered) return 'on_its_way';
    const nonce = await outgoing.takeNonce({ ...wallet, ...from });
    await outgoing.insert(voidingTransfer(deps, on, { nonce, reason: failureOf('account_settings') }));
    return 'ordered';
  });
}
