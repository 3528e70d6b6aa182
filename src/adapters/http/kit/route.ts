/**
 * An endpoint as data. The pipeline's checks, the OpenAPI document and the handler come from one
 * definition, so that they cannot differ.
 */
import type { TObject, TSchema } from '@sinclair/typebox';
import type { AppError, ErrorCode } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/money/json.ts';
import type { Result } from '../../../domain/result.ts';
import type { Answer } from './answer.ts';
import type { ApiContext, Call } from './call.ts';
import type { CsvList } from './documents/csv.ts';
import type { QuerySpec, QueryValues } from './input/query.ts';
import { BodyChecker, type Faults } from './input/validate.ts';

export const BODY_LIMIT_BYTES = 256 * 1024;
export const BATCH_LIMIT_BYTES = 1024 * 1024;

export type Handler<Query, Body> = (
  call: Call<Query, Body>,
  context: ApiContext,
) => Promise<Result<Answer, AppError>>;

export interface BodyDefinition<Input> {
  readonly schema: TObject;
  readonly limitBytes?: number;
  readonly required?: boolean;
  readonly refuseRepeatedKeys?: boolean;
  readonly examples: Readonly<Record<string, unknown>>;
  /**
   * Checks the rules beyond the schema and returns the body in the application's terms, or null
   * when it found a fault. It is also called with the valid fields of a body that failed its
   * schema, to collect every fault. Its result is not used then.
   */
  read(body: JsonObject, faults: Faults, context: ApiContext): Input | null;
}

export interface Definition<Query extends QuerySpec, Input> {
  /** The name of its method in generated clients. */
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `:name` stands for the id, if there is one. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** `refund` adds the gate for the caller's address; `payout` also the one for X-Uniq-Id. */
  readonly access?: 'payout' | 'refund';
  /** Takes an Idempotency-Key: its handler responds with `respondOnce`. */
  readonly idempotent?: true;
  readonly query?: Query;
  /** The whole list as CSV. `query` then includes the parameters of CSV. */
  readonly csv?: CsvList<QueryValues<Query>>;
  readonly body?: BodyDefinition<Input>;
  /** Error codes of the handler, beyond those of the gates. */
  readonly rejects?: readonly ErrorCode[];
  readonly success: {
    readonly status: 200 | 201;
    readonly description: string;
    readonly result: TSchema;
    /** A list with pages, or one that is read on from its last row. */
    readonly list?: 'pages' | 'onward';
    readonly examples: Readonly<Record<string, unknown>>;
  };
  readonly handle: Handler<QueryValues<Query>, Input>;
}

/**
 * A definition without its type parameters and with a compiled checker: what the pipeline runs and
 * the document lists.
 */
export interface Route extends Omit<Definition<QuerySpec, unknown>, 'handle' | 'body' | 'csv'> {
  readonly csv?: CsvList;
  readonly idName: string | null;
  readonly body?: BodyDefinition<unknown> & { readonly checker: BodyChecker };
  handle(call: Call, context: ApiContext): Promise<Result<Answer, AppError>>;
}

export function route<const Query extends QuerySpec, Input>(definition: Definition<Query, Input>): Route {
  const { body, handle, ...rest } = definition;
  return {
    ...rest,
    idName: /:(\w+)/.exec(definition.path)?.[1] ?? null,
    ...(body === undefined ? {} : { body: { ...body, checker: new BodyChecker(body.schema) } }),
    handle: handle as Handler<unknown, unknown>,
  };
}

/** An endpoint outside the API: no key, no envelope. */
export interface PublicRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  respond(
    request: Request,
    params: Readonly<Record<string, string | undefined>>,
  ): Response | Promise<Response>;
  /**
   * Responds after a bug in `respond`, which is logged already. Default: an error in the API's
   * envelope.
   */
  failed?: PublicRoute['respond'];
}
