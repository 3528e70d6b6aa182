/** The console's responses. Their policy allows files and requests of the page's own host only. */
import { quicklyEncoded } from '../../kit/documents/compressed.ts';

/** `data:` shows the QR code of a second factor, and a logo before it is saved. */
const POLICY = [
  "default-src 'none'",
  ...["style-src 'self'", "script-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  ...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
].join('; ');

export const CONSOLE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'cache-control': 'no-store',
};

export function consoleAnswer(request: Request, status: number, text: string): Response {
  const { body, headers } = quicklyEncoded(request.headers.get('accept-encoding'), text);
  return new Response(body, {
    status,
    headers: {
      ...CONSOLE_HEADERS,
      'content-type': 'text/html; charset=utf-8',
      vary: 'accept-encoding',
      ...headers,
    },
  });
}

/** After a form the browser fetches a page, so that a reload submits nothing twice. */
export function leadTo(location: string): Response {
  return new Response(null, { status: 303, headers: { ...CONSOLE_HEADERS, location } });
}

/** A file that the browser saves. */
export function download(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  { name, type }: { readonly name: string; readonly type: string },
): Response {
  return new Response(body, {
    headers: {
      ...CONSOLE_HEADERS,
      'content-type': type,
      'content-disposition': `attachment; filename="${name.replaceAll(/[^\w.-]/g, '_')}"`,
    },
  });
}

/** JSON for the console's own script. */
export function jsonAnswer(status: number, value: unknown): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { ...CONSOLE_HEADERS, 'content-type': 'application/json; charset=utf-8' },
  });
}
