/** Posts a body and answers which fields a 422 named; for tests of body rules. */
import { afterAll, expect } from 'bun:test';
import { type Harness, openHarness, stageHarness } from './http-harness.ts';

export const INVOICE = { amount: 25, fiat_currency: 'USD', asset: 'usdt_tron' };

/** Headers with a fresh X-Uniq-Id. */
export function uniq(): { headers: Record<string, string> } {
  return { headers: { 'x-uniq-id': crypto.randomUUID() } };
}

let opened: Promise<Harness> | null = null;

/** As stageHarness, of the harness that `faults` posts to as well. */
export function stageFaults(): void {
  stageHarness();
  afterAll(() => {
    opened = null;
  });
}

/** A merchant with money, so that a payout fails for its body alone. */
async function furnished(): Promise<Harness> {
  const harness = await openHarness();
  await harness.earn(10_000, harness.sandboxKey);
  return harness;
}

/**
 * Field names of a 422, in order; none when the body was accepted. `:id` in the path is an invoice.
 */
export async function faults(path: string, body: unknown): Promise<string[]> {
  opened ??= furnished();
  const { call, sandboxKey } = await opened;
  const created = await call('POST', '/api/v2/invoices', { key: sandboxKey, body: INVOICE });
  const at = path.replace(':id', created.json.result.order_id);
  const answer = await call('POST', at, { key: sandboxKey, body, ...uniq() });
  if (answer.status < 300) return [];
  expect([answer.status, answer.json.error.code, answer.json.error.message], answer.text).toEqual([
    422,
    'VALIDATION_ERROR',
    'Validation failed',
  ]);
  const [first] = answer.json.error.details;
  expect(answer.json.error.hint).toBe(`${first.field}: ${first.message}`);
  return answer.json.error.details.map(({ field }: { field: string }) => field);
}
