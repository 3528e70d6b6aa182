/** How payouts must not be sent: the control of the drill, which has to find it out (safety.md, 2). */
import type { Database } from '../../../src/adapters/postgres/client.ts';
import { hotWalletOf, type SendingChain } from '../../../src/app/sending.ts';

interface Row {
  readonly id: string;
  readonly asset: string;
  readonly address: string;
  readonly sent_units: string;
}

/** Sends pending payouts one after the other, for ever. */
export async function sendCarelessly(chain: SendingChain, database: Database): Promise<never> {
  const wallet = hotWalletOf(chain);
  for (;;) {
    const [row] = await database.query<Row>(
      `select id, asset, address, sent_units from payouts where status = 'pending' order by random() limit 1`,
    );
    if (row) await sendOne(chain, database, wallet, row).catch(() => undefined);
    await Bun.sleep(row ? 0 : 50);
  }
}

async function sendOne(chain: SendingChain, database: Database, wallet: string, row: Row): Promise<void> {
  const sequence = await chain.sender.nextSequence(wallet);
  const order = {
    wallet,
    sequence,
    asset: row.asset,
    to: row.address,
    units: BigInt(row.sent_units),
    voids: false,
  };
  const { payload } = await chain.sender.prepare(order, null);
  const { raw, txid } = await chain.signer.sign({
    ...order,
    transferId: row.id,
    chain: chain.chain,
    key: { role: 'hot' },
    toKey: null,
    purpose: 'payout',
    referenceId: row.id,
    payload,
  });
  const { kind } = await chain.sender.broadcast(raw);
  if (kind !== 'accepted') throw new Error('not taken: again later');
  await database.query(
    `update payouts set status = 'success', txid = $2, tx_hashes = array[$2], processed_at = now()
     where id = $1 and status = 'pending'`,
    [row.id, txid],
  );
}
