/** API keys and webhook secrets of the desk's environment: replaced, ended, shown. */
import { runAudited } from '../../audit/audited.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { endOverlap, rotateKey } from '../../merchants/manage-merchants.ts';
import { endSecretOverlap, rotateWebhookSecret, showWebhookSecret } from '../../merchants/webhook-secrets.ts';
import type { Desk, KeyStanding, MerchantDesk } from '../merchant-desk.ts';
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
    keys: (by) => keyStanding(deps, by),
    rotateKey: (by, seconds) => act(by, 'api_key', 'rotated', (on) => rotateKey(on)(...of(by), seconds)),
    endKeyOverlap: (by, seconds) =>
      act(by, 'api_key', 'overlap_ended', (on) => endOverlap(on)(...of(by), seconds)),
    showWebhookSecret: (by) => act(by, 'webhook_secret', 'shown', (on) => showWebhookSecret(on)(...of(by))),
    rotateWebhookSecret: (by, seconds) =>
      act(by, 'webhook_secret', 'rotated', (on) => rotateWebhookSecret(on)(...of(by), seconds)),
    endSecretOverlap: (by, seconds) =>
      act(by, 'webhook_secret', 'overlap_ended', (on) => endSecretOverlap(on)(...of(by), seconds)),
  };
}

function keyStanding({ unitOfWork, clock }: AppDependencies, { caller }: Desk): Promise<KeyStanding> {
  const { merchant, environment } = caller;
  const now = clock.now();
  const living = (until: Date | null = null): Date | null => (until !== null && until > now ? until : null);
  return unitOfWork.run(async ({ merchants, webhookSecrets }) => {
    const times = await merchants.keyTimes(merchant.id);
    const key = times.find((found) => found.environment === environment);
    const secret = await webhookSecrets.find(merchant.id, environment);
    return {
      ...{ keySince: key?.createdAt ?? null, olderKeyUntil: living(key?.olderUntil) },
      ...{ secretSince: secret?.createdAt ?? null, olderSecretUntil: living(secret?.older?.until) },
    };
  });
}
