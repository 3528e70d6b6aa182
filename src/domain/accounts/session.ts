/** Sessions of the console: how long they last, and what they have proved. Pure. */
import type { User } from './user.ts';

/** The secret of a session or of a link: 32 bytes in base64url. */
export const SECRET_TOKEN = /^[A-Za-z0-9_-]{43}$/;

const MINUTE_MS = 60_000;
/** Without a request. */
export const SESSION_IDLE_MS = 12 * 60 * MINUTE_MS;
/** From the sign-in, whatever happens. */
export const SESSION_LONGEST_MS = 7 * 24 * 60 * MINUTE_MS;
/** Between password and second factor. */
export const SECOND_FACTOR_PATIENCE_MS = 10 * MINUTE_MS;
/** What moves money asks for the second factor again after this time. */
export const SECOND_FACTOR_FRESH_MS = 15 * MINUTE_MS;
/** A first second factor is set up within this time: an app may have to be installed. */
const SIGN_IN_FRESH_MS = 30 * MINUTE_MS;

/**
 * `password`: the second factor is awaited, and no page but that one is shown. `enrolling`: signed
 * in by password, and the user must set up a second factor first. `complete`: everything else.
 */
export type SessionStage = 'password' | 'enrolling' | 'complete';

export interface Session {
  /** Names it in lists and in the audit log; not the token. */
  readonly id: string;
  readonly userId: string;
  readonly stage: SessionStage;
  /** When a second factor was last given; null: never. */
  readonly secondFactorAt: Date | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
}

/**
 * What the session may do now. It is no state of its own, since roles and second factors change
 * while it lives: whoever has a second factor must have given it in this session.
 */
export function stageOf(
  { secondFactorAt }: Pick<Session, 'secondFactorAt'>,
  { operatorRole }: Pick<User, 'operatorRole'>,
  hasSecondFactor: boolean,
): SessionStage {
  if (hasSecondFactor) return secondFactorAt === null ? 'password' : 'complete';
  return operatorRole === null ? 'complete' : 'enrolling';
}

export function isOver(
  { stage, createdAt, lastSeenAt }: Pick<Session, 'stage' | 'createdAt' | 'lastSeenAt'>,
  now: Date,
): boolean {
  const age = now.getTime() - createdAt.getTime();
  const idle = now.getTime() - lastSeenAt.getTime();
  if (stage === 'password' && age >= SECOND_FACTOR_PATIENCE_MS) return true;
  return age >= SESSION_LONGEST_MS || idle >= SESSION_IDLE_MS;
}

/** Whether the second factor was given so recently that money may move. */
export function isFresh({ secondFactorAt }: Pick<Session, 'secondFactorAt'>, now: Date): boolean {
  return secondFactorAt !== null && now.getTime() - secondFactorAt.getTime() < SECOND_FACTOR_FRESH_MS;
}

/** Whether the password was given so recently that a first second factor may be set up. */
export function isFreshSignIn({ createdAt }: Pick<Session, 'createdAt'>, now: Date): boolean {
  return now.getTime() - createdAt.getTime() < SIGN_IN_FRESH_MS;
}

/** `lastSeenAt` is written at most this often. */
export const SEEN_EVERY_MS = MINUTE_MS;
export const USER_AGENT_LENGTH_MAX = 300;
