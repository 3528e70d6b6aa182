/** What operators decide about waiting money, and webhooks that are sent again. */

import { err, ok } from '../../../domain/result.ts';
import { declineCredit, grantCredit, noRequest } from '../../deposits/credit-requests.ts';
import { creditStray, rejectHeld, releaseHeld } from '../../deposits/unmatched-deposits.ts';
import { replayDead, replayInvoice } from '../../invoices/replay-webhooks.ts';
import { assignFunding } from '../../treasury/assign-funding.ts';
import { bookAsOwnerFunding } from '../../treasury/pooled-funding.ts';
import type { OperatorDesk } from '../operator-desk.ts';
import { act, chainHere, noted, type OperatorParts } from './seat-parts.ts';

type Actions = Pick<
  OperatorDesk,
  | 'releaseHeld'
  | 'rejectHeld'
  | 'creditStray'
  | 'grantCredit'
  | 'declineCredit'
  | 'assignFunding'
  | 'adoptFunding'
  | 'replayInvoice'
  | 'replayDead'
>;

export function depositAndWebhookActions(parts: OperatorParts): Actions {
  const { deps } = parts;
  const onDeposit = (action: string, id: string, note: string | null = null) =>
    ({ action, subject: 'deposit', id, note }) as const;
  const again = (note: string) => ({ action: 'delivery.queued_again', subject: 'delivery', note }) as const;
  return {
    releaseHeld: (by, id) => act(deps, by, onDeposit('deposit.released', id), (on) => releaseHeld(on)(id)),
    rejectHeld: (by, id, reason) =>
      noted('reason', reason, () =>
        act(deps, by, onDeposit('deposit.rejected', id, reason), (on) => rejectHeld(on)(id, reason)),
      ),
    creditStray: (by, id) => act(deps, by, creditAction(id), (on) => creditStray(on)(id)),

    // The entry names the deposit of the request, whatever a form says.
    async grantCredit(by, requestId, answer) {
      const request = await deps.consoleQueries.creditRequest(requestId);
      if (request === null) return err(noRequest(requestId));
      const action = { ...creditAction(request.depositId), note: answer };
      return act(deps, by, action, (on) => grantCredit(on)(requestId, { by: by.actor.name, answer }));
    },
    async declineCredit(by, requestId, answer) {
      const request = await deps.consoleQueries.creditRequest(requestId);
      if (request === null) return err(noRequest(requestId));
      const action = onDeposit('deposit.credit_declined', request.depositId, answer);
      return act(deps, by, action, (on) => declineCredit(on)(requestId, { by: by.actor.name, answer }));
    },

    async assignFunding(by, { chain, txid, address }) {
      const on = chainHere(parts, chain);
      if (!on.ok) return on;
      const action = onDeposit('deposit.assigned', `${chain}:${txid}`, address);
      return act(deps, by, action, (within) => assignFunding(within, on.value)({ txid, address }));
    },
    async adoptFunding(by, { chain, txid, note }) {
      const on = chainHere(parts, chain);
      if (!on.ok) return on;
      const id = `${chain}:${on.value.sender.nativeAsset}`;
      const action = { action: 'capital.adopted', subject: 'capital', id, note: txid } as const;
      return noted('note', note, () =>
        act(deps, by, action, (within) => bookAsOwnerFunding(within, on.value)({ txid, note })),
      );
    },

    replayInvoice: (by, id) => act(deps, by, again(`of invoice ${id}`), (on) => replayInvoice(on)(id)),
    async replayDead(by, since) {
      const note = `all that were given up${since === null ? '' : ` since ${since.toISOString()}`}`;
      return ok(await act(deps, by, again(note), (on) => replayDead(on)({ since })));
    },
  };
}

export function creditAction(id: string) {
  return { action: 'deposit.credited', subject: 'deposit', id } as const;
}
