/** Merchants: made, verified, paused, changed, and their keys. */
import { ok } from '../../../domain/result.ts';
import { idIn } from '../../audit/audited.ts';
import {
  changeMerchant,
  createMerchant,
  rotateKey,
  verifyMerchant,
} from '../../merchants/manage-merchants.ts';
import { rotateWebhookSecret } from '../../merchants/webhook-secrets.ts';
import type { OperatorDesk } from '../operator-desk.ts';
import { act, type OperatorParts } from './seat-parts.ts';

type MerchantActions = Pick<
  OperatorDesk,
  'createMerchant' | 'changeMerchant' | 'verifyMerchant' | 'rotateKey' | 'rotateWebhookSecret'
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
    rotateKey(by, { merchantId, environment, overlapSeconds }) {
      const action = { action: 'api_key.rotated', subject: 'api_key', id: merchantId } as const;
      return act(deps, by, { ...action, note: environment }, (on) =>
        rotateKey(on)(merchantId, environment, overlapSeconds),
      );
    },
    rotateWebhookSecret(by, { merchantId, environment, overlapSeconds }) {
      const action = { action: 'webhook_secret.rotated', subject: 'webhook_secret', id: merchantId } as const;
      return act(deps, by, { ...action, note: environment }, (on) =>
        rotateWebhookSecret(on)(merchantId, environment, overlapSeconds),
      );
    },
  };
}
