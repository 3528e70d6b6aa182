/** Bugs in signing, broadcasting and settling. */
import type { PlantedBug } from '../planted-bug.ts';

export const SENDING_BUGS: readonly PlantedBug[] = [
  {
    name: 'broadcast-before-the-bytes-are-stored',
    cost: 'The operator: a process that dies in between forgets what it sent, and the payout leaves again.',
    file: 'src/app/sending/signing/sign-batch.ts',
    find: 'if (!(await store({ asked: batch, signed, place: placed() }))) return NOT_NOW;',
    replace: `await on.sender.broadcast(raw);
    if (!(await store({ asked: batch, signed, place: placed() }))) return NOT_NOW;`,
  },
  {
    name: 'replacement-takes-a-new-nonce',
    cost: 'The operator: a payout and its replacement are both mined.',
    file: 'src/app/sending/signing/sign-batch.ts',
    find: 'const { batch, order, inputs, extraGas } = orders;',
    replace: `const { batch, inputs, extraGas } = orders;
  const order = { ...orders.order, nonce: orders.order.nonce + BigInt(earlier.length) };`,
  },
  {
    name: 'stuck-payout-superseded-while-signed',
    cost: 'The operator: a payout that no node has at the moment is given up, and its bytes may still be mined.',
    file: 'src/app/sending/advance-batch.ts',
    find: 'if (await settleBatch(advancing, { batch, payments }, outcome, signed.length)) return false;',
    replace: `const end = outcome.kind === 'unseen' && isBumpDue(advancing, step) ? ({ kind: 'superseded' } as const) : outcome;
  if (await settleBatch(advancing, { batch, payments }, end, signed.length)) return false;`,
  },
  {
    name: 'nonce-skipped',
    cost: 'Everybody: a nonce that nothing uses holds up all payouts behind it.',
    file: 'src/app/sending/nonces/next-nonce.ts',
    find: 'return { atLeast: lowest, givenBackFrom: highest };',
    replace: 'return { atLeast: lowest + 1n, givenBackFrom: highest };',
  },
  {
    name: 'failed-transaction-fee-not-booked',
    cost: 'The operator: the fee of a transaction that moved nothing is missing in the books.',
    file: 'src/app/sending/network-fee-entries.ts',
    find: 'if (isTaken(settling) && feeUnits !== null && feeUnits !== 0n) {',
    replace: `if (isTaken(settling) && settling.after.status === 'confirmed' && feeUnits !== null && feeUnits !== 0n) {`,
  },
  {
    name: 'batch-fee-booked-for-each-payment',
    cost: 'The operator: the fee of a transaction is booked once for each payment in it.',
    file: 'src/domain/sending/batch-fee.ts',
    find: 'return isBorne ? NOTHING : { feeUnits, hotFeeUnits };',
    replace: 'return { feeUnits, hotFeeUnits };',
    chains: 'bitcoin,litecoin',
  },
  {
    name: 'batch-fee-borne-by-nobody',
    cost: 'The operator: the fee of a transaction that makes several payments is missing in the books.',
    file: 'src/domain/sending/batch-fee.ts',
    find: 'return isBorne ? NOTHING : { feeUnits, hotFeeUnits };',
    replace: 'return isBorne || batch.length > 1 ? NOTHING : { feeUnits, hotFeeUnits };',
    chains: 'bitcoin,litecoin',
  },
  {
    name: 'operators-cancel-charged-to-the-merchant',
    cost: "The merchant: the fee of an operator's cancellation is taken from the balance.",
    file: 'src/domain/sending/wasted-fee.ts',
    find: `['chain_refused', 'payout_ended'];`,
    replace: `['chain_refused', 'payout_ended', 'operator'];`,
  },
  {
    name: 'spent-utxos-freed-by-a-cancellation',
    cost: 'Everybody: UTXOs that a cancellation spent are chosen again, and the next payouts cannot be mined.',
    file: 'src/app/sending/settle-transfer.ts',
    find: 'if (mined) await utxos.release(transferBatchId, spends(mined.raw));',
    replace: 'if (mined) await utxos.release(transferBatchId);',
    chains: 'bitcoin,litecoin',
  },
  {
    name: 'change-forgotten',
    cost: 'The operator: the change of a payout is not in the books, and is never spent.',
    file: 'src/app/sending/utxos/store-outputs.ts',
    find: 'const back: Utxo[] = change === null ? [] : [{ txid, ...change }];',
    replace: `const back: Utxo[] = change === null || purpose === 'payout' ? [] : [{ txid, ...change }];`,
    chains: 'bitcoin,litecoin',
  },
];
