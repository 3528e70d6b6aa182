/** Refunds that operators order: to an address, or by a claim that the customer confirms. */
import { err, ok } from '../../../domain/result.ts';
import { audited, idIn } from '../../audit/audited.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { creditStray } from '../../deposits/unmatched-deposits.ts';
import { offerWorth, withdrawRefund } from '../../payouts/refunds/offer-refund.ts';
import {
  type InvoiceRefundQuote,
  quoteInvoiceRefund,
  refundAsQuoted,
  refundInvoice,
} from '../../payouts/refunds/refund-invoice.ts';
import type { RefundOrder } from '../../payouts/refunds/refund-terms.ts';
import { joined } from '../../shared/joined.ts';
import type { Carrier, Within } from '../approvals/carry-out.ts';
import { grownFault, offeredClaim, offerWithin } from '../approvals/offered-claim.ts';
import { offerJson, offerOf, refundJson, refundOf, textOf } from '../approvals/order-payloads.ts';
import { orderWithin } from '../approvals/order-within.ts';
import { ordered } from '../approvals/ordered.ts';
import { formFault } from '../approvals/store-request.ts';
import type { OperatorDesk } from '../operator-desk.ts';
import { creditAction } from './deposits-and-webhooks.ts';
import { act, actionOf, type OperatorParts, requesterFrom } from './seat-parts.ts';

type RefundActions = Pick<OperatorDesk, 'offerRefund' | 'withdrawRefund' | 'previewRefund' | 'refundInvoice'>;

export function refundActions(parts: OperatorParts): RefundActions {
  const { deps } = parts;
  return {
    async offerRefund(by, offer, formId) {
      const fault = formFault(formId);
      if (fault !== null) return err(fault);
      // Credited first, as by the script: whatever becomes of the claim, it is the merchant's.
      const { of } = offer;
      if (of.subject === 'deposit') {
        const deposit = await deps.unitOfWork.run(({ deposits }) => deposits.find(of.depositId));
        const credited =
          deposit?.status === 'credited'
            ? null
            : await act(deps, by, creditAction(of.depositId), (on) => creditStray(on)(of.depositId));
        if (credited?.ok === false) return credited;
      }
      const ordering = { ...offer, by: { operator: by.actor.name } };
      const stored = await orderWithin(deps)({
        by: requesterFrom(by),
        wanted: {
          ...{ kind: 'operator_refund_offer', order: offerJson(offer), formId, sandbox: null },
          worth: (repositories) => offerWorth(deps, repositories, ordering),
        },
        terms: { operatorLimitMicroUsd: parts.approvalAboveMicroUsd },
        begin: async () => ok(offerWithin(deps, ordering)),
      });
      return stored.ok ? ordered(stored.value, (made) => offeredClaim(deps, made)) : stored;
    },

    withdrawRefund: (by, id) =>
      act(deps, by, { action: 'refund.withdrawn', subject: 'refund', id }, (on) =>
        withdrawRefund(on)(id, null),
      ),

    previewRefund: (by, invoiceId, order) =>
      refundInvoice(deps)(invoiceId, { ...order, by: by.actor.name, dryRun: true }),

    async refundInvoice(by, invoiceId, order, formId) {
      const named = { ...order, by: by.actor.name };
      let quoted: InvoiceRefundQuote | null = null;
      const stored = await orderWithin(deps)({
        by: requesterFrom(by),
        wanted: {
          ...{ kind: 'operator_refund', order: refundJson(invoiceId, order), formId, sandbox: null },
          worth: async () => ok(quoted?.microUsd ?? null),
        },
        terms: { operatorLimitMicroUsd: parts.approvalAboveMicroUsd },
        async begin() {
          const found = await quoteInvoiceRefund(deps)(invoiceId, named);
          if (!found.ok) return found;
          quoted = found.value;
          return ok(refundWithin(deps, { invoiceId, order: named, quoted: found.value }));
        },
      });
      return stored.ok ? ordered(stored.value, (made) => ({ payoutId: textOf(made, 'payout_id') })) : stored;
    },
  };
}

export function operatorOfferCarrier(deps: AppDependencies): Carrier {
  return {
    begin: async (approved) =>
      ok(
        offerWithin(
          deps,
          { ...offerOf(approved.order), by: { operator: approved.requestedByName } },
          approved,
        ),
      ),
  };
}

/** Quoted again: fees and the invoice may have changed. */
export function refundCarrier(deps: AppDependencies): Carrier {
  return {
    async begin(approved) {
      const invoiceId = textOf(approved.order, 'invoice_id');
      const order = { ...refundOf(approved.order), by: approved.requestedByName };
      const quoted = await quoteInvoiceRefund(deps)(invoiceId, order);
      if (!quoted.ok) return quoted;
      const refused = grownFault(approved, quoted.value.microUsd);
      return refused === null
        ? ok(refundWithin(deps, { invoiceId, order, quoted: quoted.value }))
        : err(refused);
    },
  };
}

function refundWithin(
  deps: AppDependencies,
  { invoiceId, order, quoted }: { invoiceId: string; order: RefundOrder; quoted: InvoiceRefundQuote },
): Within {
  return async (repositories, actor) => {
    const action = actionOf({ action: 'refund.ordered', subject: 'refund', note: `by ${order.by}` });
    const within = audited(joined(deps, repositories), actor, action, { subjectOf: idIn('refund') });
    const refunded = await refundAsQuoted(within)(invoiceId, order, quoted);
    return refunded.ok ? ok({ payout_id: refunded.value.refund.id }) : refunded;
  };
}
