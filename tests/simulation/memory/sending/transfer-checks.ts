/**
 * The CHECKs of the tables of sending, so that memory refuses what the server refuses. Their texts
 * are in src/adapters/postgres/schema/outgoing.ts.
 */
import type { TransferRow } from '../../../../src/adapters/postgres/sending/outgoing-row.ts';
import { check } from '../store/checks.ts';

/** In the order of the server: by the name. */
export function checkTransfer(row: TransferRow): void {
  const { status, txid, voided, failure } = row;
  const isLead = row.position === 0;
  check('outgoing_transfers_bundle_led', isLead === (row.transferBatchId === row.id) && row.position >= 0);
  check(
    'outgoing_transfers_failure',
    (failure !== null) === (status === 'failed' || (voided && status !== 'confirmed')) &&
      (failure === null) === (row.failureCode === null),
  );
  check('outgoing_transfers_sequence', row.nonce >= 0n);
  const isSettled = status === 'confirmed' || status === 'failed';
  const settled = [row.blockHeight, row.blockHash, row.feeUnits];
  check(
    'outgoing_transfers_settled_whole',
    settled.every((value) => (value === null) === (txid === null)) &&
      (status !== 'confirmed' || txid !== null) &&
      (isSettled || txid === null),
  );
  check('outgoing_transfers_taken_out', !row.takenOut || (status === 'failed' && txid === null));
  check('outgoing_transfers_units', row.units > 0n);
}
