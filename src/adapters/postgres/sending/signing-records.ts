/** The signer's own read of the database: one read-only statement for a transfer and its payout. */
import { sql } from 'drizzle-orm';
import type { OrderRecords, SigningRecords } from '../../../ports/sending/signing-records.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { reasonFromRow } from '../reason-row.ts';
import { signingSwitch as s, outgoingTransfers as t } from '../schema/outgoing.ts';
import { payouts as p } from '../schema/payouts.ts';
import { type RowOf, statement } from '../statement.ts';
import { ifThere, nullable, outer } from '../statement-parts.ts';
import { TRANSFER, type TransferRow, transferFromRow } from './outgoing-row.ts';

const PAYOUT = {
  payoutId: p.id,
  payoutSandbox: p.sandbox,
  payoutStatus: p.status,
  payoutHeld: p.held,
  payoutHeldCode: p.heldCode,
  payoutAsset: p.asset,
  payoutAddress: p.address,
  payoutSentUnits: p.sentUnits,
};
type PayoutRow = RowOf<typeof PAYOUT>;

const RECORDS = statement({
  given: { transferId: nullable(t.id), payoutId: nullable(p.id) },
  selects: {
    ...outer(TRANSFER),
    ...outer(PAYOUT),
    stopped: sql<boolean>`(select ${s.stoppedAt} is not null from ${s})`,
  },
  text: ({ transferId, payoutId }, select) => sql`
    select ${select} from (select ${transferId} as transfer_id, ${payoutId} as payout_id) as asked
    left join ${t} on ${t.id} = asked.transfer_id
    left join ${p} on ${p.id} = asked.payout_id`,
});

/** Needs `select` on outgoing_transfers, payouts and signing_switch only. */
export function postgresSigningRecords(on: Sql): SigningRecords {
  return {
    async of({ transferId, payoutId }) {
      const row = theOnly(await RECORDS(on, { transferId, payoutId }), `records of transfer ${transferId}`);
      const transfer = ifThere<TransferRow>(row, 'id');
      const payout = ifThere<PayoutRow>(row, 'payoutId');
      return {
        transfer: transfer && transferFromRow(transfer),
        payout: payout && payoutOf(payout),
        stopped: row.stopped,
      };
    },
  };
}

function payoutOf(row: PayoutRow): NonNullable<OrderRecords['payout']> {
  return {
    sandbox: row.payoutSandbox,
    status: row.payoutStatus,
    held: reasonFromRow(row.payoutHeld, row.payoutHeldCode),
    asset: row.payoutAsset,
    address: row.payoutAddress,
    sentUnits: row.payoutSentUnits,
  };
}
