/** The hourly reconciliations of workers. */
import { getTableColumns, sql } from 'drizzle-orm';
import type { JsonObject } from '../../../domain/money/json.ts';
import type { ReconciliationRun, ReconciliationRuns } from '../../../ports/treasury/reconciliation-runs.ts';
import type { Sql } from '../client/sql.ts';
import { reconciliations as r } from '../schema/console/approvals.ts';
import { statement } from '../statement.ts';
import { insertInto } from '../statement-parts.ts';

const RUN = getTableColumns(r);

const INSERT = statement({ given: RUN, text: (values) => insertInto(r, values) });
const LAST = statement({
  selects: RUN,
  text: (_given, select) => sql`select ${select} from ${r} order by ${r.at} desc limit 1`,
});
const FORGET = statement({
  given: { at: r.at },
  text: ({ at }) => sql`delete from ${r} where ${r.at} < ${at}`,
});

export function reconciliationRuns(on: Sql): ReconciliationRuns {
  return {
    async append({ chains, ...run }) {
      const found = chains.map(({ chain, differences, checked }) => [
        chain,
        { differences: String(differences), checked },
      ]);
      await INSERT(on, { ...run, chains: Object.fromEntries(found) });
    },
    async last() {
      const [row] = await LAST(on);
      return row === undefined ? null : { ...row, chains: chainsFrom(row.chains) };
    },
    async forgetBefore(at) {
      await FORGET(on, { at });
    },
  };
}

export function chainsFrom(found: JsonObject): ReconciliationRun['chains'] {
  return Object.entries(found).map(([chain, of]) => {
    const { differences, checked } = of as { differences: string; checked: boolean };
    return { chain, differences: Number(differences), checked };
  });
}
