/**
 * The chain counts more transactions of the hot wallet than this gateway sent: somebody used it
 * elsewhere, or an older backup was put back. They may have paid the payouts that were pending when
 * that was first reported. Those are held until an operator has looked, unless each of the
 * transactions was found in a block (record-unknown-transactions.ts holds what they paid; safety.md
 * K4).
 */

import { assetsOf } from '../../catalog/assets-of-chain.ts';
import { holdBack } from '../restart/hold-back.ts';
import { hotWalletOf, type SendingChain, type SendingNeeds } from '../sending-chain.ts';
import type { AheadOfUs } from './next-nonce.ts';

export function aheadOfUs(deps: SendingNeeds, on: Pick<SendingChain, 'chain' | 'deriver'>): AheadOfUs {
  const { chain } = on;
  let pending: readonly string[] = [];
  return {
    async begun(wallet) {
      if (wallet !== hotWalletOf(on)) return;
      const all = { assets: assetsOf(deps, chain), madeBefore: null, now: deps.clock.now() };
      pending = await deps.unitOfWork.run(({ payouts }) => payouts.pendingOf(all));
    },
    async proven({ wallet, from, below }) {
      if (wallet !== hotWalletOf(on)) return;
      const held = await deps.unitOfWork.run(async (repositories) => {
        const found = await repositories.unknown.countNonces({ chain, wallet, from, below });
        const why = `unknown transactions of the wallet, with nonces ${from} to ${below - 1n}, may have paid it`;
        const lost = { payoutIds: pending, assets: assetsOf(deps, chain), at: deps.clock.now() };
        const those = found === below - from ? [] : await holdBack(repositories, lost, why);
        await repositories.outgoing.skipNonces({ chain, address: wallet, below });
        return those;
      });
      deps.logger.error('wallet.goes_on_behind', {
        ...{ chain, wallet, from: from.toString(), below: below.toString(), heldPayouts: held.length },
      });
    },
  };
}
