/**
 * Who let a user in: the inviter, with whoever had let the inviter in by then. Nobody, where the
 * machine, a registration, or an operator at a merchant did. An inviter may have kept the link and
 * be both people, so two users are independent only if no third one could be both of them. Pure.
 */

/** User ids; empty: nobody at the place let them in. */
export type Sponsors = readonly string[];

export interface Sponsored {
  readonly userId: string;
  readonly sponsors: Sponsors;
}

/** Of whoever accepts a link that `inviter` made (null: the machine). `holders`: at the place. */
export function sponsorsBy(inviter: string | null, holders: readonly Sponsored[]): Sponsors {
  if (inviter === null) return [];
  return [inviter, ...(holders.find(({ userId }) => userId === inviter)?.sponsors ?? [])];
}

/** Of a user whose new password an operator made possible, who may have set it. */
export function withReset(user: Sponsored, by: string | null, holders: readonly Sponsored[]): Sponsors {
  return [...new Set([...user.sponsors, ...sponsorsBy(by, holders)])].filter((id) => id !== user.userId);
}

/** Whether no user is among both, or has let both in. */
export function areIndependent(one: Sponsored, other: Sponsored): boolean {
  const among = new Set([one.userId, ...one.sponsors]);
  return ![other.userId, ...other.sponsors].some((id) => among.has(id));
}
