/** Row <-> port of the table `coins`: unspent and spent outputs. */

import type { Outpoint } from '../../../domain/chains/outpoint.ts';
import type { WalletKey } from '../../../ports/sending/signer.ts';
import type { Utxo } from '../../../ports/sending/utxo-spending.ts';
import { utxos as c } from '../schema/outgoing.ts';
import type { RowOf } from '../statement.ts';
import { listOf, names } from '../statement-parts.ts';

export const COIN = {
  txid: c.txid,
  vout: c.vout,
  address: c.address,
  keyRole: c.keyRole,
  keyIndex: c.keyIndex,
  units: c.units,
};
export type UtxoRow = RowOf<typeof COIN>;

/** Where the first page begins. */
export const BEFORE_ALL: Outpoint = { txid: '', vout: -1 };

export const COIN_KEY = names(c.chain, c.txid, c.vout);

export const OUTPOINT = { chain: c.chain, txid: c.txid, vout: c.vout };
/** Of many on a chain; `outpointsOf` gives their values. */
export const OUTPOINTS = { txids: listOf(c.txid), vouts: listOf(c.vout) };

export function outpointsOf(utxos: readonly Outpoint[]) {
  return { txids: utxos.map(({ txid }) => txid), vouts: utxos.map(({ vout }) => vout) };
}

export function utxoToRow({ key, ...utxo }: Utxo): UtxoRow {
  return { ...utxo, keyRole: key.role, keyIndex: key.role === 'hot' ? null : key.index };
}

export function utxoFromRow(row: UtxoRow): Utxo {
  return { txid: row.txid, vout: row.vout, address: row.address, key: keyOf(row), units: row.units };
}

function keyOf({ keyRole: role, keyIndex: index, txid }: UtxoRow): WalletKey {
  if (role === 'hot') return { role };
  if (index === null) throw new Error(`the coin of ${txid} has no key`);
  return { role, index };
}
