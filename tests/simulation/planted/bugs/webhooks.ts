/** Bugs in what merchants are told. */
import type { PlantedBug } from '../planted-bug.ts';

export const WEBHOOK_BUGS: readonly PlantedBug[] = [
  {
    name: 'webhook-failure-counts-as-delivered',
    cost: 'The merchant: a webhook that nobody answered is not sent again.',
    file: 'src/app/webhooks/attempt-delivery.ts',
    find: `verdictOf(answer.status) : 'retry'`,
    replace: `verdictOf(answer.status) : 'delivered'`,
  },
  {
    name: 'webhook-server-error-ends-it',
    cost: 'The merchant: a webhook that met a server error is given up.',
    file: 'src/domain/webhooks/webhook-verdict.ts',
    find: 'status >= 400 && status < 500 && !LATER.has(status)',
    replace: 'status >= 400 && status < 600 && !LATER.has(status)',
  },
  {
    name: 'webhook-tells-the-state-before',
    cost: 'The merchant: each webhook has the status before its transition.',
    file: 'src/app/invoices/invoice-events.ts',
    find: 'if (decision.changed && decision.notify) toTell.push(current);',
    replace:
      'if (decision.changed && decision.notify) toTell.push({ ...invoice, version: current.version });',
  },
  {
    name: 'webhook-decided-by-the-status-before',
    cost: 'The merchant: the first payment of an invoice is not told.',
    file: 'src/domain/invoices/invoice.ts',
    find: 'changed: true, notify: DELIVERED.has(status) };',
    replace: 'changed: true, notify: DELIVERED.has(state.status) };',
  },
  {
    name: 'webhook-of-one-transition-not-queued',
    cost: 'The merchant: nobody says that a partly paid invoice was cancelled.',
    file: 'src/app/invoices/invoice-events.ts',
    find: 'const toTell = changed.flatMap(({ next, notify }) => (notify ? [next] : []));',
    replace:
      'const toTell = changed.flatMap(({ next, notify }) => (notify && next.notifyUrl !== null ? [next] : []));',
  },
];
