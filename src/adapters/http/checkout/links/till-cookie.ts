/**
 * The browser that opened a till is led back to it by the checkout. The URL of a till is a secret,
 * and customers get the checkout's (by e-mail, for example): so it is in a cookie of the browser,
 * and not in the invoice (safety.md L4).
 */
import type { PaymentLink } from '../../../../domain/links/payment-link.ts';

/** URL of a till that the browser has opened, by the id of its link; null for any other link. */
export type TillOfBrowser = (linkId: string) => string | null;

export const NO_TILL: TillOfBrowser = () => null;

export function tillCookie({ id, slug }: Pick<PaymentLink, 'id' | 'slug'>, checkoutUrl: string): string {
  const { pathname, protocol } = new URL(checkoutUrl);
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `till-${id}=${slug}; Path=${pathname}; HttpOnly; SameSite=Lax${secure}`;
}

export function tillOf(request: Request, checkoutUrl: string): TillOfBrowser {
  const cookies = request.headers.get('cookie') ?? '';
  return (linkId) => {
    const slug = new RegExp(`(?:^|; )till-${linkId}=([0-9a-f]{32})(?:;|$)`).exec(cookies)?.[1];
    return slug === undefined ? null : `${checkoutUrl}/l/${slug}`;
  };
}
