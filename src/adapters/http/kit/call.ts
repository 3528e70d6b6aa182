/** What a handler of the API gets. */
import type { Application } from '../../../app/application.ts';
import type { Caller } from '../../../app/caller.ts';
import type { RespondOnce } from './idempotency.ts';

/** What handlers may use besides the request. */
export interface ApiContext {
  readonly application: Application;
  /** Base of the hosted checkout, without a trailing slash. */
  readonly checkoutUrl: string;
}

/** A request that passed every gate of its route. */
export interface Call<Query = unknown, Body = unknown> {
  readonly caller: Caller;
  /** The path's id, or '' where the path has none. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  /** X-Uniq-Id in lower case on payout endpoints, '' elsewhere. */
  readonly uniqId: string;
  /** Makes the answer of an endpoint that takes an Idempotency-Key. */
  readonly respondOnce: RespondOnce;
}
