/** /openapi.json and /docs: Swagger UI from our own host only, under a strict content security policy. */
import type { OpenRoute } from '../route.ts';
import { sent } from '../sent.ts';
import type { JsonRecord } from './schemas.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quittance API</title>
<link rel="icon" href="/docs/favicon.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<div id="swagger-ui"></div>
<noscript>This page needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/page.js"></script>
</body>
</html>
`;

/** Calls go to the host that served the page, whatever public address the document names. */
const SCRIPT = `const answer = await fetch('/openapi.json');
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

const STYLE = `body { margin: 0; background: #fff; }
.swagger-ui .info { margin: 32px 0; }
.swagger-ui .scheme-container { box-shadow: none; border-block: 1px solid #e5e7eb; padding: 16px 0; }
.swagger-ui .opblock-tag { font-size: 20px; }
`;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

export function docsRoutes(document: JsonRecord): readonly OpenRoute[] {
  const text = JSON.stringify(document);
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      respond: (request) =>
        sent(
          request,
          { status: 200, body: text },
          { ...HEADERS, 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' },
        ),
    },
    fixed('/docs', 'text/html; charset=utf-8', PAGE),
    fixed('/docs/page.js', 'text/javascript; charset=utf-8', SCRIPT),
    fixed('/docs/page.css', 'text/css; charset=utf-8', STYLE),
    packaged('/docs/favicon.png', 'image/png', 'swagger-ui-dist/favicon-32x32.png'),
    packaged('/docs/swagger-ui.css', 'text/css; charset=utf-8', 'swagger-ui-dist/swagger-ui.css'),
    packaged(
      '/docs/swagger-ui-bundle.js',
      'text/javascript; charset=utf-8',
      'swagger-ui-dist/swagger-ui-bundle.js',
    ),
  ];
}

function fixed(path: string, type: string, text: string): OpenRoute {
  return {
    method: 'GET',
    path,
    respond: () =>
      new Response(text, { headers: { ...HEADERS, 'content-type': type, 'cache-control': 'no-cache' } }),
  };
}

/** A file of an installed package, read when it is asked for. */
function packaged(path: string, type: string, specifier: string): OpenRoute {
  return {
    method: 'GET',
    path,
    respond: () =>
      new Response(Bun.file(new URL(import.meta.resolve(specifier))), {
        headers: { ...HEADERS, 'content-type': type, 'cache-control': 'public, max-age=3600' },
      }),
  };
}
