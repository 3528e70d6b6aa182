/** Webhooks on demand: a replay of an invoice's snapshot, and a test event for a receiver. */
import { type AppError, appError } from '../../domain/errors.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { WebhookFormat } from '../../domain/webhooks/webhook-format.ts';
import { verdictOf } from '../../domain/webhooks/webhook-verdict.ts';
import type { Once } from '../../ports/stored-answers.ts';
import type { DeliveryReport, TestWebhook } from '../application.ts';
import type { Caller } from '../caller.ts';
import type { AppDependencies } from '../dependencies.ts';
import { storeAnswer } from '../shared/store-answer.ts';
import type { WebhookDispatcher } from '../webhooks/deliver-webhooks.ts';
import { enqueueSnapshot, foreignBody, webhookBody } from './invoice-events.ts';
import { unixSeconds } from './present-invoice.ts';
import { sampleInvoice } from './sample-invoice.ts';

/** Queues the current snapshot as a new delivery; earlier ones do not change. */
export function replayWebhook(
  deps: AppDependencies,
): (
  caller: Caller,
  invoiceId: string,
  once?: Once<{ deliveryId: string }> | null,
) => Promise<Result<{ deliveryId: string }, AppError>> {
  return (caller, invoiceId, once = null) =>
    deps.unitOfWork.run(async (repositories) => {
      // Locked, so that the snapshot is the one of the event whose number it repeats.
      const invoice = await repositories.invoices.lock(invoiceId);
      if (
        !invoice ||
        invoice.merchantId !== caller.scope.merchantId ||
        invoice.sandbox !== caller.scope.sandbox
      ) {
        return err(appError('NOT_FOUND', 'No such invoice.'));
      }
      const queued = await enqueueSnapshot(deps, repositories, invoice, {
        invoiceVersion: null,
        notifyUrl: null,
      });
      if (queued === null)
        return err(noDestination('The invoice has no notify_url and the merchant no callback_url.'));
      const made = { deliveryId: queued.deliveryId };
      await storeAnswer(deps, repositories, caller.scope, once, made);
      return ok(made);
    });
}

/**
 * Sends a test event, or a sample invoice, immediately and logs the attempt. Tests are not retried
 * and have no number in the list of events.
 */
export function sendTestWebhook(
  deps: AppDependencies,
  dispatcher: WebhookDispatcher,
): (caller: Caller, wanted: TestWebhook) => Promise<Result<DeliveryReport, AppError>> {
  return async (caller, wanted) => {
    const url = wanted.url ?? caller.merchant.callbackUrl;
    if (url === null) return err(noDestination('Send a url: the merchant has no callback_url.'));
    const id = deps.ids.id();
    const sentAt = deps.clock.now();
    const keys = await deps.unitOfWork.run(({ merchants }) =>
      merchants.signingKeys(caller.merchant.id, caller.environment, sentAt),
    );
    if (keys === null) throw new Error('an authenticated merchant without a key');
    const { merchantId, sandbox } = caller.scope;
    const told =
      wanted.status === null && wanted.format === null
        ? { format: 'native_v2' as const, body: testBody(sentAt, sandbox) }
        : sample(deps, caller, id, wanted);
    const outcome = await dispatcher.sendOnce({ merchantId, url, keys, sandbox, id, ...told });
    const statusCode = outcome.kind === 'answered' ? outcome.status : null;
    const responseBody = outcome.kind === 'answered' ? outcome.body : outcome.reason;
    await deps.webhookQueue.logTest({ id, ...caller.scope, url, statusCode, responseBody, sentAt });
    const delivered = statusCode !== null && verdictOf(statusCode) === 'delivered';
    const error = statusCode === null ? responseBody : `the receiver answered ${statusCode}`;
    return ok({ url, delivered, statusCode, error: delivered ? null : error });
  };
}

function testBody(at: Date, sandbox: boolean): string {
  return JSON.stringify({
    event: 'test',
    message: 'This is a test notification. It belongs to no invoice.',
    created_at: unixSeconds(at),
    ...(sandbox ? { sandbox: true } : {}),
  });
}

function sample(
  deps: AppDependencies,
  { merchant, scope }: Caller,
  deliveryId: string,
  { status, format }: TestWebhook,
): { format: WebhookFormat; body: string } {
  const { sandbox } = scope;
  const wanted = { sandbox, status: status ?? 'success', format: format ?? 'native_v2' };
  const invoice = sampleInvoice(deps, merchant, wanted);
  const body = `${webhookBody(deps, invoice).slice(0, -1)},"event_seq":null}`;
  return foreignBody(deps, invoice, deliveryId) ?? { format: 'native_v2', body };
}

function noDestination(why: string): AppError {
  return appError('NO_DESTINATION', `${why} Ask the operator to set a callback_url.`);
}
