/** How customers see the merchant, with a preview. */

import { isGranted } from '../../../../domain/accounts/role.ts';
import { html } from '../../checkout/page/html.ts';
import { brandChangeOf, brandForm, brandPreview } from '../brand-form.ts';
import { formParts } from '../kit/form-parts.ts';
import { card } from '../kit/parts.ts';
import { type ConsoleRoute, type MerchantCall, ofMerchant } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import type { MerchantPages } from './merchant-pages.ts';

export function brandRoutes(of: MerchantPages): readonly ConsoleRoute[] {
  return [
    ofMerchant('settings.read', 'GET', '/settings/brand', (call) => brandPage(of, call)),
    ofMerchant('settings.change', 'POST', '/settings/brand', async (call) => {
      const change = await brandChangeOf(call);
      if (!change.ok) return brandPage(of, call, change.error);
      const done = await of.desk.changeBrand(call.desk, change.value);
      return done.ok
        ? call.shell.done(`${call.base}/settings/brand`, 'saved')
        : brandPage(of, call, done.error);
    }),
  ];
}

async function brandPage(
  { desk, api }: MerchantPages,
  call: MerchantCall,
  problem: Problem | null = null,
): Promise<Response> {
  const { shell, base } = call;
  const brand = await desk.brand(call.desk);
  if (!brand.ok)
    return shell.page({ title: 'Brand', body: html`<p>${brand.error.message}</p>`, status: 500 });
  const parts = formParts(problem);
  const form = isGranted(call.desk.role, 'settings.change')
    ? brandForm(call, brand.value, `${base}/settings/brand`, parts)
    : null;
  const body = html`${card('Preview', brandPreview(brand.value, api.checkoutUrl))}${form}`;
  return shell.page({
    title: 'How customers see you',
    body: html`<p><a href="${base}/settings">Back to the settings</a></p>${body}`,
    problem: parts.problem(),
    ...(problem === null ? {} : { status: 422 }),
  });
}
