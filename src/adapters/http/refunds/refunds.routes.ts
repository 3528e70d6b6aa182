/** /api/v2/invoices/{id}/refunds and /api/v2/refunds: refunds that customers claim. */
import { Type } from '@sinclair/typebox';
import { presentClaim } from '../../../app/payouts/present-refund.ts';
import type { RefundOffer } from '../../../app/payouts/refunds/refund-order.ts';
import { FEE_BEARERS } from '../../../domain/money/fee.ts';
import {
  CLAIM_DAYS_DEFAULT,
  CLAIM_DAYS_MAX,
  type RefundClaim,
} from '../../../domain/payouts/refund-claim.ts';
import { err, ok } from '../../../domain/result.ts';
import { answer, created } from '../kit/answer.ts';
import { notFound } from '../kit/errors.ts';
import { decimal, ExactDecimal, Flag, MAX_AMOUNT, OneOf, WholeNumber, whole } from '../kit/input/schema.ts';
import { type BodyDefinition, route } from '../kit/route.ts';
import { OfferedRefundSchema, REFUND_EXAMPLE, RefundSchema } from './refund-view.ts';

const tag = 'Refunds';

const offerSchema = Type.Object({
  amount: Type.Optional(
    ExactDecimal({
      exclusiveMinimum: 0,
      maximum: MAX_AMOUNT,
      description:
        'A part, in the asset that was paid. Without it everything that you were credited and that was not refunded yet.',
    }),
  ),
  only_surplus: Type.Optional(
    Flag({
      description:
        'Only what was paid too much. The invoice keeps its status. Without it the invoice becomes `refunded`.',
    }),
  ),
  fee_bearer: Type.Optional(
    OneOf(FEE_BEARERS, {
      description: 'Who pays the network fee. Default: `client`, who then gets that much less.',
    }),
  ),
  on_checkout: Type.Optional(
    Flag({ description: 'Whether the checkout of the invoice leads to the refund. Default: false.' }),
  ),
  send_email: Type.Optional(
    Flag({
      description:
        'Whether to send the link to the `email` of `payer_info`, if the gateway sends e-mails. Default: false.',
    }),
  ),
  expires_in_days: Type.Optional(
    WholeNumber({
      minimum: 1,
      maximum: CLAIM_DAYS_MAX,
      description: `Days until the refund expires. Default: ${CLAIM_DAYS_DEFAULT}.`,
    }),
  ),
});

type OfferInput = Omit<RefundOffer, 'by' | 'of'> & { readonly subject: 'invoice' | 'surplus' };

const offerBody: BodyDefinition<OfferInput> = {
  schema: offerSchema,
  required: false,
  refuseRepeatedKeys: true,
  examples: {
    Everything: {},
    'What was paid too much': { only_surplus: true, on_checkout: true },
    'A part, at your cost': { amount: 0.005, fee_bearer: 'merchant' },
  },
  read(json) {
    const body = json as Partial<(typeof offerSchema)['static']>;
    return {
      subject: body.only_surplus === true ? 'surplus' : 'invoice',
      amount: body.amount === undefined ? null : decimal(body.amount),
      feeBearer: body.fee_bearer ?? 'client',
      onCheckout: body.on_checkout ?? false,
      mails: body.send_email ?? false,
      days: body.expires_in_days === undefined ? CLAIM_DAYS_DEFAULT : whole(body.expires_in_days),
    };
  },
};

const offer = route({
  operationId: 'createRefund',
  method: 'POST',
  path: '/api/v2/invoices/:invoice_id/refunds',
  tag,
  summary: 'Offer a refund',
  description:
    'Offers the customer a refund from your balance. Send the `claim_url` to the customer, who enters an address there. A payout of the same limits and checks then pays it. Nothing is reserved before that. An invoice has one refund at a time. It works from your allowed addresses only, like payouts.',
  access: 'refund',
  idempotent: true,
  body: offerBody,
  rejects: ['NOT_FOUND', 'INVALID_TRANSITION', 'PAYOUT_REJECTED'],
  success: {
    status: 201,
    description: 'The refund',
    result: OfferedRefundSchema,
    examples: {
      Offered: {
        ...REFUND_EXAMPLE,
        claim_url: `https://pay.example/r/${REFUND_EXAMPLE.id}-8d1f0c7a5b3e9d2460af1c2b3d4e5f60718293a4`,
      },
    },
  },
  handle: ({ caller, id: invoiceId, body, respondOnce }, { application }) =>
    respondOnce(
      (claim: RefundClaim) =>
        created({
          ...presentClaim(claim, null, application.catalog),
          claim_url: application.claimUrl(claim.id),
        }),
      (once) => {
        const { subject, ...terms } = body;
        return application.offerRefund(caller, { ...terms, of: { subject, invoiceId } }, once);
      },
    ),
});

const list = route({
  operationId: 'listRefunds',
  method: 'GET',
  path: '/api/v2/invoices/:invoice_id/refunds',
  tag,
  summary: 'List the refunds of an invoice',
  description: 'Returns the refunds that were offered for the invoice, newest first.',
  rejects: ['NOT_FOUND'],
  success: {
    status: 200,
    description: 'The refunds',
    result: Type.Array(RefundSchema),
    examples: { 'One refund': [REFUND_EXAMPLE] },
  },
  async handle({ caller, id: invoiceId }, { application }) {
    const { queries, catalog } = application;
    if ((await queries.invoice(caller.scope, invoiceId)) === null) return err(notFound('invoice'));
    const claims = await queries.refundClaims(caller.scope, invoiceId);
    return ok(answer(claims.map(({ claim, payout }) => presentClaim(claim, payout, catalog))));
  },
});

const read = route({
  operationId: 'getRefund',
  method: 'GET',
  path: '/api/v2/refunds/:refund_id',
  tag,
  summary: 'Read a refund',
  description: 'Returns one refund of this merchant and environment. Each step is an event, too.',
  rejects: ['NOT_FOUND'],
  success: {
    status: 200,
    description: 'The refund',
    result: RefundSchema,
    examples: { Open: REFUND_EXAMPLE },
  },
  async handle({ caller, id: claimId }, { application }) {
    const found = await application.queries.refundClaim(caller.scope, claimId);
    if (found === null) return err(notFound('refund'));
    return ok(answer(presentClaim(found.claim, found.payout, application.catalog)));
  },
});

const withdraw = route({
  operationId: 'withdrawRefund',
  method: 'DELETE',
  path: '/api/v2/refunds/:refund_id',
  tag,
  summary: 'Withdraw a refund',
  description: 'Ends an open refund. It cannot be withdrawn once the customer has entered an address.',
  rejects: ['NOT_FOUND', 'INVALID_TRANSITION'],
  success: {
    status: 200,
    description: 'The withdrawn refund',
    result: RefundSchema,
    examples: { Withdrawn: { ...REFUND_EXAMPLE, status: 'withdrawn' } },
  },
  async handle({ caller, id: claimId }, { application }) {
    const done = await application.withdrawRefund(caller, claimId);
    return done.ok ? ok(answer(presentClaim(done.value, null, application.catalog))) : done;
  },
});

export const REFUND_ROUTES = [offer, list, read, withdraw];
