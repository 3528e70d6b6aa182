/**
 * A provider's API as data: its routes, its signatures and the shape of its refusals.
 * compat-pipeline.ts runs it.
 */
import type { Application } from '../../../app/application.ts';
import type { Caller } from '../../../app/caller.ts';
import type { AppError, FieldError } from '../../../domain/errors.ts';
import type { Result } from '../../../domain/result.ts';
import type { ApiContext } from '../kit/call.ts';
import { ERRORS } from '../kit/error-table.ts';

/** A request before its key is known. */
export interface RawRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly url: string;
  /** The URL as the client called it, before any proxy. */
  readonly publicUrl: string;
  readonly body: string;
  readonly now: Date;
  /** New for each request, whatever request id it has. */
  readonly uuid: string;
}

/** A request that passed the gates. */
export interface CompatCall extends RawRequest {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  /** The address gate of payouts: null when the caller may make payouts. */
  payoutGate(): AppError | null;
}

/** A refusal, before it gets the provider's shape. */
export interface CompatRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly faults: readonly FieldError[];
}

/** A JSON response with status 200, or 201 where the provider has that. */
export interface Reply {
  readonly status: 200 | 201;
  readonly body: unknown;
}

export type CompatResult = Promise<Result<Reply, AppError | CompatRefusal>>;

export interface CompatRoute {
  readonly method: 'GET' | 'POST';
  /** Below the prefix. */
  readonly path: string;
  handle(call: CompatCall, context: ApiContext): CompatResult;
}

/** A route that needs no key. */
export interface OpenCompatRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  answer(request: Omit<CompatCall, 'caller' | 'payoutGate'>, context: ApiContext): CompatResult;
}

export interface Surface {
  readonly prefix: string;
  readonly routes: readonly (CompatRoute | OpenCompatRoute)[];
  /**
   * The API key that signed the request, or null. Looks nothing up unless `admits` returns true.
   */
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

/** 501: a feature of the provider that this gateway does not have. */
export function notSupported(what: string): CompatRefusal {
  return {
    status: 501,
    code: 'NOT_SUPPORTED',
    message: `${what} is not supported. docs/compat.md lists what is supported.`,
    faults: [],
  };
}

/** A refusal by the API. Its message is that of the first fault. */
export function refusalOf({ code, message, details }: AppError): CompatRefusal {
  const faults = code === 'VALIDATION_ERROR' ? (details as readonly FieldError[]) : [];
  const [first] = faults;
  return {
    status: ERRORS[code].status,
    code,
    message: first === undefined ? message : `${first.field} ${first.message}`,
    faults,
  };
}
