/** A merchant's settings and brand, and what of them needs a second person. */
import { appError, validationError } from '../../../domain/errors.ts';
import type { Merchant } from '../../../domain/merchants/merchant.ts';
import type { JsonObject, JsonValue } from '../../../domain/money/json.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import { checkWebhookUrl } from '../../../domain/webhooks/webhook-url.ts';
import { audited } from '../../audit/audited.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { changeBrand, showBrand } from '../../merchants/manage-brand.ts';
import { changeMerchant, type MerchantChange } from '../../merchants/manage-merchants.ts';
import { joined } from '../../shared/joined.ts';
import type { Carrier, Within } from '../approvals/carry-out.ts';
import { textOrNull } from '../approvals/order-payloads.ts';
import { orderWithin } from '../approvals/order-within.ts';
import { ordered } from '../approvals/ordered.ts';
import type { WaitsFor } from '../approvals/store-request.ts';
import type { Desk, DeskFault, FormId, MerchantDesk, Ordered } from '../merchant-desk.ts';
import { auditedAt, requesterOf } from './desk-parts.ts';

type SettingActions = Pick<
  MerchantDesk,
  'changeSettings' | 'changeApprovalLimit' | 'changeAllowedSubnets' | 'brand' | 'changeBrand'
>;

export function settingActions(deps: AppDependencies): SettingActions {
  return {
    async changeSettings(by, change) {
      const fault = change.callbackUrl ? checkWebhookUrl(change.callbackUrl) : null;
      if (fault !== null)
        return err(validationError([{ field: 'callback_url', message: `is refused: ${fault}` }]));
      const action = { action: 'merchant.changed', subject: 'merchant', subjectId: merchantOf(by) } as const;
      return changeMerchant(auditedAt(deps, by, action))(merchantOf(by), change);
    },

    changeApprovalLimit: (by, microUsd, formId) =>
      orderChange(deps, by, {
        ...{ kind: 'approval_limit', formId },
        order: (merchant) => limitJson(merchant.approvalAboveMicroUsd, microUsd),
        // Removing it, and raising it. Without one there is nobody to be asked.
        waits: (limit) => limit !== null && (microUsd === null || microUsd > limit),
      }),

    changeAllowedSubnets: (by, subnets, formId) =>
      orderChange(deps, by, {
        ...{ kind: 'allowed_subnets', formId },
        order: (merchant) => ({ from: merchant.allowedSubnets, to: subnets }),
        waits: (limit, merchant) =>
          limit !== null && subnets.some((subnet) => merchant?.allowedSubnets.includes(subnet) !== true),
      }),

    brand: (by) => showBrand(deps)(merchantOf(by)),
    changeBrand(by, change) {
      const action = { action: 'brand.changed', subject: 'brand', subjectId: merchantOf(by) } as const;
      return changeBrand(auditedAt(deps, by, action))(merchantOf(by), change);
    },
  };
}

/** A change of the merchant that may need a second person. */
interface ChangeOrder {
  readonly kind: ChangeKind;
  readonly formId: FormId;
  readonly order: (merchant: Merchant) => JsonObject;
  readonly waits: WaitsFor;
}
type ChangeKind = 'approval_limit' | 'allowed_subnets';

async function orderChange(
  deps: AppDependencies,
  by: Desk,
  { kind, formId, order, waits }: ChangeOrder,
): Promise<Result<Ordered<Merchant>, DeskFault>> {
  const merchant = await deps.unitOfWork.run(({ merchants }) => merchants.find(merchantOf(by)));
  if (merchant === null) return err(appError('NOT_FOUND', 'No such merchant.'));
  const wanted = { kind, formId, order: order(merchant), sandbox: null, worth: async () => ok(null) };
  const stored = await orderWithin(deps)({
    ...{ by: requesterOf(by), wanted },
    terms: { operatorLimitMicroUsd: null, waits },
    begin: async () => ok(changeWithin(deps, { kind, merchantId: merchant.id, order: wanted.order })),
  });
  if (!stored.ok) return stored;
  return ordered(stored.value, async () => {
    const changed = await deps.unitOfWork.run(({ merchants }) => merchants.find(merchant.id));
    if (changed === null) throw new Error(`a merchant is gone: ${merchant.id}`);
    return changed;
  });
}

/** Carries out what a second person approved. */
export function changeCarrier(deps: AppDependencies, kind: ChangeKind): Carrier {
  return {
    begin: async ({ merchantId, order }) => ok(changeWithin(deps, { kind, merchantId, order })),
  };
}

/** Refused where the setting is not any more what was changed: the approver saw another change. */
function changeWithin(
  deps: AppDependencies,
  { kind, merchantId, order }: { kind: ChangeKind; merchantId: string | null; order: JsonObject },
): Within {
  if (merchantId === null) throw new Error('a change of no merchant');
  return async (repositories, actor) => {
    const merchant = await repositories.merchants.lock(merchantId);
    if (merchant === null) return err(appError('NOT_FOUND', 'No such merchant.'));
    const [present, change] = SETTINGS[kind](merchant, order);
    if (JSON.stringify(present) !== JSON.stringify(order.from))
      return err(appError('INVALID_TRANSITION', 'The setting was changed meanwhile. Order it again.'));
    const action = { action: 'merchant.changed', subject: 'merchant', subjectId: merchantId } as const;
    const within = audited(joined(deps, repositories), actor, { ...action, merchantId });
    const changed = await changeMerchant(within)(merchantId, change);
    return changed.ok ? ok({}) : changed;
  };
}

/** What a kind changes, as it is at present, and the change. */
const SETTINGS: Readonly<
  Record<ChangeKind, (merchant: Merchant, order: JsonObject) => readonly [JsonValue, MerchantChange]>
> = {
  approval_limit({ approvalAboveMicroUsd }, order) {
    const to = textOrNull(order, 'to');
    return [decimal(approvalAboveMicroUsd), { approvalAboveMicroUsd: to === null ? null : BigInt(to) }];
  },
  allowed_subnets: ({ allowedSubnets }, { to }) => [
    allowedSubnets,
    { allowedSubnets: to as readonly string[] },
  ],
};

const limitJson = (from: bigint | null, to: bigint | null): JsonObject => ({
  from: decimal(from),
  to: decimal(to),
});

const decimal = (microUsd: bigint | null): string | null => (microUsd === null ? null : String(microUsd));

const merchantOf = ({ caller }: Desk): string => caller.merchant.id;
