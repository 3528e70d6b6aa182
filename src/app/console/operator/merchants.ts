/** Merchants: made, verified, paused, changed, their brand and their keys. */
import { ok } from '../../../domain/result.ts';
import { idIn } from '../../audit/audited.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { changeBrand, showBrand } from '../../merchants/manage-brand.ts';
import {
  changeMerchant,
  createMerchant,
  endOverlap,
  rotateKey,
  verifyMerchant,
} from '../../merchants/manage-merchants.ts';
import { endSecretOverlap, rotateWebhookSecret, showWebhookSecret } from '../../merchants/webhook-secrets.ts';
import { replacing } from '../key-standing.ts';
import type { KeyPlace, OperatorDesk, OperatorSeat } from '../operator-desk.ts';
import { act, type OperatorParts } from './seat-parts.ts';

type MerchantActions = Pick<
  OperatorDesk,
  | 'createMerchant'
  | 'changeMerchant'
  | 'verifyMerchant'
  | 'rotateKey'
  | 'showWebhookSecret'
  | 'rotateWebhookSecret'
  | 'endOverlap'
  | 'brand'
  | 'changeBrand'
>;

export function merchantActions({ deps, commissionPpm }: OperatorParts): MerchantActions {
  const onMerchant = (action: string, id: string) => ({ action, subject: 'merchant', id }) as const;
  return {
    async createMerchant(by, input) {
      const action = { action: 'merchant.created', subject: 'merchant' } as const;
      const asked = { ...input, commissionPpm: input.commissionPpm ?? commissionPpm };
      return ok(
        await act(deps, by, action, (on) => createMerchant(on)(asked), { subjectOf: idIn('merchant') }),
      );
    },
    changeMerchant: (by, id, change) =>
      act(deps, by, onMerchant('merchant.changed', id), (on) => changeMerchant(on)(id, change)),
    verifyMerchant: (by, id) =>
      act(deps, by, onMerchant('merchant.verified', id), (on) => verifyMerchant(on)(id)),
    rotateKey: (by, { overlapSeconds, ...of }) =>
      onKeys(by, { subject: 'api_key', what: 'rotated', of }, (on) =>
        replacing(on, 'olderKeyUntil', rotateKey)(of.merchantId, of.environment, overlapSeconds),
      ),
    showWebhookSecret: (by, of) =>
      onKeys(by, { subject: 'webhook_secret', what: 'shown', of }, (on) =>
        showWebhookSecret(on)(of.merchantId, of.environment),
      ),
    rotateWebhookSecret: (by, { overlapSeconds, ...of }) =>
      onKeys(by, { subject: 'webhook_secret', what: 'rotated', of }, (on) =>
        replacing(on, 'olderSecretUntil', rotateWebhookSecret)(of.merchantId, of.environment, overlapSeconds),
      ),
    async endOverlap(by, { subject, ...of }) {
      const end = subject === 'api_key' ? endOverlap : endSecretOverlap;
      const ended = await onKeys(by, { subject, what: 'overlap_ended', of }, (on) =>
        end(on)(of.merchantId, of.environment, 0),
      );
      return ended.ok ? ok(ended.value.ends) : ended;
    },
    brand: (id) => showBrand(deps)(id),
    changeBrand: (by, id, change) =>
      act(deps, by, { action: 'brand.changed', subject: 'brand', id, merchantId: id }, (on) =>
        changeBrand(on)(id, change),
      ),
  };

  function onKeys<Made>(
    by: OperatorSeat,
    { subject, what, of: { merchantId: id, environment } }: KeyAction,
    useCase: (on: AppDependencies) => Promise<Made>,
  ): Promise<Made> {
    const action = { action: `${subject}.${what}`, subject, id, merchantId: id, note: environment };
    return act(deps, by, action, useCase);
  }
}

interface KeyAction {
  readonly subject: 'api_key' | 'webhook_secret';
  readonly what: 'rotated' | 'shown' | 'overlap_ended';
  readonly of: KeyPlace;
}
