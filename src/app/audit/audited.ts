/**
 * The audit log of a use case: what it changes, and the entry that says who did it, are committed
 * together. A refused action leaves no entry.
 *
 * `before` is read before the use case takes its locks, and `after` while it holds them. So `after`
 * is exact; a change that another transaction commits in between is in `before` of no entry of this
 * action, and has an entry of its own.
 */
import type { Actor, AuditEntry, AuditedAction } from '../../domain/audit/audit-entry.ts';
import type { JsonObject } from '../../domain/money/json.ts';
import type { Repositories, UnitOfWork } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { Snapshot } from './snapshot.ts';
import { snapshotOf } from './snapshots.ts';

export type AuditNeeds = Pick<AppDependencies, 'unitOfWork' | 'clock' | 'ids'>;

export interface AuditOptions {
  /**
   * For an action that makes its subject: the id, from what a transaction returns (the value of an
   * Ok). Null or undefined: this transaction made none, and writes no entry.
   */
  subjectOf?(result: unknown): string | null | undefined;
}

/** The id of what a transaction returns, or of one of its fields: for `subjectOf`. */
export function idIn(field: string | null = null): (result: unknown) => string | null {
  return (result) => {
    const found = field === null ? result : property(result, field);
    const id = property(found, 'id');
    return typeof id === 'string' ? id : null;
  };
}

/**
 * The dependencies of one audited action: a transaction that changes the subject, or makes it, also
 * writes an entry. Of a subject without a snapshot the first transaction that is not refused does.
 * A transaction that is refused (an Err) or rolled back writes none, one that is repeated writes
 * one. For one call of a use case: `runAudited` also has an entry for what changed nothing.
 */
export function audited<Deps extends AuditNeeds>(
  deps: Deps,
  actor: Actor,
  action: AuditedAction,
  options: AuditOptions = {},
): Deps {
  return trailOf(deps, actor, action, options).deps;
}

/**
 * Runs a use case over `audited`. If it succeeds there is at least one entry: where no transaction
 * changed the subject, one of its own says that the action was done. Unless the action makes its
 * subject, and made none.
 */
export async function runAudited<Deps extends AuditNeeds, Done>(
  deps: Deps,
  actor: Actor,
  action: AuditedAction,
  useCase: (deps: Deps) => Promise<Done>,
  options: AuditOptions = {},
): Promise<Done> {
  const trail = trailOf(deps, actor, action, options);
  const done = await useCase(trail.deps);
  if (isRefused(done) || trail.isWritten()) return done;
  const made = options.subjectOf?.(madeBy(done));
  if (action.subjectId === null && options.subjectOf !== undefined && !made) return done;
  const subjectId = action.subjectId ?? made ?? null;
  await deps.unitOfWork.run(async (repositories) => {
    const now = await snapshotOf(repositories, { subject: action.subject, subjectId });
    await append(deps, repositories, { actor, action, subjectId, before: now, after: now });
  });
  return done;
}

/**
 * An entry in a transaction of its own, for what does not go through `unitOfWork`: creating payouts
 * and invoices (group writers), chains that are read again, wallets. Where money leaves, record the
 * order before the use case: an order without a payout is seen and harms nobody, a payout that
 * nobody ordered cannot be explained. Everything else is recorded after it succeeded.
 */
export async function recordAction(
  deps: AuditNeeds,
  actor: Actor,
  action: AuditedAction,
  { before = null, after = null }: { before?: JsonObject | null; after?: JsonObject | null } = {},
): Promise<void> {
  const { note = null } = action;
  await deps.unitOfWork.run(({ audit }) =>
    audit.append({ ...action, note, ...stamp(deps), actor, before, after }),
  );
}

/** The dependencies, and whether a transaction of theirs has committed an entry. */
function trailOf<Deps extends AuditNeeds>(
  deps: Deps,
  actor: Actor,
  action: AuditedAction,
  { subjectOf }: AuditOptions,
): { readonly deps: Deps; isWritten(): boolean } {
  let written = false;

  /** Whether the transaction's entry was appended. */
  async function appended(repositories: Repositories, before: Snapshot | null, result: unknown) {
    if (isRefused(result)) return false;
    const made = action.subjectId === null ? subjectOf?.(madeBy(result)) : null;
    if (action.subjectId === null && subjectOf !== undefined && !made) return false;
    const subjectId = action.subjectId ?? made ?? null;
    const after = await snapshotOf(repositories, { subject: action.subject, subjectId });
    const comparable = before !== null || after !== null;
    if (comparable ? isSame(before, after) : written) return false;
    await append(deps, repositories, { actor, action, subjectId, before, after });
    return true;
  }

  const unitOfWork: UnitOfWork = {
    async run(work) {
      let wrote = false;
      const result = await deps.unitOfWork.run(async (repositories) => {
        const before = await snapshotOf(repositories, action);
        const worked = await work(repositories);
        wrote = await appended(repositories, before, worked);
        return worked;
      });
      written ||= wrote;
      return result;
    },
  };
  return { deps: { ...deps, unitOfWork }, isWritten: () => written };
}

async function append(
  deps: AuditNeeds,
  { audit }: Repositories,
  {
    actor,
    action,
    subjectId,
    before,
    after,
  }: {
    actor: Actor;
    action: AuditedAction;
    subjectId: string | null;
    before: Snapshot | null;
    after: Snapshot | null;
  },
): Promise<void> {
  await audit.append({
    ...stamp(deps),
    ...{ action: action.action, subject: action.subject, subjectId, actor, note: action.note ?? null },
    merchantId: action.merchantId ?? after?.merchantId ?? before?.merchantId ?? null,
    ...{ before: before?.facts ?? null, after: after?.facts ?? null },
  });
}

function stamp({ ids, clock }: AuditNeeds): Pick<AuditEntry, 'id' | 'at'> {
  return { id: ids.id(), at: clock.now() };
}

function property(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}

function isRefused(result: unknown): boolean {
  return isResult(result) && !result.ok;
}

function madeBy(result: unknown): unknown {
  return isResult(result) && result.ok ? result.value : result;
}

function isResult(result: unknown): result is { readonly ok: boolean; readonly value?: unknown } {
  return typeof result === 'object' && result !== null && 'ok' in result && typeof result.ok === 'boolean';
}

/** Snapshots are made with their fields in one order. */
function isSame(before: Snapshot | null, after: Snapshot | null): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
