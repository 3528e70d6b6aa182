/** The signer's own look at the database: one statement, which only reads, of a transfer and the payout that it pays. */
import type { Held } from '../../../domain/payouts/held.ts';
import type { PayoutStatus } from '../../../domain/payouts/payout.ts';
import type { OrderRecords, SigningRecords } from '../../../ports/sending/signing-records.ts';
import type { Sql } from '../client/sql.ts';
import { prefixed, theOnly } from '../client/statements.ts';
import { reasonFromRow } from '../reason-row.ts';
import { type OutgoingRow, TRANSFER_COLUMNS, transferFromRow } from './outgoing-row.ts';

const RECORDS = `
  select ${prefixed('t', TRANSFER_COLUMNS)},
    p.id as payout_id, p.sandbox as payout_sandbox, p.status as payout_status, p.held as payout_held,
    p.held_code as payout_held_code,
    p.asset as payout_asset, p.address as payout_address, p.sent_units as payout_sent_units,
    (select stopped_at is not null from signing_switch) as stopped
  from (select $1::text as transfer_id, $2::text as payout_id) as asked
  left join outgoing_transfers t on t.id = asked.transfer_id
  left join payouts p on p.id = asked.payout_id`;

interface PayoutPart {
  readonly payout_id: string;
  readonly payout_sandbox: boolean;
  readonly payout_status: PayoutStatus;
  readonly payout_held: string | null;
  readonly payout_held_code: Held['code'] | null;
  readonly payout_asset: string;
  readonly payout_address: string;
  readonly payout_sent_units: string;
}

/** Columns of what is not there are null. */
type RecordsRow = { readonly stopped: boolean } & (OutgoingRow | { readonly id: null }) &
  (PayoutPart | { readonly payout_id: null });

/** Needs `select` on outgoing_transfers, payouts and signing_switch, and nothing else. */
export function postgresSigningRecords(sql: Sql): SigningRecords {
  return {
    async of({ transferId, payoutId }) {
      const found = await sql.query<RecordsRow>(RECORDS, [transferId, payoutId]);
      const row = theOnly(found, `records of transfer ${transferId}`);
      return {
        transfer: row.id === null ? null : transferFromRow(row),
        payout: row.payout_id === null ? null : payoutOf(row),
        stopped: row.stopped,
      };
    },
  };
}

function payoutOf(row: PayoutPart): NonNullable<OrderRecords['payout']> {
  return {
    sandbox: row.payout_sandbox,
    status: row.payout_status,
    held: reasonFromRow(row.payout_held, row.payout_held_code),
    asset: row.payout_asset,
    address: row.payout_address,
    sentUnits: BigInt(row.payout_sent_units),
  };
}
