/**
 * Books UTXOs that the operator sent to the hot wallet as owner funding once they are final, and
 * reverses that when no block has them any more. So it does with the change of transactions of ours
 * that the books lack: what those spent is booked out (treasury/book-differences.ts). A UTXO that
 * was booked as spent without the gateway is taken back then: what never arrived was not spent
 * either.
 */
import { outpointText } from '../../domain/chains/outpoint.ts';
import type { Utxo } from '../../ports/sending/utxo-spending.ts';
import { postCapital } from '../shared/capital-entry.ts';
import type { SendingChain, SendingNeeds } from './sending-chain.ts';

const AT_ONCE = 100;
const isFunding = ({ key }: Utxo): boolean => key.role === 'hot';

/** Returns how many were booked, reversed or taken back. */
export function bookFunding(deps: SendingNeeds, on: Pick<SendingChain, 'chain' | 'sender'>): Promise<number> {
  const { chain, sender } = on;
  const asset = sender.nativeAsset;
  const place = { chain, asset, address: null };
  const told = ({ txid, units }: Utxo) => ({ chain, asset, units: units.toString(), txid });
  return deps.unitOfWork.run(async (repositories) => {
    const cursor = await repositories.chains.cursor(chain);
    if (cursor === null) return 0;
    const found = await repositories.utxos.lockUnbooked(chain, cursor.finalizedHeight, AT_ONCE);
    for (const utxo of found) {
      const { units, block } = utxo;
      const what = isFunding(utxo) ? 'received at the hot wallet' : 'change of an unknown transaction';
      const note = `${what}: ${outpointText(utxo)}`;
      await postCapital(deps, repositories, { ...place, units, block, note, coin: utxo });
      await repositories.utxos.markBooked(chain, utxo, true);
      // `wallet.unknown_transaction` told of the others.
      if (isFunding(utxo)) deps.logger.info('funding.arrived', told(utxo));
    }
    const gone = await repositories.utxos.lockBookedInVain(chain, AT_ONCE);
    for (const utxo of gone) {
      const [units, { block }] = [-utxo.units, utxo];
      const note = `its block left the chain: ${outpointText(utxo)}`;
      await postCapital(deps, repositories, { ...place, units, block, note, coin: utxo });
      await repositories.utxos.markBooked(chain, utxo, false);
      if (isFunding(utxo)) deps.logger.error('funding.reversed', told(utxo));
    }
    const where = { inBlock: false };
    const page = { ...where, after: null, limit: AT_ONCE };
    let takenBack = 0;
    for (const utxo of await repositories.utxos.spentOutside(chain, page)) {
      const back = { isSpent: false, ...where } as const;
      if ((await repositories.utxos.markSpentOutside(chain, utxo, back)) === null) continue;
      takenBack += 1;
      const { units } = utxo;
      const note = `its block left the chain, so it was not spent either: ${outpointText(utxo)}`;
      const block = { height: cursor.height, hash: cursor.hash };
      await postCapital(deps, repositories, { ...place, units, block, note, coin: utxo });
    }
    return found.length + gone.length + takenBack;
  });
}
