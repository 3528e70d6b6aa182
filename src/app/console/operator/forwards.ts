/** Forwards to the cold address, and what its account needs: a worker carries out both. */
import { appError } from '../../../domain/errors.ts';
import { err, ok } from '../../../domain/result.ts';
import { giveUpForward, requestForward } from '../../treasury/forwards/operate-forwards.ts';
import { setUpWallet } from '../../treasury/prepare-wallet.ts';
import type { OperatorDesk } from '../operator-desk.ts';
import { act, asking, chainHere, type OperatorParts } from './seat-parts.ts';

type ForwardActions = Pick<OperatorDesk, 'forwardable' | 'requestForward' | 'giveUpForward' | 'setUpWallet'>;

export function forwardActions(parts: OperatorParts): ForwardActions {
  const { deps, forwarded } = parts;
  return {
    forwardable: (chain) => forwarded.filter((asset) => deps.catalog.require(asset).chain === chain),

    async requestForward(by, asset) {
      if (!forwarded.includes(asset))
        return err(appError('NOT_FOUND', `treasury.forward of CONFIG_FILE has no threshold for ${asset}.`));
      const { chain } = deps.catalog.require(asset);
      const action = { action: 'forward.requested', subject: 'forward', note: asset } as const;
      await act(deps, by, action, (on) => requestForward(on, { chain, asset }));
      return ok(null);
    },

    giveUpForward: (by, id) =>
      act(deps, by, { action: 'forward.given_up', subject: 'forward', id }, (on) => giveUpForward(on)(id)),

    async setUpWallet(by, chain) {
      const on = chainHere(parts, chain);
      if (!on.ok) return on;
      const action = { action: 'wallet.setup_ordered', subject: 'wallet' } as const;
      // What is set, or on its way, has no entry.
      const subjectOf = (made: unknown) => (made === 'ordered' ? chain : null);
      return asking(chain, async () =>
        ok(await act(deps, by, action, (within) => setUpWallet(within, on.value), { subjectOf })),
      );
    },
  };
}
