/** GET /: describes the service to a visitor with a browser. */
import { html, Markup } from '../checkout/page/html.ts';
import { pageHeaders } from '../kit/page-headers.ts';
import type { PublicRoute } from '../kit/route.ts';

const STYLE = `
body { margin: 0; font: 17px/1.6 system-ui, sans-serif; color: #1f2937; background: #fff; }
main { max-width: 40rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 1rem; }
ul { padding: 0; list-style: none; }
li { margin: .75rem 0; }
a { color: #1d4ed8; }
code { font-size: .9em; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) {
  body { color: #e5e7eb; background: #111827; }
  a { color: #93c5fd; }
}
`;

const HEADERS = {
  ...pageHeaders(
    `style-src 'sha256-${new Bun.CryptoHasher('sha256').update(STYLE).digest('base64')}'`,
    "img-src 'self'",
  ),
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
};

/**
 * `demoUrl` returns the URL of a sandbox checkout to show, or null. `consoleUrl` is null where the
 * console is off.
 */
export function frontPage(demoUrl: () => string | null, consoleUrl: string | null): PublicRoute {
  return {
    method: 'GET',
    path: '/',
    respond: () => new Response(page(demoUrl(), consoleUrl), { headers: HEADERS }),
  };
}

function page(demo: string | null, consoleUrl: string | null): string {
  const sandbox =
    demo === null
      ? html`<li>A sandbox checkout: create an invoice with a sandbox key, and open its <code>payment_url</code></li>`
      : html`<li><a href="${demo}">A sandbox checkout</a> to look at: nothing on it is paid for real</li>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quittance</title>
<link rel="icon" href="/docs/favicon.png">
${new Markup(`<style>${STYLE}</style>`)}
</head>
<body>
<main>
<h1>Quittance</h1>
<p>A crypto payment gateway. Merchants create invoices and payouts over a REST API under <code>/api/v2</code>;
their customers pay on a hosted checkout.</p>
<ul>
${consoleUrl === null ? null : html`<li><a href="${consoleUrl}">Console</a> of merchants and operators</li>`}
<li><a href="/docs">Documentation</a> of the API, and <a href="/openapi.json">its OpenAPI document</a></li>
${sandbox}
<li><a href="/health">Health</a> and <a href="/ready">readiness</a> of this service</li>
</ul>
</main>
</body>
</html>
`.text;
}
