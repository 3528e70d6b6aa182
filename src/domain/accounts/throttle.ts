/**
 * How often a secret may be guessed. Each wrong try at something (an address, a network, a user's
 * second factor) is counted there; after some free ones each further try waits, longer each time up
 * to a limit. Nothing is ever locked for good: a quiet day forgets everything. Pure.
 */

const MINUTE_MS = 60_000;

export interface ThrottleRule {
  /** Tries without any wait. */
  readonly free: number;
  /** The first wait; it doubles with each further try. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

/** Passwords of one address, wherever they come from. */
export const ADDRESS_RULE: ThrottleRule = {
  ...{ free: 5, firstWaitMs: 5_000, longestWaitMs: 15 * MINUTE_MS },
};
/** Passwords from one network: an office shares one, and so more are free. */
export const NETWORK_RULE: ThrottleRule = {
  ...{ free: 30, firstWaitMs: 5_000, longestWaitMs: 15 * MINUTE_MS },
};
/**
 * Second factors of one user, which only somebody with the password can try: some 30 tries a day at
 * most, of a million codes of which three are right.
 */
export const FACTOR_RULE: ThrottleRule = {
  ...{ free: 5, firstWaitMs: 30_000, longestWaitMs: 60 * MINUTE_MS },
};
/** E-mails that a stranger can have sent to one address. */
export const REGISTRATION_ADDRESS_RULE: ThrottleRule = {
  ...{ free: 2, firstWaitMs: 60 * MINUTE_MS, longestWaitMs: 12 * 60 * MINUTE_MS },
};
export const REGISTRATION_NETWORK_RULE: ThrottleRule = {
  ...{ free: 10, firstWaitMs: 10 * MINUTE_MS, longestWaitMs: 60 * MINUTE_MS },
};
/** E-mails of all registrations together: a flood goes on with one a minute. */
export const REGISTRATIONS_RULE: ThrottleRule = {
  ...{ free: 200, firstWaitMs: MINUTE_MS, longestWaitMs: MINUTE_MS },
};

/** How long a network from which a user has signed in is the user's own. */
export const NETWORK_KNOWN_MS = 90 * 24 * 60 * MINUTE_MS;
/** After so long without a try nothing is counted any more. */
export const TALLY_FORGOTTEN_MS = 24 * 60 * MINUTE_MS;

/** What is counted at one place. */
export interface Tally {
  readonly failures: number;
  readonly lastAt: Date;
}

/** How long the next try has to wait; 0: not at all. */
export function waitMs(tally: Tally, rule: ThrottleRule, now: Date): number {
  const passed = now.getTime() - tally.lastAt.getTime();
  const beyond = tally.failures - rule.free;
  if (beyond < 0 || passed >= TALLY_FORGOTTEN_MS) return 0;
  const whole = Math.min(rule.longestWaitMs, rule.firstWaitMs * 2 ** beyond);
  // A clock that was set back must not make it longer.
  return Math.max(0, Math.min(whole, whole - passed));
}

/** With one more try, which counts as wrong until it turns out to be right. */
export function withTry(tally: Tally, now: Date): Tally {
  const isForgotten = now.getTime() - tally.lastAt.getTime() >= TALLY_FORGOTTEN_MS;
  return { failures: (isForgotten ? 0 : tally.failures) + 1, lastAt: now };
}

/**
 * The network of an address, as one guesser has it: 256 addresses of IPv4, and a /48 of IPv6, which
 * a single customer can be given. Other texts are their own network.
 */
export function networkOf(ip: string | null): string {
  if (ip === null) return 'unknown';
  const [, v4] = /^(?:::ffff:)?(\d+\.\d+\.\d+)\.\d+$/i.exec(ip) ?? [];
  if (v4 !== undefined) return v4;
  if (!ip.includes(':')) return ip;
  const [before = '', after] = ip.toLowerCase().split('::');
  const [head, tail] = [before.split(':').filter(Boolean), (after ?? '').split(':').filter(Boolean)];
  const zeros =
    after === undefined ? [] : Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail]
    .slice(0, 3)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
