/** Queues an e-mail to the customer, in the transaction of its cause. */
import { customerContact, type MailKind } from '../../domain/mails/customer-mail.ts';
import type { JsonObject } from '../../domain/money/json.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';

interface AboutInvoice {
  readonly id: string;
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly payerInfo: JsonObject | null;
}

/** Does nothing while e-mail is off, and where the invoice has no address of its customer. */
export async function queueMail(
  { ids, clock }: Pick<AppDependencies, 'ids' | 'clock'>,
  { customerMails }: Repositories,
  { id: invoiceId, merchantId, sandbox, payerInfo }: AboutInvoice,
  about:
    | { readonly kind: Exclude<MailKind, 'refund'> }
    | { readonly kind: 'refund'; readonly claimId: string },
): Promise<void> {
  const contact = customerMails.isOn ? customerContact(payerInfo) : null;
  if (contact === null) return;
  const at = clock.now();
  await customerMails.queue({
    ...{ id: ids.id(), merchantId, sandbox, invoiceId, kind: about.kind, ...contact },
    refundClaimId: about.kind === 'refund' ? about.claimId : null,
    ...{ status: 'queued', tries: 0, dueAt: at, failure: null, createdAt: at },
  });
}
