/**
 * The gates in front of every API endpoint, in the order that decisions.md fixes ("Order of the gates"), and the answer.
 * Elysia's own parsing and validation run before its hooks could refuse a key, so they stay unused.
 */
import type { Application, Caller } from '../../app/application.ts';
import { type AppError, appError, validationError } from '../../domain/errors.ts';
import { accessGate } from '../../domain/merchant.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Clock } from '../../ports/clock.ts';
import { errorResponse, successResponse } from './answer.ts';
import { readJsonBody } from './body.ts';
import { type CallerIp, isAllowed, networkOf } from './caller-ip.ts';
import { errorOf, retryAfterSeconds } from './errors.ts';
import { asId, readQuery } from './query.ts';
import { RateLimiter } from './rate-limit.ts';
import { type ApiContext, BODY_LIMIT_BYTES, type Call, type Route } from './route.ts';
import { Faults } from './validate.ts';

export interface PipelineDependencies {
  readonly application: Application;
  readonly context: ApiContext;
  readonly clock: Clock;
  readonly callerIp: CallerIp;
  readonly rateLimitPerMinute: number;
  /** The address at the other end of the request's socket. */
  readonly socketAddress: (request: Request) => string | null;
  readonly onBug: (thrown: unknown, requestId: string) => void;
}

/** The answer, and for the log whose request it was. */
export interface Handled {
  readonly response: Response;
  readonly merchantId: string | null;
}

type Gate<Value> = Result<Value, Refusal>;

interface Refusal {
  readonly error: AppError;
  readonly retryAfter?: number;
  readonly allow?: string;
}

const MAX_KEY_LENGTH = 128;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

export class Pipeline {
  readonly #deps: PipelineDependencies;
  readonly #perKey: RateLimiter;
  readonly #perAddress: RateLimiter;

  constructor(dependencies: PipelineDependencies) {
    this.#deps = dependencies;
    this.#perKey = new RateLimiter(dependencies.rateLimitPerMinute);
    this.#perAddress = new RateLimiter(dependencies.rateLimitPerMinute);
  }

  async run(
    route: Route,
    request: Request,
    params: Readonly<Record<string, string | undefined>>,
    requestId: string,
  ): Promise<Handled> {
    let merchantId: string | null = null;
    try {
      const caller = await this.#authenticated(request);
      if (!caller.ok) return { response: refused(caller.error, requestId), merchantId };
      merchantId = caller.value.merchant.id;
      const call = await this.#admitted(route, request, params, caller.value);
      if (!call.ok) return { response: refused(call.error, requestId), merchantId };
      const result = await route.handle(call.value, this.#deps.context);
      const response = result.ok
        ? successResponse(result.value, requestId)
        : refused({ error: result.error }, requestId);
      return { response, merchantId };
    } catch (thrown) {
      return { response: this.#failed(thrown, requestId), merchantId };
    }
  }

  /** What is no endpoint: a key comes first here too, so that the API's map is not shown to strangers. */
  async runUnknown(request: Request, allowed: readonly string[], requestId: string): Promise<Handled> {
    let merchantId: string | null = null;
    try {
      const caller = await this.#authenticated(request);
      if (!caller.ok) return { response: refused(caller.error, requestId), merchantId };
      merchantId = caller.value.merchant.id;
      return { response: unknownPath(allowed, requestId), merchantId };
    } catch (thrown) {
      return { response: this.#failed(thrown, requestId), merchantId };
    }
  }

  async #authenticated(request: Request): Promise<Gate<Caller>> {
    const key = request.headers.get('x-api-key');
    const plausible = key !== null && key.length > 0 && key.length <= MAX_KEY_LENGTH;
    const identity = plausible ? await this.#deps.application.authenticate(key) : null;
    const nowMs = this.#deps.clock.now().getTime();
    if (identity === null) {
      const limited = this.#limit(this.#perAddress, networkOf(this.#callerIp(request)), nowMs);
      return err(
        limited ?? { error: appError('UNAUTHORIZED', 'Send a valid API key in the x-api-key header.') },
      );
    }
    const { merchant, environment } = identity;
    const limited = this.#limit(this.#perKey, `${merchant.id}:${environment}`, nowMs);
    if (limited) return err(limited);
    return ok({
      merchant,
      environment,
      scope: { merchantId: merchant.id, sandbox: environment === 'sandbox' },
    });
  }

  #limit(limiter: RateLimiter, caller: string, nowMs: number): Refusal | null {
    const retryAfter = limiter.take(caller, nowMs);
    if (retryAfter === null) return null;
    return {
      error: appError('RATE_LIMITED', `Too many requests. Wait ${retryAfter} s before the next one.`),
      retryAfter,
    };
  }

  #callerIp(request: Request): string | null {
    const { callerIp, socketAddress } = this.#deps;
    return callerIp.resolve(socketAddress(request), request.headers.get('x-forwarded-for'));
  }

  /** The gates behind the key. */
  async #admitted(
    route: Route,
    request: Request,
    params: Readonly<Record<string, string | undefined>>,
    caller: Caller,
  ): Promise<Gate<Call>> {
    const closed = accessGate(caller.merchant, caller.environment);
    if (closed) return err({ error: closed });
    let uniqId = '';
    if (route.access === 'payout') {
      const payout = this.#payoutGate(request, caller);
      if (!payout.ok) return payout;
      uniqId = payout.value;
    }
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
    const body = await this.#body(route, request);
    return body.ok ? ok({ caller, id, query, body: body.value, uniqId }) : err({ error: body.error });
  }

  /** Specification, "Authentication" 3 and 4. */
  #payoutGate(request: Request, caller: Caller): Gate<string> {
    const ip = this.#callerIp(request);
    if (!isAllowed(ip, caller.merchant.allowedSubnets)) {
      return err({
        error: appError(
          'PAYOUTS_DISABLED',
          'Payouts are not allowed from this address. Ask the operator to add it to allowed_subnets.',
          { ip },
        ),
      });
    }
    const uniqId = request.headers.get('x-uniq-id');
    if (uniqId === null || uniqId === '') {
      return err({ error: appError('MISSING_HEADER', 'Send a fresh UUIDv4 in the X-Uniq-Id header.') });
    }
    if (!UUID_V4.test(uniqId)) {
      return err({ error: appError('INVALID_HEADER', 'X-Uniq-Id must be a UUIDv4.') });
    }
    return ok(uniqId.toLowerCase());
  }

  async #body(route: Route, request: Request): Promise<Result<unknown, AppError>> {
    const { body } = route;
    if (body === undefined) return ok(undefined);
    const json = await readJsonBody(request, {
      limitBytes: body.limitBytes ?? BODY_LIMIT_BYTES,
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

/** 405 when the path exists with another method, 404 otherwise. */
export function unknownPath(allowed: readonly string[], requestId: string): Response {
  if (allowed.length === 0) {
    return refused({ error: appError('NOT_FOUND', 'No such path. See /docs for the endpoints.') }, requestId);
  }
  const allow = allowed.join(', ');
  return refused({ error: appError('METHOD_NOT_ALLOWED', `Use ${allow} here.`), allow }, requestId);
}

export function refused(refusal: Refusal, requestId: string): Response {
  const retryAfter = refusal.retryAfter ?? retryAfterSeconds(refusal.error.code);
  return errorResponse(refusal.error, requestId, {
    ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
    ...(refusal.allow === undefined ? {} : { allow: refusal.allow }),
  });
}
