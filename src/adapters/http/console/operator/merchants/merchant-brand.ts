/** How the checkout presents a merchant, for operators. */

import { isGranted } from '../../../../../domain/accounts/role.ts';
import { html } from '../../../checkout/page/html.ts';
import { asId } from '../../../kit/input/query.ts';
import { brandChangeOf, brandForm, brandPreview } from '../../brand-form.ts';
import { formParts } from '../../kit/form-parts.ts';
import { notFound } from '../../kit/gate.ts';
import { card } from '../../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../../kit/route.ts';
import type { Problem } from '../../kit/shell.ts';
import type { OperatorPages } from '../operator-pages.ts';

export function merchantBrandRoutes(of: OperatorPages): readonly ConsoleRoute[] {
  return [
    ofOperator('operator.read', 'GET', '/merchants/:id/brand', (call) => brandPage(of, call)),
    ofOperator('merchants.manage', 'POST', '/merchants/:id/brand', async (call) => {
      const { params, seat, shell, base } = call;
      const { id = '' } = params;
      const change = await brandChangeOf(call);
      if (!change.ok) return brandPage(of, call, change.error);
      const done = await of.desk.changeBrand(seat, id, change.value);
      return done.ok ? shell.done(`${base}/merchants/${id}/brand`, 'saved') : brandPage(of, call, done.error);
    }),
  ];
}

async function brandPage(
  { desk, checkoutUrl }: OperatorPages,
  call: OperatorCall,
  problem: Problem | null = null,
): Promise<Response> {
  const { shell, base, params, seat } = call;
  const id = asId(params.id ?? '');
  if (id === null) return notFound(shell);
  const brand = await desk.brand(id);
  if (!brand.ok) return notFound(shell);
  const at = `${base}/merchants/${id}`;
  const parts = formParts(problem);
  const form = isGranted(seat.role, 'merchants.manage')
    ? brandForm(call, brand.value, `${at}/brand`, parts)
    : null;
  return shell.page({
    title: `How customers see ${brand.value.name}`,
    body: html`<p><a href="${at}">Back to the merchant</a></p>${card('Preview', brandPreview(brand.value, checkoutUrl))}${form}`,
    problem: parts.problem(),
    ...(problem === null ? {} : { status: 422 }),
  });
}
