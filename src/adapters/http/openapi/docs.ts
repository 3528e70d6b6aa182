/**
 * /openapi.json, and /docs/reference: Swagger UI from this host only, under a strict content
 * security policy.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { version } from 'swagger-ui-dist/package.json' with { type: 'json' };
import { guideRoutes } from '../guide/routes.ts';
import { acceptedEncoding } from '../kit/documents/compressed.ts';
import { pageHeaders } from '../kit/page-headers.ts';
import type { PublicRoute } from '../kit/route.ts';
import { sentAlike } from '../kit/text-response.ts';
import type { JsonRecord } from './schemas.ts';

/** Browsers keep these files forever: another version has another path. */
const FILES = `/docs/swagger-ui-${version}`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reference · Quittance</title>
<link rel="icon" href="/docs/favicon.png">
<link rel="stylesheet" href="${FILES}/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<nav aria-label="Documentation"><a href="/docs">Guide</a></nav>
<main id="swagger-ui"></main>
<noscript>This page needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="${FILES}/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/page.js"></script>
</body>
</html>
`;

/** Requests go to the host that served the page, not to the server of the document. */
const SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);

const answer = await fetch('/openapi.json');
const spec = await answer.json();
spec.servers = [{ url: location.origin }];
SwaggerUIBundle({
  spec,
  domNode: document.getElementById('swagger-ui'),
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 2,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/** Some of Swagger UI's colours have too little contrast for WCAG 2.2, 1.4.3. */
const STYLE = `body { margin: 0; background: #fff; }
.dark-mode body { background: #1c2022; }
body > nav { max-width: 1460px; margin: 0 auto; padding: 16px 20px 0; font: 16px/1.5 system-ui, sans-serif; }
.swagger-ui .info { margin: 32px 0; }
.swagger-ui .scheme-container { box-shadow: none; border-block: 1px solid #e5e7eb; padding: 16px 0; }
.swagger-ui .opblock-tag { font-size: 20px; }
.swagger-ui .microlight span[style*="211, 99, 99"] { color: #f2a3a3 !important; }
html:not(.dark-mode) .swagger-ui .info .title small { background: #4b5563; }
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #3f6212; }
html:not(.dark-mode) .swagger-ui a.link { color: #1d4ed8; }
html:not(.dark-mode) .swagger-ui .btn.authorize { border-color: #166534; }
html:not(.dark-mode) .swagger-ui .btn.authorize span { color: #166534; }
html:not(.dark-mode) .swagger-ui .opblock-summary-method { color: #000; text-shadow: none; }
html:not(.dark-mode) .swagger-ui .parameter__in { color: #4b5563; }
html:not(.dark-mode) .swagger-ui .btn.cancel { border-color: #b91c1c; color: #b91c1c; }
html:not(.dark-mode) .swagger-ui .btn.execute { background: #1d4ed8; border-color: #1d4ed8; }
.swagger-ui .btn, .swagger-ui .opblock-tag { transition: none; }
html.dark-mode .swagger-ui .opblock .opblock-section-header .btn.cancel { border-color: #ffa0a0; color: #ffa0a0; }
.dark-mode .swagger-ui .examples-select__section-label, .dark-mode .swagger-ui .header-col { color: #e5e7eb; }
`;

const HEADERS = pageHeaders(
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
);

/**
 * Also serves the guide. Its commands call `baseUrl`. The document is made when it is asked for.
 */
export function docsRoutes(documentOf: () => JsonRecord, baseUrl: string): readonly PublicRoute[] {
  let sent: PublicRoute['respond'] | null = null;
  return [
    ...guideRoutes(baseUrl),
    {
      method: 'GET',
      path: '/openapi.json',
      respond(...asked) {
        sent ??= sentAlike(JSON.stringify(documentOf()), {
          ...HEADERS,
          'content-type': 'application/json; charset=utf-8',
          'cache-control': 'no-cache',
        });
        return sent(...asked);
      },
    },
    fixed('/docs/reference', 'text/html; charset=utf-8', PAGE),
    fixed('/docs/page.js', 'text/javascript; charset=utf-8', SCRIPT),
    fixed('/docs/page.css', 'text/css; charset=utf-8', STYLE),
    packaged('/docs/favicon.png', 'image/png', 'favicon-32x32.png'),
    bundled('text/css; charset=utf-8', 'swagger-ui.css'),
    bundled('text/javascript; charset=utf-8', 'swagger-ui-bundle.js'),
  ];
}

function fixed(path: string, type: string, text: string): PublicRoute {
  return {
    method: 'GET',
    path,
    respond: () =>
      new Response(text, { headers: { ...HEADERS, 'content-type': type, 'cache-control': 'no-cache' } }),
  };
}

function fileOf(name: string): Bun.BunFile {
  return Bun.file(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)));
}

/** A file of the installed package, read for each request. */
function packaged(path: string, type: string, name: string): PublicRoute {
  return {
    method: 'GET',
    path,
    respond: () =>
      new Response(fileOf(name), {
        headers: { ...HEADERS, 'content-type': type, 'cache-control': 'public, max-age=3600' },
      }),
  };
}

const brotli = promisify(brotliCompress);
/** The result is nearly as small as with the best quality, in a fraction of the time. */
const QUALITY = 9;

/**
 * A large text of the installed package. The first request compresses it outside the event loop,
 * and the result is kept.
 */
function bundled(type: string, name: string): PublicRoute {
  let kept: Promise<Uint8Array<ArrayBuffer>> | null = null;
  const compress = async () =>
    new Uint8Array(
      await brotli(await fileOf(name).bytes(), { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }),
    );
  return {
    method: 'GET',
    path: `${FILES}/${name}`,
    async respond(request) {
      const headers = {
        ...HEADERS,
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      };
      if (acceptedEncoding(request.headers.get('accept-encoding')) !== 'br')
        return new Response(fileOf(name), { headers });
      kept ??= compress().catch((error: unknown) => {
        kept = null;
        throw error;
      });
      return new Response(await kept, { headers: { ...headers, 'content-encoding': 'br' } });
    },
  };
}
