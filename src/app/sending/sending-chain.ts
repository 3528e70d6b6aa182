/**
 * What the use cases of outgoing transfers share: a chain with its sender and signer, its wallets,
 * and how transfers are locked, ordered and changed.
 */

import type { Family } from '../../domain/catalog/family.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import {
  allocatedTransfer,
  decideOutgoing,
  type OutgoingEvent,
  type OutgoingTransfer,
  type TransferBatch,
} from '../../domain/sending/outgoing.ts';
import type { AddressDeriver } from '../../ports/chains/address-deriver.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { ChainSender } from '../../ports/sending/chain-sender.ts';
import type { NonceFrom } from '../../ports/sending/outgoing-repository.ts';
import type { Signer, WalletKey } from '../../ports/sending/signer.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { EventNeeds } from '../invoices/invoice-events.ts';

export type SendingNeeds = EventNeeds & Pick<AppDependencies, 'logger' | 'unitOfWork' | 'treasuryQueries'>;

/** A chain that we can send on. */
export interface SendingChain {
  readonly chain: string;
  readonly family: Family;
  readonly sender: ChainSender;
  readonly signer: Signer;
  readonly deriver: AddressDeriver;
  /** A transaction that waited this long for a block is replaced by one with higher fees. */
  readonly stuckAfterMs: number;
}

/** Whether every nonce that was taken must be used, in order (SendingCapabilities). */
export const countsNonces = ({ sender }: Pick<SendingChain, 'sender'>): boolean =>
  sender.capabilities.nonces === 'counted';

/** Address of the hot wallet, normalized as wallets are stored. */
export function hotWalletOf(on: Pick<SendingChain, 'deriver'>): string {
  return normalized(on.deriver, hotWalletText(on));
}

/**
 * Address of the hot wallet as it is shown and paid. Throws for a family without one: no chain of
 * it has a sender.
 */
export function hotWalletText({ deriver }: Pick<SendingChain, 'deriver'>): string {
  const address = deriver.hotWallet();
  if (address === null) throw new Error(`the family ${deriver.family} has no hot wallet`);
  return address;
}

/**
 * The key that signs for a wallet of ours. Throws for an address that was never issued, which no
 * transfer can have.
 */
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

/**
 * The transfers of a batch as they are now, in their order, without those that left it. Null when
 * none is left.
 */
export async function batchOf(
  { outgoing }: Repositories,
  transferBatchId: string,
): Promise<TransferBatch | null> {
  return stillIn(await outgoing.ofBatch(transferBatchId));
}

/**
 * The same, locked. Its payouts are locked first, in the order of their ids, so that two workers
 * never wait for each other.
 */
export async function lockBatch(
  { outgoing, payouts }: Repositories,
  transferBatchId: string,
): Promise<{ batch: TransferBatch; payouts: readonly Payout[] } | null> {
  const locked: Payout[] = [];
  for (const id of (await outgoing.payoutsOf(transferBatchId)).toSorted()) {
    const payout = await payouts.lock(id);
    if (!payout) throw new Error(`payout ${id} is gone`);
    locked.push(payout);
  }
  const batch = stillIn(await outgoing.lockBatch(transferBatchId));
  if (batch === null) return null;
  const paid = new Set(batch.map(({ referenceId }) => referenceId));
  return { batch, payouts: locked.filter(({ id }) => paid.has(id)) };
}

/** Without those that left their batch; null when none is left. */
export function stillIn(transfers: readonly OutgoingTransfer[]): TransferBatch | null {
  const [lead, ...others] = transfers.filter(({ takenOut }) => !takenOut);
  return lead ? [lead, ...others] : null;
}

/**
 * The transfer and its payout, locked: payouts are locked before transfers everywhere. All
 * transfers of its batch are locked with it, in the order of their places, so that nobody settles
 * another of them meanwhile: what those bear of the network fee decides what it bears.
 */
export async function lockTransfer(repositories: Repositories, transfer: OutgoingTransfer) {
  const payout = transfer.purpose === 'payout' ? await repositories.payouts.lock(transfer.referenceId) : null;
  const batch = await repositories.outgoing.lockBatch(transfer.transferBatchId);
  const locked = batch.find(({ id }) => id === transfer.id);
  if (!locked || (transfer.purpose === 'payout' && !payout))
    throw new Error(`outgoing transfer ${transfer.id} or its payout is gone`);
  return { transfer: locked, payout, batch };
}

/**
 * Takes the next nonce of the wallet, and stores a transfer of which nothing is signed. In the
 * caller's transaction.
 */
export async function insertTransfer(
  { outgoing }: Repositories,
  { from, ...order }: Omit<Parameters<typeof allocatedTransfer>[0], 'nonce'> & { readonly from: NonceFrom },
): Promise<void> {
  const nonce = await outgoing.takeNonce({ chain: order.chain, address: order.wallet, ...from });
  await outgoing.insert(allocatedTransfer({ ...order, nonce }));
}

/**
 * Applies an event to a locked transfer and saves it as it is then. Null, and nothing is written,
 * where the event cannot happen to it (any more). In the caller's transaction.
 */
export async function moveTransfer(
  { outgoing }: Pick<Repositories, 'outgoing'>,
  transfer: OutgoingTransfer,
  event: OutgoingEvent,
): Promise<OutgoingTransfer | null> {
  const next = decideOutgoing(transfer, event);
  if (next === null) return null;
  const moved = { ...transfer, ...next };
  await outgoing.save(moved);
  return moved;
}
