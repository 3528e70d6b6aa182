/** What the server runs for a method and a path, for every kind of route. */
import { errorOf } from './errors.ts';
import type { PathParams } from './path.ts';
import type { HandledRequest } from './pipeline.ts';
import { refused } from './refusal.ts';
import type { PublicRoute } from './route.ts';

export interface Endpoint {
  readonly method: string;
  readonly path: string;
  run(request: Request, params: PathParams, requestId: string): Promise<HandledRequest>;
}

/** After a bug, `onBug` gets it, and the route's `failed` responds, or else the API's envelope. */
export function publicEndpoint(
  route: PublicRoute,
  onBug: (thrown: unknown, requestId: string) => void,
): Endpoint {
  const { method, path, respond, failed } = route;
  return {
    method,
    path,
    async run(request, params, requestId) {
      try {
        return handled(await respond(request, params), requestId);
      } catch (thrown) {
        const error = errorOf(thrown, requestId);
        const refusal = { response: refused({ error }, requestId), merchantId: null };
        if (error.code !== 'INTERNAL_ERROR') return refusal;
        onBug(thrown, requestId);
        if (failed === undefined) return refusal;
        try {
          return handled(await failed(request, params), requestId);
        } catch (again) {
          onBug(again, requestId);
          return refusal;
        }
      }
    },
  };
}

function handled(response: Response, requestId: string): HandledRequest {
  response.headers.set('x-request-id', requestId);
  return { response, merchantId: null };
}
