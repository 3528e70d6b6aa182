/**
 * UTXOs of the hot wallet: which of them a batch may spend, and how it claims them, so that no
 * other batch spends them (safety.md, "Paid once"). It also has the transfers that such UTXOs pay
 * to the hot wallet itself.
 */
import type { Repositories } from '../../../ports/repositories.ts';
import type { Utxo } from '../../../ports/sending/utxo-spending.ts';
import {
  hotWalletOf,
  hotWalletText,
  insertTransfer,
  type SendingChain,
  type SendingNeeds,
} from '../sending-chain.ts';

/**
 * UTXOs are chosen among so many of the largest: more would not pay better, and take longer under
 * the wallet's lock. As many are consolidated at once.
 */
export const CHOICE = 500;
/** Nonces are counted by ourselves: the chain knows none. */
export const OWN_COUNT = { atLeast: 0n };

/** Final UTXOs that no batch claims, largest first; none before the chain was read. */
export async function spendableUtxos(
  repositories: Repositories,
  chain: string,
  most = CHOICE,
): Promise<readonly Utxo[]> {
  const cursor = await repositories.chains.cursor(chain);
  return cursor === null ? [] : repositories.utxos.free(chain, cursor.finalizedHeight, most);
}

/**
 * Claims all of the UTXOs for a batch. In the caller's transaction, which holds the wallet's lock
 * since before it looked at them: only a reorganisation, or a doubt about one of them, can come
 * between. Throws then.
 */
export async function claimUtxos(
  repositories: Repositories,
  chain: string,
  transferBatchId: string,
  utxos: readonly Utxo[],
  options: { waiting: boolean } = { waiting: false },
): Promise<void> {
  if (!(await repositories.utxos.claim(chain, transferBatchId, utxos, options)))
    throw new Error(`UTXOs of ${chain} were taken while a batch was made: the next step makes it again`);
}

/** A purpose besides payouts for which UTXOs are spent: everything goes to our own hot wallet. */
export interface OwnSpending {
  readonly purpose: 'bump' | 'consolidation';
  readonly referenceId: string;
  readonly units: bigint;
  readonly utxos: readonly Utxo[];
}

/**
 * Orders a transfer of the hot wallet to itself, and claims what it spends. Nothing happens while
 * signing is stopped, where such a transfer is on its way, or where a batch spends any of the UTXOs
 * already.
 */
export async function spendOwn(
  deps: SendingNeeds,
  on: SendingChain,
  id: string,
  spending: OwnSpending,
): Promise<void> {
  const { utxos, ...order } = spending;
  const wallet = hotWalletOf(on);
  await deps.unitOfWork.run(async (repositories) => {
    if (await repositories.outgoing.signingStopped()) return;
    // Before the look: another worker may be about to order the same.
    await repositories.outgoing.lockWallet({ chain: on.chain, address: wallet });
    if (await repositories.outgoing.activeOf(order.purpose, order.referenceId)) return;
    if (await repositories.utxos.isClaimed(on.chain, utxos)) return;
    await insertTransfer(repositories, {
      id,
      chain: on.chain,
      wallet,
      from: OWN_COUNT,
      asset: on.sender.nativeAsset,
      to: hotWalletText(on),
      ...order,
      createdAt: deps.clock.now(),
    });
    // The change that a child spends waits for a block itself.
    await claimUtxos(repositories, on.chain, id, utxos, { waiting: order.purpose === 'bump' });
  });
}
