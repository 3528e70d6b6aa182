/** Invoices of a merchant's console: as the API makes, ends and simulates them. */
import type { Application } from '../../application.ts';
import { runAudited } from '../../audit/audited.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { requestCredit } from '../../deposits/credit-requests.ts';
import { cancelInvoice } from '../../invoices/cancel-invoice.ts';
import { replayWebhook } from '../../invoices/notify.ts';
import { sendAgain } from '../../webhooks/send-again.ts';
import { acceptInvoice } from '../accept-invoice.ts';
import { recordDone, snapshotNow } from '../desk-actions.ts';
import type { MerchantDesk } from '../merchant-desk.ts';
import { actionAt, auditedAt, barred } from './desk-parts.ts';

type InvoiceActions = Pick<
  MerchantDesk,
  | 'createInvoice'
  | 'cancelInvoice'
  | 'acceptInvoice'
  | 'requestCredit'
  | 'simulateInvoice'
  | 'replayWebhook'
  | 'sendAgain'
  | 'sendTestWebhook'
>;

export function invoiceActions(deps: AppDependencies, application: Application): InvoiceActions {
  return {
    createInvoice: (by, input) =>
      barred(by, async () => {
        const made = await application.createInvoice(by.caller, input);
        if (made.ok) {
          const action = { action: 'invoice.created', subject: 'invoice', subjectId: made.value.id } as const;
          await recordDone(deps, by.actor, actionAt(by, action));
        }
        return made;
      }),

    cancelInvoice: (by, invoiceId) =>
      barred(by, () => {
        const action = { action: 'invoice.cancelled', subject: 'invoice', subjectId: invoiceId } as const;
        return cancelInvoice(auditedAt(deps, by, action))(by.caller, invoiceId);
      }),

    acceptInvoice: (by, invoiceId) =>
      barred(by, () => {
        const action = { action: 'invoice.accepted', subject: 'invoice', subjectId: invoiceId } as const;
        return acceptInvoice(auditedAt(deps, by, action))(by.caller.scope, invoiceId);
      }),

    requestCredit: (by, depositId, reason) =>
      barred(by, () => {
        const action = {
          action: 'deposit.credit_requested',
          subject: 'deposit',
          subjectId: depositId,
        } as const;
        const asked = { depositId, by: by.actor.name, reason };
        return runAudited(deps, by.actor, actionAt(by, { ...action, note: reason }), (within) =>
          requestCredit(within)(by.caller.scope, asked),
        );
      }),

    simulateInvoice: (by, invoiceId, input) =>
      barred(by, async () => {
        const subject = { subject: 'invoice', subjectId: invoiceId } as const;
        const before = await snapshotNow(deps, subject);
        const made = await application.simulateInvoice(by.caller, invoiceId, input);
        const action = { action: 'invoice.simulated', ...subject, note: input.status };
        if (made.ok) await recordDone(deps, by.actor, actionAt(by, action), before);
        return made;
      }),

    replayWebhook: (by, invoiceId) =>
      barred(by, () => {
        const action = { action: 'delivery.queued_again', subject: 'delivery', subjectId: null } as const;
        const within = auditedAt(deps, by, { ...action, note: `invoice ${invoiceId}` }, deliveryIn);
        return replayWebhook(within)(by.caller, invoiceId);
      }),

    sendAgain: (by, deliveryId) =>
      barred(by, () => {
        const action = {
          ...({ action: 'delivery.queued_again', subject: 'delivery', subjectId: deliveryId } as const),
          note: deliveryId === null ? 'all that were given up' : null,
        };
        return runAudited(deps, by.actor, actionAt(by, action), (within) =>
          sendAgain(within)(by.caller.scope, deliveryId),
        );
      }),

    sendTestWebhook: (by, wanted) =>
      barred(by, async () => {
        const sent = await application.sendTestWebhook(by.caller, wanted);
        const action = { action: 'delivery.tested', subject: 'delivery', subjectId: null } as const;
        if (sent.ok) await recordDone(deps, by.actor, actionAt(by, { ...action, note: sent.value.url }));
        return sent;
      }),
  };
}

function deliveryIn(made: unknown): string | null {
  const found = typeof made === 'object' && made !== null && 'deliveryId' in made ? made.deliveryId : null;
  return typeof found === 'string' ? found : null;
}
