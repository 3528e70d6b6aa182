/** Coins that the operator sent to the hot wallet's address are the gateway's capital: booked by themselves once they are final. */
import { postCapital } from './capital-entry.ts';
import type { SendingChain, SendingNeeds } from './sending.ts';

const AT_ONCE = 100;

/** Answers how many were booked. */
export function bookFunding(deps: SendingNeeds, on: Pick<SendingChain, 'chain' | 'sender'>): Promise<number> {
  const { chain, sender } = on;
  const asset = sender.nativeAsset;
  return deps.unitOfWork.run(async (repositories) => {
    const cursor = await repositories.chains.cursor(chain);
    if (cursor === null) return 0;
    const found = await repositories.coins.lockUnbooked(chain, cursor.finalizedHeight, AT_ONCE);
    for (const { txid, vout, units, block } of found) {
      const note = `received at the hot wallet: ${txid}:${vout}`;
      const coin = { txid, vout };
      await postCapital(deps, repositories, { chain, asset, units, block, note, coin });
      await repositories.coins.markBooked(chain, coin);
      deps.logger.info('the operator put money into a hot wallet', {
        chain,
        asset,
        units: units.toString(),
        txid,
      });
    }
    return found.length;
  });
}
