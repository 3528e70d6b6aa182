/** Row <-> port of the table `coins`: unspent outputs, and those that were spent. */
import type { Utxo } from '../../../ports/sending/chain-sender.ts';
import type { WalletKey } from '../../../ports/sending/signer.ts';
import { coins as c } from '../schema/outgoing.ts';
import type { RowOf } from '../statement.ts';
import { names } from '../statement-parts.ts';

export const COIN = {
  txid: c.txid,
  vout: c.vout,
  address: c.address,
  keyRole: c.keyRole,
  keyIndex: c.keyIndex,
  units: c.units,
};
export type CoinRow = RowOf<typeof COIN>;

export const COIN_KEY = names(c.chain, c.txid, c.vout);

export function coinToRow({ key, ...coin }: Utxo): CoinRow {
  return { ...coin, keyRole: key.role, keyIndex: key.role === 'hot' ? null : key.index };
}

export function coinFromRow(row: CoinRow): Utxo {
  return { txid: row.txid, vout: row.vout, address: row.address, key: keyOf(row), units: row.units };
}

function keyOf({ keyRole: role, keyIndex: index, txid }: CoinRow): WalletKey {
  if (role === 'hot') return { role };
  if (index === null) throw new Error(`the coin of ${txid} has no key`);
  return { role, index };
}
