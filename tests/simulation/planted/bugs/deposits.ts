/** Bugs in the life of a deposit. */
import type { PlantedBug } from '../planted-bug.ts';

export const DEPOSIT_BUGS: readonly PlantedBug[] = [
  {
    name: 'credited-deposit-reversed-without-reversal',
    cost: 'The operator: the merchant keeps the credit of a payment that left the chain.',
    file: 'src/app/deposits/deposit-lifecycle.ts',
    find: `await compensate(deps, repositories, deposit, ['income', 'deposit_arrived']);`,
    replace: `await compensate(deps, repositories, deposit, ['deposit_arrived']);`,
    chains: 'ethereum,bsc',
  },
  {
    name: 'credited-deposit-confirms-again',
    cost: 'The operator: a payment that a reorganisation moved to another block is credited a second time.',
    file: 'src/app/deposits/record-transfer.ts',
    find: 'const moved = { ...deposit, ...seen };',
    replace: `const moved = { ...deposit, ...seen, status: 'confirming' as Deposit['status'] };`,
    chains: 'ethereum,bsc',
  },
  {
    name: 'dropped-payment-not-told',
    cost: 'The merchant: an invoice counts a payment that left the chain, and the goods may be sent.',
    file: 'src/app/deposits/deposit-lifecycle.ts',
    find: `      await gone('dropped');
      await tell({ type: 'payment_dropped', units: deposit.units, at });`,
    replace: `      await gone('dropped');`,
  },
  {
    name: 'risk-check-away-counts-as-pass',
    cost: 'The operator: money is credited that the risk check never saw.',
    file: 'src/app/deposits/settle-deposit.ts',
    find: `      continue;
    }
    verdicts.set(deposit.id, verdict);`,
    replace: `    }
    verdicts.set(deposit.id, verdict);`,
  },
  {
    name: 'risk-verdict-ignored',
    cost: 'The operator: money that the risk check stopped is credited.',
    file: 'src/app/deposits/settle-deposit.ts',
    find: `  if (verdict.kind === 'hit') {
    await repositories.deposits.save`,
    replace: `  if (verdict.kind === 'hit' && verdict.reason === '') {
    await repositories.deposits.save`,
  },
  {
    name: 'held-money-not-posted',
    cost: 'The operator: the books do not have the money that the risk check holds.',
    file: 'src/app/deposits/settle-deposit.ts',
    find: `    await postHold(deps, repositories, deposit, price);
`,
    replace: '',
  },
  {
    name: 'released-hold-not-taken-back',
    cost: 'A customer: money that the risk check held can never be released.',
    file: 'src/app/deposits/unmatched-deposits.ts',
    find: `      await compensate(deps, repositories, deposit, ['hold']);
`,
    replace: '',
  },
  {
    name: 'deposits-of-expired-invoice-forgotten',
    cost: 'A customer: a small payment of an invoice that expired lies there and nobody sees it.',
    file: 'src/app/invoices/strand-payments.ts',
    find: `  await repositories.deposits.moveOfInvoices(invoiceIds, {`,
    replace: `  if (invoiceIds.length > 0) return;
  await repositories.deposits.moveOfInvoices(invoiceIds, {`,
  },
  {
    name: 'gas-counted-as-payment',
    cost: 'The operator: gas that was sent to a deposit address is recorded as a payment of a customer.',
    file: 'src/app/deposits/record-transfer.ts',
    find: 'observations.filter(({ transfer }) => !ours.has(transfer.txid));',
    replace: 'observations.filter(({ transfer, at }) => at.block !== null || !ours.has(transfer.txid));',
  },
  {
    name: 'earlier-payments-left-out-of-commission',
    cost: 'The merchant: each further payment of an invoice is rounded down on its own.',
    file: 'src/app/deposits/deposit-postings.ts',
    find: 'creditedOf(grossBefore + deposit.units, terms) - creditedOf(grossBefore, terms)',
    replace: 'creditedOf(deposit.units, terms)',
  },
  {
    name: 'commission-rounded-against-the-operator',
    cost: 'The operator: the share of the merchant is rounded up.',
    file: 'src/domain/money/fee.ts',
    find: `return mulDiv(receivedUnits, PPM - commissionPpm, PPM, 'floor');`,
    replace: `return mulDiv(receivedUnits, PPM - commissionPpm, PPM, 'ceil');`,
  },
];
