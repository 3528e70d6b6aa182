/**
 * Pays what was ordered and approved, once: a try first asks whether an earlier one of the same
 * X-Uniq-Id paid it. Where the merchant is barred by then, nothing is paid (safety.md G7).
 */
import type { Approval } from '../../../domain/accounts/approval.ts';
import { type AppError, payoutRejected } from '../../../domain/errors.ts';
import { accessGate } from '../../../domain/merchants/merchant.ts';
import type { JsonObject, JsonValue } from '../../../domain/money/json.ts';
import { err, ok } from '../../../domain/result.ts';
import { IdempotencyKeyTaken } from '../../../ports/stored-answers.ts';
import type { Application, BatchItemResult, CreatedBatch } from '../../application.ts';
import type { Caller } from '../../caller.ts';
import type { AppDependencies } from '../../dependencies.ts';
import type { CarriedOut, Carrier } from '../approvals/carry-out.ts';
import { batchOf, payoutOf, textOf } from '../approvals/order-payloads.ts';

export function payoutCarrier(deps: AppDependencies, application: Application): Carrier {
  return {
    async repeatable(approval) {
      const caller = await callerOf(deps, approval);
      const paid = await deps.queries.usedUniqId(caller.scope, approval.uniqId);
      if (paid !== null && 'order_id' in paid) return ok({ payout_id: paid.order_id });
      const barred = accessGate(caller.merchant, caller.environment);
      if (barred !== null) return err(barred);
      const input = payoutOf(approval.order, deps.catalog);
      if (input === null) return err(delisted());
      const made = await application.createPayout(caller, approval.uniqId, input, null, 'for good');
      if (made.ok) return ok({ payout_id: made.value.orderId });
      const earlier = createdBefore(made.error, 'order_id');
      return earlier === null ? made : ok({ payout_id: earlier });
    },
  };
}

export function batchCarrier(deps: AppDependencies, application: Application): Carrier {
  return {
    async repeatable(approval) {
      const caller = await callerOf(deps, approval);
      const answered = async (): Promise<JsonObject | null> => {
        const found = await application.answered(caller, approval.uniqId);
        return found === null ? null : JSON.parse(found.answer.body);
      };
      // After a day its items are not known any more: the list of payouts has them.
      const found = async (batchId: string) => ok((await answered()) ?? { batch_id: batchId, items: [] });
      const paid = await deps.queries.usedUniqId(caller.scope, approval.uniqId);
      if (paid !== null && 'batch_id' in paid) return found(paid.batch_id);
      const inputs = batchOf(approval.order, deps.catalog);
      const barred = accessGate(caller.merchant, caller.environment);
      if (barred !== null) return err(barred);
      if (inputs === null) return err(delisted());
      const once = {
        ...{ key: approval.uniqId, fingerprint: deps.vault.mac(`approval ${approval.id}`) },
        answer: (made: CreatedBatch) => ({ status: 201, body: JSON.stringify(batchMade(made)) }),
      };
      try {
        const made = await application.createPayoutBatch(caller, approval.uniqId, inputs, once, 'for good');
        if (made.ok) return ok(batchMade(made.value));
        const earlier = createdBefore(made.error, 'batch_id');
        return earlier === null ? made : found(earlier);
      } catch (error) {
        const meanwhile = error instanceof IdempotencyKeyTaken ? await answered() : null;
        if (meanwhile === null) throw error;
        return ok(meanwhile);
      }
    },
  } satisfies { repeatable: (approval: Approval) => CarriedOut };
}

/** What `batchMade` stored. */
export function batchFrom(made: JsonObject): CreatedBatch {
  const items = (made.items as readonly JsonObject[]).map(
    (item): BatchItemResult =>
      item.order_id === null
        ? { orderId: null, error: textOf(item, 'error') }
        : { orderId: textOf(item, 'order_id'), status: 'pending' },
  );
  return { batchId: textOf(made, 'batch_id'), items };
}

function batchMade({ batchId, items }: CreatedBatch): JsonObject {
  return {
    batch_id: batchId,
    items: items.map(
      (item): JsonValue =>
        item.orderId === null ? { order_id: null, error: item.error } : { order_id: item.orderId },
    ),
  };
}

/** As its API key would be: read again, since the merchant may have changed. */
async function callerOf(
  { unitOfWork }: Pick<AppDependencies, 'unitOfWork'>,
  { id, merchantId, sandbox }: Approval,
): Promise<Caller> {
  if (merchantId === null || sandbox === null) throw new Error(`approval ${id} is of no environment`);
  const merchant = await unitOfWork.run(({ merchants }) => merchants.find(merchantId));
  if (merchant === null) throw new Error(`approval ${id} without its merchant`);
  return { merchant, environment: sandbox ? 'sandbox' : 'live', scope: { merchantId, sandbox } };
}

/** What the X-Uniq-Id created before; null for other refusals. */
function createdBefore({ code, details }: AppError, name: 'order_id' | 'batch_id'): string | null {
  if (code !== 'DUPLICATE') return null;
  const created = (details as Readonly<Record<string, unknown>>)[name];
  return typeof created === 'string' ? created : null;
}

function delisted(): AppError {
  return payoutRejected('asset_disabled', 'The asset is not listed any more.');
}
