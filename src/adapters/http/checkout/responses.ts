/** The checkout's answers: pages under a policy that lets nothing else in and nothing out. */
import { acceptedEncoding, compressed } from '../kit/compressed.ts';

/** No request to another host, no markup made from text but by the one policy of the page's script. */
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

/** A page is made for one request: most of the gain at little cost. */
const QUICK_QUALITY = 4;

export function pageAnswer(
  request: Request,
  status: number,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  const encoding = acceptedEncoding(request.headers.get('accept-encoding'));
  return new Response(encoding === null ? text : compressed(text, encoding, QUICK_QUALITY), {
    status,
    headers: {
      ...HEADERS,
      'content-type': 'text/html; charset=utf-8',
      vary: 'accept-language, accept-encoding',
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
      ...more,
    },
  });
}

/** After a form: the page is asked for anew, so that a reload sends nothing twice. */
export function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { ...HEADERS, location } });
}
