/**
 * E-mails to customers (decision 0039): what is sent to whom, and when it is tried again. No e-mail
 * delays anything: it is queued in the transaction of its cause, and sent by a job. Pure.
 */
import { isEmailAddress } from '../merchants/brand.ts';
import type { JsonObject } from '../money/json.ts';

export const MAIL_KINDS = ['receipt', 'late_payment', 'refund'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];
export const MAIL_STATUSES = ['queued', 'sent', 'given_up'] as const;
export type MailStatus = (typeof MAIL_STATUSES)[number];
/**
 * `refused`: the server will never take it. `unreachable`: no server took it in a day. `obsolete`:
 * what it tells is not true any more.
 */
export const MAIL_FAILURES = ['refused', 'unreachable', 'obsolete'] as const;
export type MailFailure = (typeof MAIL_FAILURES)[number];

export interface CustomerMail {
  readonly id: string;
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly invoiceId: string;
  readonly kind: MailKind;
  /** The refund that it offers; null for other kinds. */
  readonly refundClaimId: string | null;
  readonly recipient: string;
  /** As the customer or merchant named it: perhaps none that we speak. */
  readonly language: string;
  readonly status: MailStatus;
  /** Tries that were begun. */
  readonly tries: number;
  /** When the next try is due. */
  readonly dueAt: Date;
  readonly failure: MailFailure | null;
  readonly createdAt: Date;
}

const MINUTE_MS = 60_000;
const PAUSE_MAX_MS = 6 * 3_600_000;
const GIVEN_UP_AFTER_MS = 24 * 3_600_000;
/** A try that takes longer has died with its process: another may begin. */
export const TRY_MS = 5 * MINUTE_MS;

export type MailOutcome = 'sent' | MailFailure;

/** The mail after a try that began at `at`. Pauses double, and end after a day. */
export function mailAfter(mail: CustomerMail, outcome: MailOutcome, at: Date): CustomerMail {
  if (outcome === 'sent') return { ...mail, status: 'sent' };
  const over = at.getTime() - mail.createdAt.getTime() >= GIVEN_UP_AFTER_MS;
  if (outcome !== 'unreachable' || over) return { ...mail, status: 'given_up', failure: outcome };
  const pauseMs = Math.min(PAUSE_MAX_MS, MINUTE_MS * 2 ** Math.min(mail.tries, 16));
  return { ...mail, dueAt: new Date(at.getTime() + pauseMs) };
}

export interface CustomerContact {
  readonly recipient: string;
  readonly language: string;
}

const LANGUAGE_LENGTH_MAX = 16;

/** From `payer_info`: `email`, and `language` if it is there. Null without a usable address. */
export function customerContact(payerInfo: JsonObject | null): CustomerContact | null {
  const { email, language } = payerInfo ?? {};
  if (typeof email !== 'string' || !isEmailAddress(email)) return null;
  const named = typeof language === 'string' && language.length <= LANGUAGE_LENGTH_MAX;
  return { recipient: email, language: named ? language : '' };
}
