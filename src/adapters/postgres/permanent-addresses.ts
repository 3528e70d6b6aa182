/** Permanent addresses: at most one active per (merchant, environment, user, family), however many ask at once. */
import type { PermanentAddressRepository } from '../../ports/repositories.ts';
import type { Sql } from './client.ts';
import {
  PERMANENT_ADDRESS_COLUMNS as COLUMNS,
  type PermanentAddressRow,
  permanentAddressFromRow,
  permanentAddressToRow,
} from './permanent-address-row.ts';
import { inOrder, insertInto, theOnly, updateById } from './statements.ts';

const SELECT = `select ${COLUMNS.join(', ')} from permanent_addresses`;
const INSERT = `${insertInto('permanent_addresses', COLUMNS)}
  on conflict (merchant_id, sandbox, user_id, family) where active do nothing returning id`;
const CHANGEABLE = ['active', 'deactivated_at', 'metadata', 'notify_url'] as const;
const SAVE = `${updateById('permanent_addresses', CHANGEABLE)} returning id`;

export function permanentAddressRepository(sql: Sql): PermanentAddressRepository {
  const one = async (text: string, parameters: readonly (string | boolean)[]) => {
    const [row] = await sql.query<PermanentAddressRow>(text, parameters);
    return row ? permanentAddressFromRow(row) : null;
  };
  return {
    async insertIfAbsent(address) {
      const rows = await sql.query(INSERT, inOrder(permanentAddressToRow(address), COLUMNS));
      return rows.length === 1;
    },

    findActive: (key) =>
      one(`${SELECT} where merchant_id = $1 and sandbox = $2 and user_id = $3 and family = $4 and active`, [
        key.merchantId,
        key.sandbox,
        key.userId,
        key.family,
      ]),
    find: (id) => one(`${SELECT} where id = $1`, [id]),
    lock: (id) => one(`${SELECT} where id = $1 for no key update`, [id]),

    async save(address) {
      const row = permanentAddressToRow(address);
      theOnly(
        await sql.query(SAVE, [address.id, ...inOrder(row, CHANGEABLE)]),
        `save of permanent address ${address.id}`,
      );
    },
  };
}
