/**
 * Books UTXOs that the operator sent to the hot wallet as owner funding once they are final, and
 * reverses that when no block has them any more. A UTXO that was booked as spent without the
 * gateway is taken back then: what never arrived was not spent either.
 */
import { postCapital } from './capital-entry.ts';
import type { SendingChain, SendingNeeds } from './sending-chain.ts';

const AT_ONCE = 100;

/** Returns how many were booked, reversed or taken back. */
export function bookFunding(deps: SendingNeeds, on: Pick<SendingChain, 'chain' | 'sender'>): Promise<number> {
  const { chain, sender } = on;
  const asset = sender.nativeAsset;
  const place = { chain, asset, address: null };
  return deps.unitOfWork.run(async (repositories) => {
    const cursor = await repositories.chains.cursor(chain);
    if (cursor === null) return 0;
    const found = await repositories.utxos.lockUnbooked(chain, cursor.finalizedHeight, AT_ONCE);
    for (const { txid, vout, units, block } of found) {
      const note = `received at the hot wallet: ${txid}:${vout}`;
      const utxo = { txid, vout };
      await postCapital(deps, repositories, { ...place, units, block, note, coin: utxo });
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
      await postCapital(deps, repositories, { ...place, units: -units, block, note, coin: utxo });
      await repositories.utxos.markBooked(chain, utxo, false);
      deps.logger.error('funding.reversed', {
        ...{ chain, asset, txid },
        units: units.toString(),
      });
    }
    const page = { inBlock: false, after: null, limit: AT_ONCE };
    const neverSpent = await repositories.utxos.spentOutside(chain, page);
    for (const { txid, vout } of neverSpent) {
      const utxo = { txid, vout };
      const back = await repositories.utxos.markSpentOutside(chain, utxo, { isSpent: false });
      if (back === null) continue;
      const { units } = back;
      const note = `its block left the chain, so it was not spent either: ${txid}:${vout}`;
      const block = { height: cursor.height, hash: cursor.hash };
      await postCapital(deps, repositories, { ...place, units, block, note, coin: utxo });
    }
    return found.length + gone.length + neverSpent.length;
  });
}
