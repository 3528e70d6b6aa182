/**
 * The gates in front of every API endpoint, in the order of decision 0003, and the response.
 * Elysia's own parsing and validation would run before its hooks can refuse a key, so they are not
 * used.
 */
import type { Application } from '../../../app/application.ts';
import type { Caller } from '../../../app/caller.ts';
import { type AppError, appError, validationError } from '../../../domain/errors.ts';
import { accessGate } from '../../../domain/merchants/merchant.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import { type Answer, answerText, successResponse } from './answer.ts';
import type { ApiContext, Call } from './call.ts';
import { type CsvList, csvBody, csvHeaders, wantsCsv } from './documents/csv.ts';
import { errorOf } from './errors.ts';
import {
  type AnswerOrReplay,
  type CarryOutOnce,
  fingerprintOf,
  idempotencyKey,
  onceGate,
  type RespondOnce,
  respondWithoutKey,
} from './idempotency.ts';
import { parseBody, readBody } from './input/body.ts';
import { asId, readQuery } from './input/query.ts';
import { Faults } from './input/validate.ts';
import type { KeyGate } from './key-gate.ts';
import { payoutAddressGate } from './payout-gate.ts';
import { limitHeaders } from './rate-limit.ts';
import { type Gate, type GateRefusal, refused } from './refusal.ts';
import { BODY_LIMIT_BYTES, type Route } from './route.ts';

export interface PipelineDependencies {
  readonly application: Application;
  readonly context: ApiContext;
  readonly keys: KeyGate;
  /** The caller's address behind trusted proxies; null when it is unknown. */
  readonly callerIp: (request: Request) => string | null;
  readonly onBug: (thrown: unknown, requestId: string) => void;
}

/** The response, and the merchant of the request for the log. */
export interface HandledRequest {
  readonly response: Response;
  readonly merchantId: string | null;
}

/** A request that passed the gates. Its body is not parsed yet. */
interface AdmittedRequest extends Omit<Call, 'body' | 'respondOnce'> {
  readonly key: string | null;
  readonly body: Uint8Array;
}

const REPLAYED = { 'idempotent-replayed': 'true' };
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

export class Pipeline {
  readonly #deps: PipelineDependencies;
  readonly #keys: KeyGate;
  readonly #carryOutOnce: CarryOutOnce;

  constructor(dependencies: PipelineDependencies) {
    this.#deps = dependencies;
    this.#keys = dependencies.keys;
    this.#carryOutOnce = onceGate(dependencies.application);
  }

  run(
    route: Route,
    request: Request,
    params: Readonly<Record<string, string | undefined>>,
    requestId: string,
  ): Promise<HandledRequest> {
    return this.#withKey(request, requestId, async (caller) => {
      const admitted = await this.#admit(route, request, params, caller);
      if (!admitted.ok) return refused(admitted.error, requestId);
      const { csv } = route;
      if (csv !== undefined && wantsCsv(request.headers, admitted.value.query))
        return this.#csv(csv, admitted.value, request, requestId);
      const result = await this.#carryOutOrReplay(route, admitted.value);
      if (!result.ok) return refused({ error: result.error }, requestId);
      const { answer, replayed } = result.value;
      return successResponse(request, answer, requestId, replayed ? REPLAYED : {});
    });
  }

  /**
   * A path without an endpoint. It requires a key too, so that strangers cannot list the API's
   * paths.
   */
  runUnknown(request: Request, allowed: readonly string[], requestId: string): Promise<HandledRequest> {
    return this.#withKey(request, requestId, async () => unknownPath(allowed, requestId));
  }

  /** Responds to a valid key, with the headers of its quota. */
  async #withKey(
    request: Request,
    requestId: string,
    respond: (caller: Caller) => Promise<Response>,
  ): Promise<HandledRequest> {
    let merchantId: string | null = null;
    try {
      const caller = await this.#keys.caller(request);
      if (!caller.ok) return refusedCaller(caller.error, requestId);
      merchantId = caller.value.merchant.id;
      const response = await respond(caller.value);
      const limits = limitHeaders(this.#keys.quotaOf(caller.value));
      for (const [name, value] of Object.entries(limits)) response.headers.set(name, value);
      return { response, merchantId };
    } catch (thrown) {
      return { response: this.#failed(thrown, requestId), merchantId };
    }
  }

  /** The gates after the key, except for the content of the body. */
  async #admit(
    route: Route,
    request: Request,
    params: Readonly<Record<string, string | undefined>>,
    caller: Caller,
  ): Promise<Gate<AdmittedRequest>> {
    const closed = accessGate(caller.merchant, caller.environment);
    if (closed) return err({ error: closed });
    const uniqId = this.#mayPayOut(route, request, caller);
    if (!uniqId.ok) return uniqId;
    let id = '';
    if (route.idName !== null) {
      const given = asId(params[route.idName] ?? '');
      if (given === null)
        return err({
          error: appError('INVALID_ID', 'The id in the path must be 24 hexadecimal characters.'),
        });
      id = given;
    }
    const faults = new Faults();
    const query = route.query
      ? readQuery(route.query, request.url, this.#deps.application.catalog, faults)
      : {};
    if (!faults.isEmpty) return err({ error: validationError(faults.list()) });
    const key = route.idempotent ? idempotencyKey(request.headers) : ok(null);
    if (!key.ok) return err({ error: key.error });
    const body = route.body
      ? await readBody(request, route.body.limitBytes ?? BODY_LIMIT_BYTES)
      : ok(new Uint8Array());
    if (!body.ok) return err({ error: body.error });
    return ok({ caller, id, query, uniqId: uniqId.value, key: key.value, body: body.value });
  }

  /** Specification, "Authentication" 3 and 4. Returns the X-Uniq-Id, '' where none is needed. */
  #mayPayOut({ access }: Route, request: Request, { merchant }: Caller): Gate<string> {
    if (access === undefined) return ok('');
    const barred = payoutAddressGate(this.#deps.callerIp(request), merchant);
    if (barred) return err({ error: barred });
    return access === 'payout' ? uniqIdOf(request) : ok('');
  }

  /** Runs the handler. The repetition of a request that was carried out gets the first answer. */
  async #carryOutOrReplay(
    route: Route,
    { key, body, ...request }: AdmittedRequest,
  ): Promise<Result<AnswerOrReplay, AppError>> {
    const { caller, id } = request;
    const carryOut = async (respondOnce: RespondOnce): Promise<Result<Answer, AppError>> => {
      const read = this.#read(route, body);
      if (!read.ok) return read;
      return route.handle({ ...request, body: read.value, respondOnce }, this.#deps.context);
    };
    if (key === null) {
      const made = await carryOut(respondWithoutKey);
      return made.ok ? ok({ answer: answerText(made.value), replayed: false }) : made;
    }
    const fingerprint = fingerprintOf({ endpoint: `${route.method} ${route.path}`, id, body });
    return this.#carryOutOnce({ caller, key, fingerprint }, carryOut);
  }

  async #csv(list: CsvList, call: AdmittedRequest, request: Request, requestId: string): Promise<Response> {
    const rows = list.rows(call, this.#deps.context);
    if (!rows.ok) return refused({ error: rows.error }, requestId);
    const body =
      request.method === 'HEAD'
        ? null
        : await csvBody(list, rows.value, {
            signal: request.signal,
            onFailure: (thrown) => this.#deps.onBug(thrown, requestId),
          });
    return new Response(body, { headers: csvHeaders(list, requestId) });
  }

  #read({ body }: Route, bytes: Uint8Array): Result<unknown, AppError> {
    if (body === undefined) return ok(undefined);
    const json = parseBody(bytes, {
      required: body.required ?? true,
      refuseRepeatedKeys: body.refuseRepeatedKeys ?? false,
    });
    if (!json.ok) return json;
    const faults = new Faults();
    const checked = body.checker.check(json.value, faults);
    const input = body.read(checked, faults, this.#deps.context);
    return faults.isEmpty ? ok(input) : err(validationError(faults.list()));
  }

  #failed(thrown: unknown, requestId: string): Response {
    const error = errorOf(thrown, requestId);
    if (error.code === 'INTERNAL_ERROR') this.#deps.onBug(thrown, requestId);
    return refused({ error }, requestId);
  }
}

function uniqIdOf(request: Request): Gate<string> {
  const uniqId = request.headers.get('x-uniq-id');
  if (uniqId === null || uniqId === '')
    return err({ error: appError('MISSING_HEADER', 'Send a new UUIDv4 in the X-Uniq-Id header.') });
  return UUID_V4.test(uniqId)
    ? ok(uniqId.toLowerCase())
    : err({ error: appError('INVALID_HEADER', 'X-Uniq-Id must be a UUIDv4.') });
}

function refusedCaller(refusal: GateRefusal, requestId: string): HandledRequest {
  return { response: refused(refusal, requestId), merchantId: refusal.merchantId ?? null };
}

/** 405 when the path exists with another method, 404 otherwise. */
export function unknownPath(allowed: readonly string[], requestId: string): Response {
  if (allowed.length === 0) {
    return refused(
      { error: appError('NOT_FOUND', 'No such path. See /docs/reference for the endpoints.') },
      requestId,
    );
  }
  const allow = allowed.join(', ');
  return refused({ error: appError('METHOD_NOT_ALLOWED', `Use ${allow} here.`), allow }, requestId);
}
