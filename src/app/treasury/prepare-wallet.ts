/**
 * Prepares the settings of a hot wallet's account for deposits, on chains that have such settings.
 * The transaction moves nothing, and is ordered like those that use up a nonce, so that the signer
 * need not allow another kind.
 */
import { failureOf } from '../../domain/sending/outgoing-failure.ts';
import { voidingTransfer } from '../sending/nonces/fill-nonce-gaps.ts';
import { nonceFinder } from '../sending/nonces/next-nonce.ts';
import { hotWalletOf } from '../sending/sending-chain.ts';
import type { SweepNeeds, TreasuryChain } from '../sweeps/sweep-needs.ts';

const OPEN_MAX = 10_000;

export type WalletSetup =
  /** The chain has no settings. */
  | 'nothing_to_set'
  /** The account is not funded yet, so nothing can be set. */
  | 'not_funded'
  | 'is_set'
  /** Ordered before, and not mined yet. */
  | 'on_its_way'
  /** Ordered now: a running worker has it signed and sends it. */
  | 'ordered';

/** May be repeated. Throws ChainUnavailable if no node can report the settings. */
export async function setUpWallet(deps: SweepNeeds, on: TreasuryChain): Promise<WalletSetup> {
  const { chain, sender } = on;
  const wallet = { chain, address: hotWalletOf(on) };
  if (!sender.isSetUp) return 'nothing_to_set';
  const set = await sender.isSetUp(wallet.address);
  if (set === null) return 'not_funded';
  if (set) return 'is_set';
  // The operator knows whether the wallet was used elsewhere.
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
