/** A provider's API as data: its routes, how its requests are signed and how it tells a refusal (compat-pipeline.ts runs them). */
import type { Application } from '../../../app/application.ts';
import type { Caller } from '../../../app/caller.ts';
import type { AppError, FieldError } from '../../../domain/errors.ts';
import type { Result } from '../../../domain/result.ts';
import type { ApiContext } from '../kit/call.ts';
import { HTTP_STATUS } from '../kit/errors.ts';

/** A request before its key is known. */
export interface RawRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly url: string;
  /** The same where the service is reached from outside, whatever stands between. */
  readonly publicUrl: string;
  readonly body: string;
  readonly now: Date;
  /** Of this request alone, whatever it calls itself. */
  readonly uuid: string;
}

/** A request that passed the gates. */
export interface CompatCall extends RawRequest {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  /** The address gate of payouts: null when the caller may ask for one. */
  payoutGate(): AppError | null;
}

/** What a provider's client is told of a refusal, before it is put in the provider's shape. */
export interface CompatRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly faults: readonly FieldError[];
}

/** The JSON that is answered with status 200, or 201 where the provider does. */
export interface Reply {
  readonly status: 200 | 201;
  readonly body: unknown;
}

export type Handled = Promise<Result<Reply, AppError | CompatRefusal>>;

export interface CompatRoute {
  readonly method: 'GET' | 'POST';
  /** Behind the prefix. */
  readonly path: string;
  handle(call: CompatCall, context: ApiContext): Handled;
}

/** One that anybody may ask, without a key. */
export interface OpenCompatRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  answer(request: Omit<CompatCall, 'caller' | 'payoutGate'>, context: ApiContext): Handled;
}

export interface Surface {
  readonly prefix: string;
  readonly routes: readonly (CompatRoute | OpenCompatRoute)[];
  /** The API key that the request was signed with; null when none was. Looks nothing up unless `admits`. */
  findKey(
    request: RawRequest,
    application: Pick<Application, 'keyThatFits'>,
    admits: () => boolean,
  ): string | null | Promise<string | null>;
  refused(refusal: CompatRefusal): { readonly status: number; readonly body: unknown };
}

export function replied(body: unknown, status: Reply['status'] = 200): Result<Reply, never> {
  return { ok: true, value: { status, body } };
}

/** 501: what the provider has and this gateway has not. */
export function notSupported(what: string): CompatRefusal {
  return {
    status: 501,
    code: 'NOT_SUPPORTED',
    message: `${what} is not supported here. See docs/compat.md for what is.`,
    faults: [],
  };
}

/** A refusal of the API in these terms: the sentence is that of the first fault. */
export function refusalOf({ code, message, details }: AppError): CompatRefusal {
  const faults = code === 'VALIDATION_ERROR' ? (details as readonly FieldError[]) : [];
  const [first] = faults;
  return {
    status: HTTP_STATUS[code],
    code,
    message: first === undefined ? message : `${first.field} ${first.message}`,
    faults,
  };
}
