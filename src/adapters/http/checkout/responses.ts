/** The checkout's responses. Their policy allows files and requests of the page's own host only. */
import { quicklyEncoded } from '../kit/documents/compressed.ts';

/**
 * No request to another host. Only the script's own Trusted Types policy makes markup from text.
 */
const POLICY = [
  "default-src 'none'",
  ...["style-src 'self'", "script-src 'self'", "img-src 'self'", "connect-src 'self'"],
  ...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
  ...["require-trusted-types-for 'script'", 'trusted-types checkout'],
].join('; ');

export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};

export function pageAnswer(
  request: Request,
  status: number,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  const { body, headers } = quicklyEncoded(request.headers.get('accept-encoding'), text);
  return new Response(body, {
    status,
    headers: {
      ...HEADERS,
      'content-type': 'text/html; charset=utf-8',
      vary: 'accept-language, accept-encoding',
      ...headers,
      ...more,
    },
  });
}

/** Lets pages of these origins show the response in a frame. */
export function framedBy(origins: readonly string[], response: Response): Response {
  if (origins.length === 0) return response;
  const policy = POLICY.replace("frame-ancestors 'none'", `frame-ancestors ${origins.join(' ')}`);
  response.headers.set('content-security-policy', policy);
  response.headers.delete('x-frame-options');
  return response;
}

/** After a form the browser fetches the page, so that a reload submits nothing twice. */
export function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { ...HEADERS, location } });
}
