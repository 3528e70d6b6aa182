/** Storage as if nothing were done in sets: what the set path is compared with. */
import type { Repositories } from '../../../src/ports/repositories.ts';

export interface OneByOne {
  /**
   * A round takes one invoice further at most: all others look as if somebody else had them locked.
   */
  begin(): void;
  /** Whether every invoice that was asked for has had its turn. */
  isThrough(): boolean;
  wrap(repositories: Repositories): Repositories;
}

export function oneByOne(): OneByOne {
  const hadTheirTurn = new Set<string>();
  let turnOf: string | null = null;
  let othersWait = false;
  return {
    begin() {
      turnOf = null;
      othersWait = false;
    },
    isThrough: () => !othersWait,
    wrap: (r) => ({
      ...r,
      invoices: {
        ...r.invoices,
        async lockFree(ids) {
          turnOf ??= ids.find((id) => !hadTheirTurn.has(id)) ?? null;
          if (turnOf !== null) hadTheirTurn.add(turnOf);
          othersWait ||= ids.some((id) => !hadTheirTurn.has(id));
          const invoice = turnOf !== null && ids.includes(turnOf) ? await r.invoices.lock(turnOf) : null;
          return invoice === null ? [] : [invoice];
        },
        saveAll: (invoices) => inTurn(invoices, r.invoices.save),
      },
      deposits: { ...r.deposits, saveAll: (deposits) => inTurn(deposits, r.deposits.save) },
      ledger: { ...r.ledger, postAll: (entries) => inTurn(entries, r.ledger.post) },
    }),
  };
}

async function inTurn<One>(all: readonly One[], work: (one: One) => Promise<void>): Promise<void> {
  for (const one of all) await work(one);
}
