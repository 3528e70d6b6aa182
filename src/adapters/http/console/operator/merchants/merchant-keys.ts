/** API keys and webhook secrets of a merchant, for operators: shown once, replaced, ended. */

import type { KeyPlace, OperatorDesk } from '../../../../../app/console/operator-desk.ts';
import { ENVIRONMENTS } from '../../../../../domain/environment.ts';
import { html, type Markup } from '../../../checkout/page/html.ts';
import { button, card, choice, copyable, facts } from '../../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../../kit/route.ts';
import type { Problem } from '../../kit/shell.ts';

const DAY_S = 86_400;
const OVERLAPS = [
  [String(DAY_S), 'a day'],
  [String(7 * DAY_S), 'a week'],
  ['0', 'no time: it ends now'],
] as const;
const SUBJECTS = [
  ['api_key', 'API key'],
  ['webhook_secret', 'webhook secret'],
] as const;

/** `page`: the merchant's, with why it was refused. */
export function merchantKeyRoutes(
  desk: OperatorDesk,
  page: (call: OperatorCall, problem: Problem) => Promise<Response>,
): readonly ConsoleRoute[] {
  return [
    ofOperator('merchants.manage', 'POST', '/merchants/:id/key', async (call) => {
      const of = placeOf(call);
      const done = await desk.rotateKey(call.seat, { ...of, overlapSeconds: overlapOf(call) });
      return done.ok
        ? secretPage(call, [[`API key (${of.environment})`, done.value.key]])
        : page(call, done.error);
    }),
    ofOperator('merchants.manage', 'POST', '/merchants/:id/secret', async (call) => {
      const of = placeOf(call);
      const done = await desk.rotateWebhookSecret(call.seat, { ...of, overlapSeconds: overlapOf(call) });
      return done.ok
        ? secretPage(call, [[`Webhook secret (${of.environment})`, done.value.secret]])
        : page(call, done.error);
    }),
    ofOperator('merchants.manage', 'POST', '/merchants/:id/secret/show', async (call) => {
      const of = placeOf(call);
      const done = await desk.showWebhookSecret(call.seat, of);
      return done.ok
        ? secretPage(call, [[`Webhook secret (${of.environment})`, done.value.secret]])
        : page(call, done.error);
    }),
    ofOperator('merchants.manage', 'POST', '/merchants/:id/end-overlap', async (call) => {
      const subject = call.form.text('what') === 'webhook_secret' ? 'webhook_secret' : 'api_key';
      const of = placeOf(call);
      const done = await desk.endOverlap(call.seat, { ...of, subject });
      if (!done.ok) return page(call, done.error);
      return done.value
        ? call.shell.done(`${call.base}/merchants/${of.merchantId}`, 'overlap_ended')
        : page(call, { message: 'There is no older one.' });
    }),
  ];
}

function placeOf({ form, params }: OperatorCall): KeyPlace {
  const environment = ENVIRONMENTS.find((one) => one === form.text('environment')) ?? 'sandbox';
  return { merchantId: params.id ?? '', environment };
}

function overlapOf({ form }: OperatorCall): number {
  return Number(OVERLAPS.find(([seconds]) => seconds === form.text('overlap'))?.[0] ?? 0);
}

/** `at`: path of the merchant's page. */
export function keyCards({ shell }: OperatorCall, at: string): Markup {
  const environment = (id: string): Markup =>
    choice(
      'environment',
      'Environment',
      ENVIRONMENTS.map((one) => [one, one] as const),
      { id },
    );
  const overlap = (id: string): Markup => choice('overlap', 'The old one works for', OVERLAPS, { id });
  return html`${card(
    'API key',
    shell.form(
      `${at}/key`,
      html`${environment('environment-key')}${overlap('overlap-key')}${button('Make a new key', 'plain', 'Make a new API key?')}`,
      { class: 'row' },
    ),
  )}${card(
    'Webhook secret',
    html`${shell.form(
      `${at}/secret`,
      html`${environment('environment-secret')}${overlap('overlap-secret')}${button('Make a new secret', 'plain', 'Make a new webhook secret?')}`,
      { class: 'row' },
    )}${shell.form(
      `${at}/secret/show`,
      html`${environment('environment-shown')}${button('Show it', 'plain')}`,
      { class: 'row' },
    )}`,
  )}${card(
    'End what is older',
    html`<p>After a replacement both work for a while. This ends the older one now.</p>${shell.form(
      `${at}/end-overlap`,
      html`${environment('environment-ended')}${choice('what', 'What', SUBJECTS)}${button('End the older one', 'danger', 'End it now? Who still uses it is refused.')}`,
      { class: 'row' },
    )}`,
  )}`;
}

export function secretPage(
  { shell, base }: OperatorCall,
  secrets: readonly (readonly [name: string, secret: string])[],
): Response {
  return shell.page({
    title: 'Keys',
    body: html`<p class="message warn">API keys are shown only now.</p>${facts(secrets.map(([name, secret]) => [name, copyable(secret)] as const))}<p><a href="${base}/merchants">To the merchants</a></p>`,
  });
}
