/**
 * An endpoint as data: what the pipeline checks, what the document says and what runs are read from the same place, so that
 * they cannot drift apart.
 */
import type { TObject, TSchema } from '@sinclair/typebox';
import type { AppError, ErrorCode } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/money/json.ts';
import type { Result } from '../../../domain/result.ts';
import type { Answer } from './answer.ts';
import type { ApiContext, Call } from './call.ts';
import type { CsvList } from './csv.ts';
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
   * The rules beyond the schema, and the body in the application's terms. Also called with what is left of a body that
   * failed its schema, to collect every fault; what it returns then is not used. Null when it found a fault.
   */
  read(body: JsonObject, faults: Faults, context: ApiContext): Input | null;
}

export interface Definition<Query extends QuerySpec, Input> {
  /** Its method's name in generated clients. */
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With `:name` for the id, if any. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** `payout` adds the caller's address and X-Uniq-Id to the gates every endpoint has. */
  readonly access?: 'payout';
  /** Takes an Idempotency-Key: its handler gives `once` to its use case. */
  readonly idempotent?: true;
  readonly query?: Query;
  /** The whole list in another form than JSON; its `query` has CSV's parameters. */
  readonly csv?: CsvList<QueryValues<Query>>;
  readonly body?: BodyDefinition<Input>;
  /** Codes the handler itself answers, beyond those the gates bring. */
  readonly rejects?: readonly ErrorCode[];
  readonly success: {
    readonly status: 200 | 201;
    readonly description: string;
    readonly result: TSchema;
    /** A list by pages, or one that is read on from the last row. */
    readonly list?: 'pages' | 'onward';
    readonly examples: Readonly<Record<string, unknown>>;
  };
  readonly handle: Handler<QueryValues<Query>, Input>;
}

/** A definition with its types forgotten and its checker compiled: what the pipeline runs and the document lists. */
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
  /** Answers where `respond` met a bug, which is logged already; without it the envelope of the API does. */
  failed?: PublicRoute['respond'];
}
