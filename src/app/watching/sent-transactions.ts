/**
 * Transactions from the gateway's other addresses, sweeps above all: without them a balance does
 * not show what arrived.
 */
import { batchesOf } from '../../domain/sending/outgoing.ts';
import type { SentTransaction } from '../../ports/chains/watch-list.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Most unsettled ones that are read. */
const OPEN_MAX = 10_000;

/**
 * Signed transactions that may be in a block from `height` on. Of a replaced transfer only the
 * transaction that settled it, once one did.
 */
export async function sentTransactions(
  { unitOfWork, catalog }: Pick<AppDependencies, 'unitOfWork' | 'catalog'>,
  { chain, wallet, height }: { chain: string; wallet: string; height: number },
): Promise<readonly SentTransaction[]> {
  return unitOfWork.run(async ({ outgoing }) => {
    const transfers = [
      ...(await outgoing.open(chain, OPEN_MAX)),
      ...(await outgoing.settledFrom(chain, height)),
    ].filter((transfer) => transfer.wallet !== wallet);
    if (transfers.length === 0) return [];
    const batches = new Map(batchesOf(transfers).map((batch) => [batch[0].transferBatchId, batch]));
    const signed = await outgoing.signedOf([...batches.keys()]);
    return signed.flatMap(({ transferBatchId, txid, voids }) => {
      const batch = batches.get(transferBatchId);
      if (batch === undefined || !batch.some((transfer) => (transfer.txid ?? txid) === txid)) return [];
      const [{ wallet: from, asset }] = batch;
      const paysCoin = !voids && catalog.require(asset).type === 'native';
      return [{ txid, from, units: paysCoin ? batch.reduce((sum, { units }) => sum + units, 0n) : 0n }];
    });
  });
}
