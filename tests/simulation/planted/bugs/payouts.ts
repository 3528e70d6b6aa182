/** Bugs in payouts and refunds, before anything is signed. */
import type { PlantedBug } from '../planted-bug.ts';

export const PAYOUT_BUGS: readonly PlantedBug[] = [
  {
    name: 'uniq-id-not-claimed',
    cost: 'The merchant: a request that is sent again after a lost answer pays twice.',
    file: 'src/app/payouts/create-payouts.ts',
    find: 'return { ...caller.scope, uniqId, at, expiresAt, creates };',
    replace: 'return { ...caller.scope, uniqId: `${uniqId}${deps.ids.id()}`, at, expiresAt, creates };',
  },
  {
    name: 'uniq-id-forgotten-within-seconds',
    cost: 'The merchant: a request that is sent again some seconds later pays twice.',
    file: 'src/app/payouts/create-payouts.ts',
    find: 'new Date(at.getTime() + KEPT[kept].hours * 3_600_000)',
    replace: 'new Date(at.getTime() + KEPT[kept].hours * 3_600)',
  },
  {
    name: 'lost-answer-taken-for-a-refusal',
    cost: 'The merchant: a payout that was stored is told as refused, ordered anew, and paid twice.',
    file: 'src/app/payouts/create-payouts.ts',
    find: `items: [prepared.item], once: ofOutcome(once, made) };
    return made(await deps.payoutWriter.add(request));`,
    replace: `items: [prepared.item], once: ofOutcome(once, made) };
    return made(await deps.payoutWriter.add(request).catch((): PayoutOutcome => ({ kind: 'decided', usesUniqId: false, items: [{ kind: 'insufficient', availableMicroUsd: 0n }] })));`,
  },
  {
    name: 'network-fee-deducted-from-the-wrong-side',
    cost: 'The recipient: a payout whose fee the merchant pays arrives without it.',
    file: 'src/app/payouts/payout-terms.ts',
    find: 'return { deductedUnits: 0n, addedMicroUsd: feeMicroUsd };',
    replace: 'return { deductedUnits: feeUnits, addedMicroUsd: 0n };',
  },
  {
    name: 'network-fee-charged-to-nobody',
    cost: 'The operator: the network fee of a payout is not taken from the merchant.',
    file: 'src/app/payouts/payout-terms.ts',
    find: 'const reservedMicroUsd = amountMicroUsd + borne.addedMicroUsd;',
    replace: 'const reservedMicroUsd = amountMicroUsd;',
  },
  {
    name: 'ended-payout-not-given-back',
    cost: 'The merchant: the balance of a cancelled payout never comes back.',
    file: 'src/app/payouts/payout-entries.ts',
    find: `    case 'release':
      return [released(payout)];`,
    replace: `    case 'release':
      return [];`,
  },
  {
    name: 'ended-payout-dispatched',
    cost: 'The operator: a payout that was cancelled since the list was read is paid.',
    file: 'src/app/sending/payout-dispatch.ts',
    find: `if (payout.status !== 'pending' || payout.held !== null) return false;`,
    replace: 'if (payout.held !== null) return false;',
  },
  {
    name: 'signed-payout-cancelled-at-once',
    cost: 'The operator: the balance comes back, and the chain pays the cancelled payout.',
    file: 'src/app/sending/operate-payouts.ts',
    find: `if (payout.status === 'processing') return cancelSigned(deps, repositories, payout);
      if (payout.status !== 'pending') return`,
    replace: `if (payout.status !== 'pending' && payout.status !== 'processing') return`,
  },
  {
    name: 'refund-leaves-its-invoice-paid',
    cost: 'The merchant: an invoice that was refunded still counts as paid, and is refunded again.',
    file: 'src/app/payouts/refunds/refund-invoice.ts',
    find: `const refunded = await applyEvents(deps, repositories, invoice, [
        { type: 'refunded', at: payout.createdAt },
      ]);`,
    replace: 'const refunded = invoice;',
  },
];
