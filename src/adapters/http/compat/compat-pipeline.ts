/**
 * The gates in front of the providers' APIs: those of the API (pipeline.ts), with the provider's
 * signatures and refusals.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../../app/caller.ts';
import { type AppError, appError } from '../../../domain/errors.ts';
import { accessGate } from '../../../domain/merchants/merchant.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import { headersOf } from '../kit/answer.ts';
import { errorOf, retryAfterSeconds } from '../kit/errors.ts';
import { readBytes } from '../kit/input/body.ts';
import { stringifyExact } from '../kit/input/exact-json.ts';
import type { PathParams } from '../kit/path.ts';
import { payoutAddressGate } from '../kit/payout-gate.ts';
import type { HandledRequest as Observed, PipelineDependencies } from '../kit/pipeline.ts';
import type { Endpoint } from '../kit/public-endpoint.ts';
import { limitHeaders } from '../kit/rate-limit.ts';
import { type GateRefusal, tooMany } from '../kit/refusal.ts';
import { BODY_LIMIT_BYTES } from '../kit/route.ts';
import {
  type CompatRefusal,
  type CompatRoute,
  notSupported,
  type OpenCompatRoute,
  type RawRequest,
  refusalOf,
  type Surface,
} from './surface.ts';

interface CompatDependencies extends PipelineDependencies {
  readonly clock: Clock;
  readonly ids: { uuid(): string };
  /** The public URL of the service, without a trailing slash. */
  readonly baseUrl: string;
}

/** Compares two signatures in constant time. */
export function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export class CompatPipeline {
  readonly #deps: CompatDependencies;
  readonly #surfaces: readonly Surface[];

  constructor(dependencies: CompatDependencies, surfaces: readonly Surface[]) {
    this.#deps = dependencies;
    this.#surfaces = surfaces;
  }

  get endpoints(): readonly Endpoint[] {
    return this.#surfaces.flatMap((surface) =>
      surface.routes.map((route) => ({
        method: route.method,
        path: surface.prefix + route.path,
        run: (request: Request, params: PathParams, requestId: string) =>
          this.#run(surface, route, { request, params, requestId }),
      })),
    );
  }

  /** Responds with 501 to an unknown path below a provider's prefix. Null for other paths. */
  unsupported(path: string): Endpoint['run'] | null {
    const surface = this.#surfaces.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
    if (surface === undefined) return null;
    const what = path.slice(surface.prefix.length);
    const handle = async () => err(notSupported(what));
    return (request, params, requestId) =>
      this.#run(surface, { method: 'GET', path: what, handle }, { request, params, requestId });
  }

  async #run(
    surface: Surface,
    route: CompatRoute | OpenCompatRoute,
    asked: { request: Request; params: PathParams; requestId: string },
  ): Promise<Observed> {
    const { request, params, requestId } = asked;
    const context = this.#deps.context;
    let merchantId: string | null = null;
    const refuse = (refusal: CompatFailure) => ({
      response: refused(surface, refusal, requestId),
      merchantId,
    });
    try {
      const wait = 'answer' in route ? this.#deps.keys.withoutKey(request) : null;
      if (wait !== null) return refuse(tooMany(wait));
      const body = await bodyOf(request);
      if (!body.ok) return refuse({ error: body.error });
      const { method, headers, url } = request;
      const { pathname, search, searchParams: query } = new URL(url);
      const publicUrl = this.#deps.baseUrl + pathname + search;
      const now = this.#deps.clock.now();
      const uuid = this.#deps.ids.uuid();
      const raw: RawRequest = { method, headers, url, publicUrl, body: body.value, now, uuid };
      if ('answer' in route) {
        const answered = await route.answer({ ...raw, params, query }, context);
        return answered.ok ? { response: json(answered.value, requestId), merchantId } : refuse(answered);
      }
      const caller = await this.#deps.keys.caller(request, (admits) =>
        surface.findKey(raw, this.#deps.application, admits),
      );
      if (!caller.ok) {
        merchantId = caller.error.merchantId ?? null;
        return refuse(caller.error);
      }
      const { merchant, environment } = caller.value;
      merchantId = merchant.id;
      const closed = accessGate(merchant, environment);
      if (closed) return refuse({ error: closed });
      const payoutGate = () => this.#payoutGate(request, caller.value);
      const call = { ...raw, params, query, caller: caller.value, payoutGate };
      const handled = await route.handle(call, context);
      const response = handled.ok ? json(handled.value, requestId) : refused(surface, handled, requestId);
      const limits = limitHeaders(this.#deps.keys.quotaOf(caller.value));
      for (const [name, value] of Object.entries(limits)) response.headers.set(name, value);
      return { response, merchantId };
    } catch (thrown) {
      const error = errorOf(thrown, requestId);
      if (error.code === 'INTERNAL_ERROR') this.#deps.onBug(thrown, requestId);
      return refuse({ error });
    }
  }

  #payoutGate(request: Request, { merchant }: Caller): AppError | null {
    return payoutAddressGate(this.#deps.callerIp(request), merchant);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of the body exactly as it was sent, since providers sign its bytes. */
async function bodyOf(request: Request): Promise<Result<string, AppError>> {
  const bytes = await readBytes(request, BODY_LIMIT_BYTES).catch(() => 'cut off' as const);
  if (bytes === null)
    return err(appError('PAYLOAD_TOO_LARGE', `The body is larger than ${BODY_LIMIT_BYTES} bytes.`));
  try {
    if (bytes !== 'cut off') return ok(utf8.decode(bytes));
  } catch {
    // Not UTF-8.
  }
  return err(appError('INVALID_JSON', 'The body is incomplete or not UTF-8.'));
}

function json({ status, body }: { status: number; body: unknown }, requestId: string): Response {
  return new Response(stringifyExact(body), { status, headers: headersOf(requestId) });
}

/** A refusal by a gate or by a route. */
type CompatFailure = Omit<GateRefusal, 'error'> & { readonly error: AppError | CompatRefusal };

function refused(surface: Surface, { error, retryAfter: wait }: CompatFailure, requestId: string): Response {
  const told = 'status' in error ? error : refusalOf(error);
  const retryAfter = wait ?? ('status' in error ? null : retryAfterSeconds(error.code));
  const response = json(surface.refused(told), requestId);
  if (retryAfter !== null) response.headers.set('retry-after', String(retryAfter));
  return response;
}
