/**
 * Books UTXOs that the operator sent to the hot wallet as owner funding once they are final, and
 * reverses that when no block has them any more.
 */
import { postCapital } from './capital-entry.ts';
import type { SendingChain, SendingNeeds } from './sending-chain.ts';

const AT_ONCE = 100;

/** Returns how many were booked or reversed. */
export function bookFunding(deps: SendingNeeds, on: Pick<SendingChain, 'chain' | 'sender'>): Promise<number> {
  const { chain, sender } = on;
  const asset = sender.nativeAsset;
  return deps.unitOfWork.run(async (repositories) => {
    const cursor = await repositories.chains.cursor(chain);
    if (cursor === null) return 0;
    const found = await repositories.utxos.lockUnbooked(chain, cursor.finalizedHeight, AT_ONCE);
    for (const { txid, vout, units, block } of found) {
      const note = `received at the hot wallet: ${txid}:${vout}`;
      const utxo = { txid, vout };
      await postCapital(deps, repositories, { chain, asset, units, block, note, coin: utxo });
      await repositories.utxos.markBooked(chain, utxo, true);
      deps.logger.info('funding.arrived', {
        chain,
        asset,
        units: units.toString(),
        txid,
      });
    }
    const gone = await repositories.utxos.lockBookedInVain(chain, AT_ONCE);
    for (const { txid, vout, units, block } of gone) {
      const note = `its block left the chain: ${txid}:${vout}`;
      const utxo = { txid, vout };
      await postCapital(deps, repositories, { chain, asset, units: -units, block, note, coin: utxo });
      await repositories.utxos.markBooked(chain, utxo, false);
      deps.logger.error('funding.reversed', {
        ...{ chain, asset, txid },
        units: units.toString(),
      });
    }
    return found.length + gone.length;
  });
}
