/**
 * POST /payout and the routes that read payouts. As at NOWPayments, paying needs a token and
 * reading does not.
 */

import type { AppError } from '../../../../domain/errors.ts';
import { parseDecimal } from '../../../../domain/money/decimal.ts';
import type { JsonObject } from '../../../../domain/money/json.ts';
import { err, ok, type Result } from '../../../../domain/result.ts';
import type { ApiContext } from '../../kit/call.ts';
import { idempotencyKey } from '../../kit/idempotency.ts';
import { isJsonObject } from '../../kit/input/exact-json.ts';
import { type CompatCall, type CompatRefusal, type CompatResult, refusalOf, replied } from '../surface.ts';
import {
  type AskedPayout,
  absentIfEmpty,
  createPayout,
  digest,
  fault,
  payoutOfOrder,
  textOf,
} from '../use-cases.ts';
import { NO_TOKEN, withdrawal } from './answers.ts';
import { payoutAsked, sentAmount } from './requests.ts';
import { isGoodToken } from './token.ts';

const MOST = 100;

/**
 * Makes a payout of each withdrawal. If the only withdrawal is refused, the request is refused. In
 * a longer list a refused withdrawal is reported in its place.
 */
export async function createPayouts(body: JsonObject, call: CompatCall, context: ApiContext): CompatResult {
  const token = tokenOf(call);
  if (!token.ok) return token;
  const closed = call.payoutGate();
  if (closed !== null) return err(closed);
  const asked = withdrawalsAsked(body, call, context);
  if (!asked.ok) return asked;
  const withdrawals: unknown[] = [];
  let first: string | null = null;
  for (const each of asked.value) {
    const made = await createPayout(call, each, context);
    if (!made.ok && asked.value.length === 1) return made;
    withdrawals.push(made.ok ? withdrawal(made.value, context) : rejected(made.error, each));
    if (made.ok) first ??= made.value.id;
  }
  return replied({ id: first, withdrawals }, 201);
}

/** The withdrawals of the request. A malformed one refuses the whole request. */
function withdrawalsAsked(
  body: JsonObject,
  { headers }: CompatCall,
  context: ApiContext,
): Result<readonly AskedPayout[], AppError> {
  // The payout would be paid at once, which is too early.
  if (absentIfEmpty(body.execute_at) !== undefined) return err(fault('execute_at', 'is not supported'));
  const { withdrawals } = body;
  if (!Array.isArray(withdrawals) || withdrawals.length === 0 || withdrawals.length > MOST)
    return err(fault('withdrawals', `must be a list of 1 to ${MOST}`));
  const key = idempotencyKey(headers);
  if (!key.ok) return key;
  const unnamed = key.value === null ? byContent() : underKey(key.value);
  const payouts: AskedPayout[] = [];
  for (const [index, entry] of withdrawals.entries()) {
    if (!isJsonObject(entry)) return err(fault(`withdrawals.${index}`, 'must be an object'));
    const asked = payoutAsked(entry, unnamed(entry, index), context);
    if (!asked.ok) return asked;
    payouts.push(asked.value);
  }
  return ok(payouts);
}

function rejected(error: AppError, { ref = null }: AskedPayout) {
  return { id: null, status: 'REJECTED', error: refusalOf(error).message, unique_external_id: ref };
}

/** A list with one payout, as at NOWPayments. */
export async function payout(call: CompatCall, context: ApiContext): CompatResult {
  const found = await payoutOfOrder(call, 'nowpayments', call.params.id ?? '', context);
  return found.ok ? replied([withdrawal(found.value, context)]) : found;
}

/**
 * NOWPayments' second factor. Here every code is accepted: the caller's address protects payouts.
 */
export async function verifyPayout(call: CompatCall, context: ApiContext): CompatResult {
  const token = tokenOf(call);
  const found = token.ok ? await payout(call, context) : token;
  return found.ok ? replied('OK') : found;
}

function tokenOf({ headers, now }: CompatCall): Result<null, AppError | CompatRefusal> {
  const [, token] = /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  const isGood = token !== undefined && isGoodToken(token, headers.get('x-api-key') ?? '', now);
  return isGood ? ok(null) : err(NO_TOKEN);
}

/**
 * Identifies a withdrawal without an id. The token does not: clients get a new one before each
 * request.
 */
type UnnamedWithdrawalKey = (withdrawal: JsonObject, index: number) => string;

/** By its content, and by the number of equal withdrawals before it in the request. */
function byContent(): UnnamedWithdrawalKey {
  const counts = new Map<string, number>();
  return (withdrawal) => {
    const { amount, fiat } = sentAmount(withdrawal);
    const read = parseDecimal(textOf(amount) ?? '');
    const units = read === null ? '' : `${read.digits}e-${read.scale}`;
    const sent = [textOf(withdrawal.currency)?.toLowerCase() ?? '', units, ...(fiat === null ? [] : [fiat])];
    const said = digest([textOf(withdrawal.address) ?? '', ...sent]);
    const before = counts.get(said) ?? 0;
    counts.set(said, before + 1);
    return digest(['content', said, String(before)]);
  };
}

/** By the Idempotency-Key of the request and its position. */
function underKey(key: string): UnnamedWithdrawalKey {
  return (_, index) => digest(['key', key, String(index)]);
}
