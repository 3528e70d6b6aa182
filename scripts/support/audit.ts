/**
 * What scripts write into the audit log. A command changes something only through `act`: outside of
 * it the service's transactions cannot write.
 */
import { hostname, userInfo } from 'node:os';
import { type AuditNeeds, type AuditOptions, recordAction, runAudited } from '../../src/app/audit/audited.ts';
import type { AppDependencies } from '../../src/app/dependencies.ts';
import type { Actor, AuditedAction } from '../../src/domain/audit/audit-entry.ts';
import type { JsonObject } from '../../src/domain/money/json.ts';
import type { UnitOfWork } from '../../src/ports/repositories.ts';

/** An AuditedAction, where what is left out is null. An empty note is none. */
export type ScriptAction = Pick<AuditedAction, 'action' | 'subject'> &
  Partial<Pick<AuditedAction, 'merchantId' | 'note'>> & { readonly id?: string };

export interface Recorder {
  readonly actor: Actor;
  /** An entry of its own (recordAction in src/app/audit/audited.ts). */
  record(action: ScriptAction, facts?: { before?: JsonObject; after?: JsonObject }): Promise<void>;
}

export interface ScriptAudit extends Recorder {
  /** Runs a use case that changes something, with its entries (runAudited). */
  act<Done>(
    action: ScriptAction,
    useCase: (deps: AppDependencies) => Promise<Done>,
    options?: AuditOptions,
  ): Promise<Done>;
  /** Runs it and takes everything back: for --dry-run. */
  trial<Done>(useCase: (deps: AppDependencies) => Promise<Done>): Promise<Done>;
}

/**
 * The account that runs the script, behind sudo also the one that ordered it, and the machine: the
 * log names who had access to the keys, which nobody can choose by an option.
 */
export function scriptActor(env: Readonly<Record<string, string | undefined>>): Actor {
  const account = accountName();
  const orderedBy = env.SUDO_USER?.trim() ?? '';
  const name = orderedBy === '' || orderedBy === account ? account : `${orderedBy} as ${account}`;
  return { kind: 'script', userId: null, name: `${name} on ${hostname()}`, ip: null };
}

/** A container may run under a number without a name. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** `audits`: the actions that the command says it takes. Another one is a bug. */
export function recorder(deps: AuditNeeds, actor: Actor, audits: readonly string[]): Recorder {
  return {
    actor,
    record: (action, facts = {}) => recordAction(deps, actor, auditedAction(action, audits), facts),
  };
}

export function scriptAudit(deps: AppDependencies, actor: Actor, audits: readonly string[]): ScriptAudit {
  return {
    ...recorder(deps, actor, audits),
    act: (action, useCase, options) =>
      runAudited(deps, actor, auditedAction(action, audits), useCase, options),
    trial: (useCase) => useCase({ ...deps, unitOfWork: takenBack(deps.unitOfWork) }),
  };
}

function auditedAction(given: ScriptAction, audits: readonly string[]): AuditedAction {
  const { action, subject, id: subjectId = null, merchantId = null, note = null } = given;
  if (!audits.includes(action)) throw new Error(`the command does not say that it audits ${action}`);
  return { action, subject, subjectId, merchantId, note: note === '' ? null : note };
}

class TakenBack extends Error {}

function takenBack(unitOfWork: UnitOfWork): UnitOfWork {
  return {
    async run<T>(work: Parameters<typeof unitOfWork.run<T>>[0]) {
      let done: { readonly result: T } | null = null;
      const run = unitOfWork.run(async (repositories) => {
        done = { result: await work(repositories) };
        throw new TakenBack();
      });
      await run.catch((error: unknown) => {
        if (!(error instanceof TakenBack)) throw error;
      });
      return (done as unknown as { readonly result: T }).result;
    },
  };
}
