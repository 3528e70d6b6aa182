/** API keys and webhook secrets of the desk's environment: replaced, ended, shown. */
import { runAudited } from '../../audit/audited.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { endOverlap, rotateKey } from '../../merchants/manage-merchants.ts';
import { endSecretOverlap, rotateWebhookSecret, showWebhookSecret } from '../../merchants/webhook-secrets.ts';
import { keyStanding, replacing } from '../key-standing.ts';
import type { Desk, MerchantDesk } from '../merchant-desk.ts';
import { actionAt } from './desk-parts.ts';

type KeyActions = Pick<
  MerchantDesk,
  'keys' | 'rotateKey' | 'endKeyOverlap' | 'showWebhookSecret' | 'rotateWebhookSecret' | 'endSecretOverlap'
>;

export function keyActions(deps: AppDependencies): KeyActions {
  /** Each has its entry without a change as well: showing a secret, for example. */
  function act<Made>(
    by: Desk,
    subject: 'api_key' | 'webhook_secret',
    what: 'rotated' | 'overlap_ended' | 'shown',
    useCase: (deps: AppDependencies) => Promise<Made>,
  ): Promise<Made> {
    const { merchant, environment } = by.caller;
    const action = { action: `${subject}.${what}`, subject, subjectId: merchant.id, note: environment };
    return runAudited(deps, by.actor, actionAt(by, action), useCase);
  }
  const of = ({ caller }: Desk) => [caller.merchant.id, caller.environment] as const;

  return {
    keys: (by) => deps.unitOfWork.run((repositories) => keyStanding(deps, repositories, ...of(by))),
    rotateKey: (by, seconds) =>
      act(by, 'api_key', 'rotated', (on) => replacing(on, 'olderKeyUntil', rotateKey)(...of(by), seconds)),
    endKeyOverlap: (by, seconds) =>
      act(by, 'api_key', 'overlap_ended', (on) => endOverlap(on)(...of(by), seconds)),
    showWebhookSecret: (by) => act(by, 'webhook_secret', 'shown', (on) => showWebhookSecret(on)(...of(by))),
    rotateWebhookSecret: (by, seconds) =>
      act(by, 'webhook_secret', 'rotated', (on) =>
        replacing(on, 'olderSecretUntil', rotateWebhookSecret)(...of(by), seconds),
      ),
    endSecretOverlap: (by, seconds) =>
      act(by, 'webhook_secret', 'overlap_ended', (on) => endSecretOverlap(on)(...of(by), seconds)),
  };
}
