/** POST /payout and what is asked of payouts afterwards. A token is needed for all of it. */
import { createHash } from 'node:crypto';
import type { AppError } from '../../../../domain/errors.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { err, ok, type Result } from '../../../../domain/result.ts';
import { isJsonObject } from '../../exact-json.ts';
import type { ApiContext } from '../../route.ts';
import { type CompatCall, type CompatRefusal, type Handled, refusalOf, replied } from '../surface.ts';
import { createPayout, fault, payoutOfOrder } from '../use-cases.ts';
import { NO_TOKEN, withdrawal } from './answers.ts';
import { payoutAsked } from './requests.ts';
import { isGoodToken } from './token.ts';

const MOST = 100;

/** Each withdrawal is a payout of its own. The only one that is refused refuses the request; of several it is told in its place. */
export async function createPayouts(body: JsonObject, call: CompatCall, context: ApiContext): Handled {
  const token = tokenOf(call);
  if (!token.ok) return token;
  const closed = call.payoutGate();
  if (closed !== null) return err(closed);
  const { withdrawals } = body;
  if (!Array.isArray(withdrawals) || withdrawals.length === 0 || withdrawals.length > MOST)
    return err(fault('withdrawals', `must be a list of 1 to ${MOST}`));
  const asked = withdrawals.map((entry, index) =>
    isJsonObject(entry)
      ? payoutAsked(entry, unnamed(call.body, token.value, index), context)
      : err(fault(`withdrawals.${index}`, 'must be an object')),
  );
  const faulty = asked.find((each) => !each.ok);
  if (faulty !== undefined && !faulty.ok) return faulty;
  const told: unknown[] = [];
  let first: string | null = null;
  for (const each of asked) {
    if (!each.ok) continue;
    const made = await createPayout(call, each.value, context);
    if (made.ok) told.push(withdrawal(made.value, context));
    else if (asked.length === 1) return made;
    else
      told.push({
        id: null,
        status: 'REJECTED',
        error: refusalOf(made.error).message,
        unique_external_id: each.value.ref,
      });
    if (made.ok) first ??= made.value.id;
  }
  return replied({ id: first, withdrawals: told }, 201);
}

export async function payout(call: CompatCall, context: ApiContext): Handled {
  const token = tokenOf(call);
  const found = token.ok ? await payoutOfOrder(call, 'nowpayments', call.params.id ?? '', context) : token;
  if (!found.ok) return found;
  const told = withdrawal(found.value, context);
  return replied({ ...told, withdrawals: [told] });
}

/** Its second factor: payouts here are guarded by the caller's address, and go without one. */
export async function verifyPayout(call: CompatCall, context: ApiContext): Handled {
  const found = await payout(call, context);
  return found.ok ? replied('OK') : found;
}

function tokenOf({ headers, now }: CompatCall): Result<string, AppError | CompatRefusal> {
  const [, token] = /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  const isGood = token !== undefined && isGoodToken(token, headers.get('x-api-key') ?? '', now);
  return isGood ? ok(token) : err(NO_TOKEN);
}

/**
 * By what a withdrawal without an id is known: the same body under the same token is a request that is repeated, under the next
 * token another payout.
 */
function unnamed(body: string, token: string, index: number): string {
  return createHash('sha256')
    .update(JSON.stringify([token, index, body]))
    .digest('hex');
}
