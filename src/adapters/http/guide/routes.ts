/** The guide: pages without a script, made once from the definitions that the server runs. */
import { pageHeaders } from '../kit/page-headers.ts';
import type { PublicRoute } from '../kit/route.ts';
import { sentAlike } from '../kit/text-response.ts';
import { errors } from './errors.ts';
import { firstPayment } from './first-payment.ts';
import { framed, type GuidePage, type GuidePath, STYLE_PATH } from './frame.ts';
import { goingLive } from './going-live.ts';
import { home } from './home.ts';
import { readReceivers } from './receivers.ts';
import { STYLE } from './style.ts';
import { testing } from './testing.ts';
import { webhooks } from './webhooks.ts';

const HEADERS = { ...pageHeaders("style-src 'self'", "img-src 'self'"), 'cache-control': 'no-cache' };

/** The commands of the guide call `baseUrl`. */
export function guideRoutes(baseUrl: string): readonly PublicRoute[] {
  const pages: Readonly<Record<GuidePath, () => GuidePage | Promise<GuidePage>>> = {
    '/docs': () => home(baseUrl),
    '/docs/first-payment': () => firstPayment(baseUrl),
    '/docs/webhooks': async () => webhooks(baseUrl, await readReceivers()),
    '/docs/errors': errors,
    '/docs/testing': () => testing(baseUrl),
    '/docs/going-live': () => goingLive(baseUrl),
  };
  return [
    ...Object.entries(pages).map(([path, make]) =>
      text(path, 'text/html; charset=utf-8', async () => framed(await make())),
    ),
    text(STYLE_PATH, 'text/css; charset=utf-8', () => STYLE),
  ];
}

function text(path: string, type: string, make: () => string | Promise<string>): PublicRoute {
  let made: ((request: Request) => Response) | null = null;
  return {
    method: 'GET',
    path,
    async respond(request) {
      made ??= sentAlike(await make(), { ...HEADERS, 'content-type': type });
      return made(request);
    },
  };
}
