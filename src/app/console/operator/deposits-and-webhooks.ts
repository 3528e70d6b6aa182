/** What operators decide about waiting money, webhooks that are sent again, and a test notice. */

import { err, ok } from '../../../domain/result.ts';
import { declineCredit, grantCredit, noRequest } from '../../deposits/credit-requests.ts';
import { creditStray, rejectHeld, releaseHeld } from '../../deposits/unmatched-deposits.ts';
import { replayDead, replayInvoice } from '../../invoices/replay-webhooks.ts';
import { orderTestNotice } from '../../notices/order-test-notice.ts';
import type { OperatorDesk } from '../operator-desk.ts';
import { act, noted, type OperatorParts } from './seat-parts.ts';

type Actions = Pick<
  OperatorDesk,
  | 'releaseHeld'
  | 'rejectHeld'
  | 'creditStray'
  | 'grantCredit'
  | 'declineCredit'
  | 'replayInvoice'
  | 'replayDead'
  | 'tryNotices'
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

    replayInvoice: (by, id) => act(deps, by, again(`of invoice ${id}`), (on) => replayInvoice(on)(id)),
    async replayDead(by, since) {
      const note = `all that were given up${since === null ? '' : ` since ${since.toISOString()}`}`;
      return ok(await act(deps, by, again(note), (on) => replayDead(on)({ since })));
    },
    async tryNotices(by) {
      const note = 'a test notice to operators';
      const action = { action: 'delivery.tested', subject: 'delivery', note } as const;
      await act(deps, by, action, (on) => orderTestNotice(on)());
      return ok(null);
    },
  };
}

export function creditAction(id: string) {
  return { action: 'deposit.credited', subject: 'deposit', id } as const;
}
