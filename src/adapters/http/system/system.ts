/** Endpoints for operators and tools, outside the API: health, readiness and metrics. */

import type { PublicRoute } from '../kit/route.ts';
import type { HttpMetrics } from './metrics.ts';

export interface Readiness {
  readonly ok: boolean;
  /** The result of each check in words: database, migrations, rates. */
  readonly checks: Readonly<Record<string, string>>;
}

export function systemRoutes(dependencies: {
  readonly version: string;
  readonly ready: () => Promise<Readiness>;
  readonly metrics: HttpMetrics;
}): readonly PublicRoute[] {
  const { version, ready, metrics } = dependencies;
  return [
    { method: 'GET', path: '/health', respond: () => json(200, { status: 'ok', version }) },
    {
      method: 'GET',
      path: '/ready',
      async respond() {
        const { ok, checks } = await readiness(ready);
        return json(ok ? 200 : 503, { status: ok ? 'ready' : 'not ready', checks });
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      async respond() {
        return new Response(await metrics.render(), {
          headers: { 'content-type': metrics.contentType, 'cache-control': 'no-store' },
        });
      },
    },
  ];
}

/** A check that throws counts as failed, so that /ready always responds. */
async function readiness(ready: () => Promise<Readiness>): Promise<Readiness> {
  try {
    return await ready();
  } catch {
    return { ok: false, checks: { readiness: 'the check itself failed' } };
  }
}

/** `more` may replace the default headers. */
export function json(status: number, value: unknown, more: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...more,
    },
  });
}
