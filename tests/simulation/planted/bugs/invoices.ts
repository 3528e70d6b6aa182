/** Bugs in invoices and their addresses. */
import type { PlantedBug } from '../planted-bug.ts';

export const INVOICE_BUGS: readonly PlantedBug[] = [
  {
    name: 'invoice-expires-before-its-chain',
    cost: 'A customer: a payment in time finds its invoice expired, since the chain was read late.',
    file: 'src/app/invoices/expire-invoices.ts',
    find: 'chains.map((chain) => [chain, covered.get(chain) ?? null])',
    replace: 'chains.map((chain) => [chain, covered.has(chain) ? deps.clock.now() : null])',
  },
  {
    name: 'exact-payment-does-not-cover',
    cost: 'A customer: an invoice that was paid to the unit stays partially paid, and nothing is delivered.',
    file: 'src/domain/invoices/invoice.ts',
    find: 'return units * PPM >= price.dueUnits * (PPM - tolerancePpm);',
    replace: 'return units * PPM > price.dueUnits * (PPM - tolerancePpm);',
  },
  {
    name: 'address-given-back-after-lost-answer',
    cost: 'A merchant: the address of a stored invoice is handed out again, and that order fails.',
    file: 'src/app/invoices/create-invoice.ts',
    find: 'if (own !== null && (isTaken || error instanceof IdempotencyKeyTaken)) allocator.giveBack(own);',
    replace: 'if (own !== null) allocator.giveBack(own);',
  },
  {
    name: 'idempotency-key-not-claimed',
    cost: 'A customer: an order that is sent again after a lost answer has two invoices, and may be paid twice.',
    file: 'src/app/invoices/create-invoice.ts',
    find: 'own && issuedTo(invoice, own), once)',
    replace: 'own && issuedTo(invoice, own), null)',
  },
  {
    name: 'held-money-released-into-nothing',
    cost: 'A customer: money that an operator released never pays its invoice.',
    file: 'src/domain/invoices/invoice.ts',
    find: 'return settle(withFunds(state, { heldUnits: -event.units, creditedUnits: event.units }), event.at);',
    replace: 'return settle(withFunds(state, { heldUnits: -event.units }), event.at);',
  },
];
