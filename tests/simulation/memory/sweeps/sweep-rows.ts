/**
 * Which deposits sweeps may move, and which hold their whole address back: the conditions of
 * src/adapters/postgres/sweeps/sweep-row.ts.
 */
import { WITHHELD_STATUSES } from '../../../../src/adapters/postgres/sweeps/sweep-row.ts';
import type { DepositStatus } from '../../../../src/domain/deposits/deposit.ts';
import {
  ACTIVE_SWEEP_STATUSES,
  OPEN_SWEEP_STATUSES,
  type SweepStatus,
} from '../../../../src/domain/sweeps/sweep.ts';
import type { MemoryStore, Tables } from '../store/memory-store.ts';

export type RowIn<Name extends keyof Tables> = NonNullable<ReturnType<Tables[Name]['find']>>;
export type DepositRow = RowIn<'deposits'>;
export type SweepRow = RowIn<'sweeps'>;
interface Place {
  readonly chain: string;
  readonly address: string;
}

const OPEN: ReadonlySet<SweepStatus> = new Set(OPEN_SWEEP_STATUSES);
const ACTIVE: ReadonlySet<SweepStatus> = new Set(ACTIVE_SWEEP_STATUSES);
const GONE: ReadonlySet<DepositStatus> = new Set(['dropped', 'reversed']);
const UNDECIDED: ReadonlySet<DepositStatus> = new Set(['confirming', 'arrived', 'held', 'stray', 'rejected']);
const WITHHELD: ReadonlySet<DepositStatus> = new Set(WITHHELD_STATUSES);

export function isOpen({ status }: Pick<SweepRow, 'status'>): boolean {
  return OPEN.has(status);
}

export function isActive({ status }: Pick<SweepRow, 'status'>): boolean {
  return ACTIVE.has(status);
}

export function isThere({ status }: Pick<DepositRow, 'status'>): boolean {
  return !GONE.has(status);
}

export function isUndecided({ status, blockHeight }: Pick<DepositRow, 'status' | 'blockHeight'>): boolean {
  return UNDECIDED.has(status) || (status === 'credited' && blockHeight === null);
}

export function isCredited({ status, blockHeight }: Pick<DepositRow, 'status' | 'blockHeight'>): boolean {
  return status === 'credited' && blockHeight !== null;
}

export function isNotSwept(deposit: Pick<DepositRow, 'sweptBy' | 'status'>): boolean {
  return deposit.sweptBy === null && isThere(deposit);
}

export function isNotMoved({ tables }: MemoryStore, { sweptBy }: Pick<DepositRow, 'sweptBy'>): boolean {
  return sweptBy === null || tables.sweeps.find(sweptBy)?.status === 'failed';
}

export function isWithheld({ status }: Pick<DepositRow, 'status'>): boolean {
  return WITHHELD.has(status);
}

export function depositsAt({ tables }: MemoryStore, { chain, address }: Place): DepositRow[] {
  return tables.deposits.by('address', address).filter((deposit) => deposit.chain === chain);
}

export function sweepsAt({ tables }: MemoryStore, { chain, address }: Place): SweepRow[] {
  return tables.sweeps.by('address', address).filter((sweep) => sweep.chain === chain);
}

export function sumOf(rows: readonly { readonly units: bigint }[]): bigint {
  return rows.reduce((sum, { units }) => sum + units, 0n);
}
