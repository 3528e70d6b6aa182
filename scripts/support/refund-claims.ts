/** Refunds that customers claim, for operators: offering and withdrawing. */
import { idIn } from '../../src/app/audit/audited.ts';
import { claimUrl } from '../../src/app/payouts/refunds/claim-url.ts';
import { offerRefund } from '../../src/app/payouts/refunds/offer-refund.ts';
import type { RefundOffer } from '../../src/app/payouts/refunds/refund-order.ts';
import { formatUnits } from '../../src/domain/money/decimal.ts';
import { FEE_BEARERS } from '../../src/domain/money/fee.ts';
import {
  CLAIM_DAYS_DEFAULT,
  CLAIM_DAYS_MAX,
  type RefundClaim,
} from '../../src/domain/payouts/refund-claim.ts';
import type { Arguments } from './arguments.ts';
import { orRefuse } from './failures.ts';
import type { CommandContext, CommandReport } from './program.ts';
import { oneOf, wholeNumber } from './values.ts';

/** Options of every command that offers a refund. */
export const OFFER_OPTIONS = {
  'fee-bearer': {
    value: 'WHO',
    help: `with a claim, who pays the network fee: ${FEE_BEARERS.join(' or ')} (default: client, who gets that much less)`,
  },
  days: { value: 'DAYS', help: `until a claim expires (default: ${CLAIM_DAYS_DEFAULT})` },
  email: { help: 'sends the link to the customer, if the gateway sends e-mails' },
  'on-checkout': { help: 'the checkout of the invoice leads to the claim' },
} as const;

export function readOffer(args: Arguments): Pick<RefundOffer, 'feeBearer' | 'onCheckout' | 'days' | 'mails'> {
  return {
    feeBearer: args.read('fee-bearer', oneOf(FEE_BEARERS)) ?? 'client',
    days: args.read('days', wholeNumber(1, CLAIM_DAYS_MAX)) ?? CLAIM_DAYS_DEFAULT,
    onCheckout: args.isSet('on-checkout'),
    mails: args.isSet('email'),
  };
}

/** Prints the URL for the customer, which is not shown again. */
export async function offered(
  { act, service: { dependencies } }: CommandContext,
  offer: RefundOffer,
): Promise<CommandReport> {
  const claim = orRefuse(
    await act({ action: 'refund.offered', subject: 'refund' }, (deps) => offerRefund(deps)(offer), {
      subjectOf: idIn(),
    }),
  );
  const url = claimUrl(dependencies, claim.id);
  const { decimals } = dependencies.catalog.require(claim.asset);
  const amount = `${formatUnits(claim.units, decimals)} ${claim.asset}`;
  return {
    json: { ...claimJson(claim), amount: formatUnits(claim.units, decimals), claim_url: url },
    text: `refund ${claim.id} of ${amount} is offered until ${claim.expiresAt.toISOString()}. Send this to the customer:\n${url}`,
  };
}

function claimJson(claim: RefundClaim) {
  return {
    refund_id: claim.id,
    invoice_id: claim.invoiceId,
    deposit_id: claim.depositId,
    merchant_id: claim.merchantId,
    sandbox: claim.sandbox,
    status: claim.status,
    subject: claim.subject,
    asset: claim.asset,
    fee_bearer: claim.feeBearer,
    on_checkout: claim.onCheckout,
    ordered_by: claim.orderedBy,
    expires_at: Math.floor(claim.expiresAt.getTime() / 1000),
  };
}
