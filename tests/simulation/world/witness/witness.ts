/**
 * What was stored in a history, and in which order: rows as each transaction left them. Books at
 * rest do not show what was true only for a while. Where the storage does not tell its changes
 * (PostgreSQL), the witness saw nothing, and its laws ask nothing.
 */
import type { FakeChain } from '../../../../src/adapters/chains/fake/fake-chain.ts';
import { chainNamed } from '../../../../src/domain/catalog/chain.ts';
import type { InvoiceStatus } from '../../../../src/domain/invoices/invoice.ts';
import { ACTIVE_SWEEP_STATUSES, type SweepStatus } from '../../../../src/domain/sweeps/sweep.ts';
import type { RiskVerdict } from '../../../../src/ports/deposits/risk-screener.ts';
import type { Broken } from '../laws.ts';
import { type SeenRow, type Tables, WITNESSED, type WitnessedTable } from './witnessed-rows.ts';

/** A row before and after a transaction; undefined: it was not there, or is not any more. */
export interface RowChange {
  readonly table: { readonly name: string };
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface Witness {
  readonly tables: Tables;
  /** Each status that an invoice had after a transaction. */
  readonly transitions: readonly {
    readonly invoiceId: string;
    readonly version: number;
    readonly status: InvoiceStatus;
  }[];
  /** Invoices that were removed, with their merchants. */
  readonly removed: ReadonlyMap<string, string>;
  /** Broken while it was seen. */
  readonly broken: readonly Broken[];
  /** Null: an older backup was put back. From then on it asks nothing more. */
  saw(changes: readonly RowChange[] | null): void;
  readonly isBlind: boolean;
  /** Returns what the risk check says of a deposit. */
  judged(depositId: string, verdict: RiskVerdict): RiskVerdict;
  /** To be called while time stands still: the tips of the chains say what may be final. */
  holdFinality(chains: ReadonlyMap<string, FakeChain>): Promise<void>;
}

const ENDED: ReadonlySet<string> = new Set(['failed', 'cancelled']);
const UNDER_WAY: ReadonlySet<SweepStatus> = new Set(ACTIVE_SWEEP_STATUSES);

const begins = (before: SeenRow<'sweeps'> | undefined, after: SeenRow<'sweeps'>): boolean =>
  before?.status === 'planned' && UNDER_WAY.has(after.status);

/** Of a history that begins now. */
export function witnessOf({ watch }: { watch(saw: Witness['saw']): void }): Witness {
  const rows = new Map<string, Map<string, SeenRow<WitnessedTable>>>();
  const transitions: Witness['transitions'][number][] = [];
  const removed = new Map<string, string>();
  const broken: Broken[] = [];
  const passed = new Set<string>();
  const owed = new Map<string, bigint>();
  const tips = new Map<string, number>();
  let final: SeenRow<'deposits'>[] = [];
  let isBlind = false;

  const tableOf = (name: string) => {
    const known = rows.get(name) ?? new Map<string, SeenRow<WitnessedTable>>();
    rows.set(name, known);
    return known;
  };

  function sawInvoice(
    before: SeenRow<'invoices'> | undefined,
    { id, version, status }: SeenRow<'invoices'>,
  ): void {
    if (before?.version !== version) transitions.push({ invoiceId: id, version, status });
  }

  /** Only what expired goes, and where nothing was ever paid. */
  function sawRemoval({ id, status, merchantId }: SeenRow<'invoices'>): void {
    removed.set(id, merchantId);
    const issued = [...tableOf('addresses').values()] as SeenRow<'addresses'>[];
    const own = new Set(issued.flatMap(({ address, invoiceId }) => (invoiceId === id ? [address] : [])));
    const deposits = [...tableOf('deposits').values()] as SeenRow<'deposits'>[];
    const paid = deposits.filter(({ invoiceId, address }) => invoiceId === id || own.has(address));
    if (status !== 'expired' || paid.length > 0)
      broken.push({ law: 'a removed invoice expired without any payment', what: { id, status, paid } });
  }

  function sawDeposit(before: SeenRow<'deposits'> | undefined, after: SeenRow<'deposits'>): void {
    if (before === undefined || before.status === after.status) return;
    if (before.status === 'confirming' && (after.status === 'arrived' || after.status === 'stray'))
      final.push(after);
    if (before.status === 'arrived' && after.status === 'credited' && !passed.has(after.id))
      broken.push({
        law: 'only what the risk check passed is credited',
        what: { id: after.id, txid: after.txid },
      });
  }

  function sawPayout(before: SeenRow<'payouts'> | undefined, { id, status }: SeenRow<'payouts'>): void {
    if (before !== undefined && ENDED.has(before.status) && status !== before.status)
      broken.push({ law: 'a payout that ended stays so', what: { id, was: before.status, is: status } });
  }

  /** What merchants are owed after a transaction. Only a payment that left the chain turns it. */
  function hold(postings: readonly SeenRow<'ledger_postings'>[]): void {
    for (const { entryId, account, amount } of postings) {
      if (account !== 'merchant') continue;
      const entry = tableOf('ledger_entries').get(entryId) as SeenRow<'ledger_entries'> | undefined;
      if (!entry || entry.merchantId === null) continue;
      const left = (owed.get(entry.merchantId) ?? 0n) - amount;
      owed.set(entry.merchantId, left);
      if (left < 0n && (entry.kind === 'payout_reserved' || entry.kind === 'refund'))
        broken.push({ law: 'a merchant pays out no more than the balance', what: { entryId, owed: left } });
    }
  }

  /** One that a reorganisation reopens has to go on, also beside another. */
  function begun(sweeps: readonly SeenRow<'sweeps'>[]): void {
    if (sweeps.length === 0) return;
    for (const { id, chain, address } of sweeps) {
      const beside = witness
        .tables('sweeps')
        .find(
          (other) =>
            other.id !== id &&
            other.chain === chain &&
            other.address === address &&
            UNDER_WAY.has(other.status),
        );
      if (beside !== undefined)
        broken.push({
          law: 'a sweep begins while no other of its address is under way',
          what: { id, beside: beside.id, address },
        });
    }
  }

  const witness: Witness = {
    transitions,
    removed,
    broken,
    tables: (name) => [...tableOf(name).values()] as never,
    get isBlind() {
      return isBlind;
    },
    saw(changes) {
      isBlind ||= changes === null;
      if (isBlind || changes === null) return;
      const postings: SeenRow<'ledger_postings'>[] = [];
      const starts: SeenRow<'sweeps'>[] = [];
      for (const {
        table: { name },
        key,
        before,
        after,
      } of changes) {
        if (after === undefined) tableOf(name).delete(key);
        else if (WITNESSED.has(name)) tableOf(name).set(key, after as SeenRow<WitnessedTable>);
        if (after === undefined && name === 'invoices') sawRemoval(before as never);
        if (after === undefined) continue;
        if (name === 'invoices') sawInvoice(before as never, after as never);
        if (name === 'deposits') sawDeposit(before as never, after as never);
        if (name === 'payouts') sawPayout(before as never, after as never);
        if (name === 'ledger_postings' && before === undefined) postings.push(after as never);
        if (name === 'sweeps' && begins(before as never, after as never)) starts.push(after as never);
      }
      hold(postings);
      begun(starts);
    },
    judged(depositId, verdict) {
      if (verdict.kind === 'pass') passed.add(depositId);
      return verdict;
    },
    async holdFinality(chains) {
      for (const [name, { scanner }] of chains)
        tips.set(name, Math.max(tips.get(name) ?? 0, (await scanner.head()).tip.height));
      for (const { chain, txid, blockHeight } of final) {
        const needed = (blockHeight ?? 0) + chainNamed(chain).confirmations - 1;
        const tip = tips.get(chain) ?? 0;
        if (tip < needed)
          broken.push({ law: 'a payment is ours only once its block is final', what: { txid, tip, needed } });
      }
      final = [];
    },
  };
  watch(witness.saw);
  return witness;
}
