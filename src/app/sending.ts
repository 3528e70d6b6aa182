/** What the use cases of outgoing transfers share: a chain with its sender and signer, and the keys of its wallets. */
import type { OutgoingTransfer } from '../domain/outgoing.ts';
import type { AddressDeriver } from '../ports/address-deriver.ts';
import type { ChainSender } from '../ports/chain-sender.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Signer, WalletKey } from '../ports/signer.ts';
import type { AppDependencies } from './dependencies.ts';

export type SendingNeeds = Pick<
  AppDependencies,
  'clock' | 'ids' | 'logger' | 'unitOfWork' | 'catalog' | 'rateBook' | 'checkoutUrl'
>;

/** A chain that we can send on. */
export interface SendingChain {
  readonly chain: string;
  readonly family: string;
  readonly sender: ChainSender;
  readonly signer: Signer;
  readonly deriver: AddressDeriver;
  /** A transaction that waited this long for a block is replaced by one with higher fees. */
  readonly stuckAfterMs: number;
}

/** Address of the hot wallet, normalized as wallets are stored. */
export function hotWalletOf({ deriver }: Pick<SendingChain, 'deriver'>): string {
  return normalized(deriver, deriver.hotWallet());
}

/** Which key signs for a wallet of ours; throws for an address that was never issued, which no transfer can have. */
export async function walletKey(
  repositories: Repositories,
  on: SendingChain,
  wallet: string,
): Promise<WalletKey> {
  if (wallet === hotWalletOf(on)) return { role: 'hot' };
  const [issued] = await repositories.addresses.find(on.family, [wallet]);
  if (!issued || issued.deriver !== on.family) throw new Error(`${wallet} is no wallet of ours`);
  return { role: 'deposit', index: issued.derivationIndex };
}

export function normalized(deriver: AddressDeriver, address: string): string {
  const key = deriver.normalize(address);
  if (key === null) throw new Error(`not an address of the family ${deriver.family}: ${address}`);
  return key;
}

/** The transfer locked, and before it the payout that it is for: payouts are locked before transfers everywhere. */
export async function lockTransfer(repositories: Repositories, transfer: OutgoingTransfer) {
  const payout = transfer.purpose === 'payout' ? await repositories.payouts.lock(transfer.referenceId) : null;
  const locked = await repositories.outgoing.lock(transfer.id);
  if (!locked || (transfer.purpose === 'payout' && !payout))
    throw new Error(`outgoing transfer ${transfer.id} or its payout is gone`);
  return { transfer: locked, payout };
}
