/**
 * The audit log of the console and of operators' scripts: who did what, from where, and what it
 * changed. Pure.
 */
import type { JsonObject } from '../money/json.ts';

export const ACTOR_KINDS = ['user', 'script', 'system'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** Whoever acts. A script's `name` is the account of the machine that runs it. */
export interface Actor {
  readonly kind: ActorKind;
  /** The user's id; null for scripts and the system. */
  readonly userId: string | null;
  /** The user's e-mail address, as it was then, or who ran the script. */
  readonly name: string;
  readonly ip: string | null;
}

export const AUDIT_SUBJECTS = [
  ...['user', 'session', 'invitation', 'approval'],
  ...['merchant', 'api_key', 'webhook_secret', 'brand', 'link', 'invoice', 'deposit', 'payout', 'refund'],
  ...[
    'permanent_address',
    'delivery',
    'sweep',
    'forward',
    'address',
    'capital',
    'signing',
    'wallet',
    'chain',
    'list',
    'database',
    'audit_log',
  ],
] as const;
export type AuditSubject = (typeof AUDIT_SUBJECTS)[number];

/** What was done, to what: `payout.released` on payout 6650... */
export interface AuditedAction {
  /** `subject.past_participle`. */
  readonly action: string;
  readonly subject: AuditSubject;
  /** Null where the action makes it, or concerns all. */
  readonly subjectId: string | null;
  /** The merchant that it concerns; null: none. */
  readonly merchantId: string | null;
  /** What the actor wrote or chose, at most NOTE_LENGTH_MAX characters; never a secret. */
  readonly note?: string | null;
}

/** Of a reason, a note or an answer that somebody writes, wherever it is kept. */
export const NOTE_LENGTH_MAX = 1_000;

export interface AuditEntry extends AuditedAction {
  readonly id: string;
  readonly at: Date;
  readonly actor: Actor;
  /** What the action changed, before and after; null where there was nothing. Never a secret. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

/** `payout.released`, `merchant.key_rotated`. */
export const AUDIT_ACTION = /^[a-z_]+\.[a-z_]+$/;
