/**
 * The CHECKs of the tables of sending, so that memory refuses what the server refuses. Their texts
 * are in src/adapters/postgres/schema/outgoing.ts.
 */
import { StatementRefused } from '../../../../src/adapters/postgres/client/pg-errors.ts';
import type { TransferRow } from '../../../../src/adapters/postgres/sending/outgoing-row.ts';

export function refuseUnless(isMet: boolean, constraint: string): void {
  if (isMet) return;
  const details = { sqlState: '23514', constraint, statement: 'in memory' };
  throw new StatementRefused(`a row violates ${constraint}`, details);
}

/** In the order of the server: by the name. */
export function checkTransfer(row: TransferRow): void {
  const { status, txid, voided, failure } = row;
  const isLead = row.position === 0;
  refuseUnless(
    isLead === (row.transferBatchId === row.id) && row.position >= 0,
    'outgoing_transfers_bundle_led',
  );
  refuseUnless(
    (failure !== null) === (status === 'failed' || (voided && status !== 'confirmed')) &&
      (failure === null) === (row.failureCode === null),
    'outgoing_transfers_failure',
  );
  refuseUnless(row.nonce >= 0n, 'outgoing_transfers_sequence');
  const isSettled = status === 'confirmed' || status === 'failed';
  const settled = [row.blockHeight, row.blockHash, row.feeUnits];
  refuseUnless(
    settled.every((value) => (value === null) === (txid === null)) &&
      (status !== 'confirmed' || txid !== null) &&
      (isSettled || txid === null),
    'outgoing_transfers_settled_whole',
  );
  refuseUnless(!row.takenOut || (status === 'failed' && txid === null), 'outgoing_transfers_taken_out');
  refuseUnless(row.units > 0n, 'outgoing_transfers_units');
}
