/** /api/v2/links: payment links. */
import { Type } from '@sinclair/typebox';
import type { PaymentLink } from '../../../domain/links/payment-link.ts';
import { err, ok } from '../../../domain/result.ts';
import { answer, created, listed } from '../kit/answer.ts';
import { notFound } from '../kit/errors.ts';
import { PAGE, pageOf } from '../kit/input/list-query.ts';
import { route } from '../kit/route.ts';
import { linkChangeBody, newLinkBody } from './link-body.ts';
import { LINK_EXAMPLE, LinkSchema, presentLink } from './link-view.ts';

const tag = 'Payment links';

const create = route({
  operationId: 'createLink',
  method: 'POST',
  path: '/api/v2/links',
  tag,
  summary: 'Create a payment link',
  description:
    'Creates a page that opens an invoice for each customer. Invoices of a link have its id in `payment_link_id`. A merchant has at most 1,000 links in each environment.',
  idempotent: true,
  body: newLinkBody,
  success: {
    status: 201,
    description: 'The link',
    result: LinkSchema,
    examples: { Link: LINK_EXAMPLE },
  },
  handle: ({ caller, body, respondOnce }, { application, checkoutUrl }) =>
    respondOnce(
      (link: PaymentLink) => created(presentLink(link, checkoutUrl)),
      (once) => application.createPaymentLink(caller.scope, body, once),
    ),
});

const list = route({
  operationId: 'listLinks',
  method: 'GET',
  path: '/api/v2/links',
  tag,
  summary: 'List payment links',
  description: 'Returns the links of this merchant and environment, newest first.',
  query: PAGE,
  success: {
    status: 200,
    description: 'A page of links',
    result: Type.Array(LinkSchema),
    list: 'pages',
    examples: { 'One link': [LINK_EXAMPLE] },
  },
  async handle({ caller, query }, { application, checkoutUrl }) {
    const page = pageOf(query);
    const { rows, total } = await application.queries.paymentLinks(caller.scope, page);
    const shown = rows.map((link) => presentLink(link, checkoutUrl));
    return ok(listed(shown, page, total));
  },
});

const read = route({
  operationId: 'getLink',
  method: 'GET',
  path: '/api/v2/links/:link_id',
  tag,
  summary: 'Read a payment link',
  description: 'Returns one link of this merchant and environment.',
  rejects: ['NOT_FOUND'],
  success: {
    status: 200,
    description: 'The link',
    result: LinkSchema,
    examples: { Link: LINK_EXAMPLE },
  },
  async handle({ caller, id }, { application, checkoutUrl }) {
    const link = await application.queries.paymentLink(caller.scope, id);
    return link === null ? err(notFound('payment link')) : ok(answer(presentLink(link, checkoutUrl)));
  },
});

const change = route({
  operationId: 'changeLink',
  method: 'PATCH',
  path: '/api/v2/links/:link_id',
  tag,
  summary: 'Change a payment link',
  description:
    'Changes the fields of the body. `null` removes a field. Mode, currency and slug stay. Invoices that the link has opened keep what they were opened with.',
  body: linkChangeBody,
  rejects: ['NOT_FOUND'],
  success: {
    status: 200,
    description: 'The changed link',
    result: LinkSchema,
    examples: { Link: LINK_EXAMPLE },
  },
  async handle({ caller, id, body }, { application, checkoutUrl }) {
    const changed = await application.changePaymentLink(caller.scope, id, body);
    return changed.ok ? ok(answer(presentLink(changed.value, checkoutUrl))) : changed;
  },
});

export const LINK_ROUTES = [create, list, read, change];
