/** What the client's types are made of. */

declare const decimal: unique symbol;

/** Stands for an amount in the generated types. Callers meet numbers or strings in its place. */
export interface Decimal {
  readonly [decimal]: never;
}

/** A schema whose amounts are D. */
export type With<T, D> = T extends Decimal
  ? D
  : T extends readonly (infer Item)[]
    ? With<Item, D>[]
    : T extends object
      ? { [Name in keyof T]: With<T[Name], D> }
      : T;

export interface CallOptions {
  /** Ends the call with the signal's reason, also while it waits to try again. */
  readonly signal?: AbortSignal;
  /** Instead of the client's own. */
  readonly timeoutMs?: number;
  /** Instead of the client's own. */
  readonly retries?: number;
  /**
   * Instead of one that the client makes up: your order's number makes also a later process's
   * repetition safe, for 24 hours.
   */
  readonly idempotencyKey?: string;
  /** Of a payout, instead of one that the client makes up: a UUIDv4. */
  readonly uniqId?: string;
}

/** Rows of a list and where they stand in it. */
export interface Page<Item, Place> {
  readonly items: Item[];
  readonly pagination: Place;
}

/** A call as an operation describes it. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query?: object;
  readonly body?: unknown;
  /** Takes an Idempotency-Key, and may so be repeated. */
  readonly keyed?: true;
  /** Takes an X-Uniq-Id. */
  readonly payout?: true;
  /** Lists the youngest row first: what is added meanwhile moves the others. */
  readonly youngest?: true;
}

/** An id as a part of a path. Throws a TypeError for what would make another path of it. */
export function segment(text: string): string {
  if (['', '.', '..'].includes(text)) throw new TypeError(`no id: ${JSON.stringify(text)}`);
  return encodeURIComponent(text);
}
