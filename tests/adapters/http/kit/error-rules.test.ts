/**
 * `error.details.rule`: each rule that the document lists is answered to some request, and no
 * answer names another.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { AppDependencies } from '../../../../src/app/dependencies.ts';
import {
  INVOICE_RULES,
  type InvoiceRule,
  PAYOUT_RULES,
  type PayoutRule,
} from '../../../../src/domain/errors.ts';
import { flatNetworkFee } from '../../../../src/domain/rates/network-fee.ts';
import type { FeeQuoter, RecipientQuote } from '../../../../src/ports/rates/fee-quoter.ts';
import type { Answered } from '../../../support/http/called-server.ts';
import { type Harness, openHarness, stageHarness } from '../../../support/http/http-harness.ts';
import { loadDocument } from '../../../support/http/openapi-check.ts';
import { postgresAvailable } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

stageHarness();

const PAYEE = '0x1111111111111111111111111111111111111111';
/** A contract whose payment costs too much. */
const DEAR = '0x2222222222222222222222222222222222222222';

const feeQuoter: FeeQuoter = {
  quote(asset, rates) {
    const flat = flatNetworkFee(asset, rates);
    return flat && { ...flat, extraGas: 0n };
  },
  quoteAsked: () => null,
  async quoteEach(payments, rates, environment) {
    return payments.map(({ asset, to }): RecipientQuote => {
      const quote = feeQuoter.quote(asset, rates, environment);
      if (to === DEAR) return { kind: 'too_dear', feeMicroUsd: 9_000_000n, mostMicroUsd: 400_000n };
      return quote === null ? { kind: 'unpriced' } : { kind: 'quoted', quote };
    });
  },
};

describe.skipIf(!needs('postgres', postgresAvailable()))('the rules of refusals', () => {
  let harness: Harness;
  beforeAll(async () => {
    // Tron is not watched here, so nothing live is paid on it.
    const watchedChains = new Set(['ethereum', 'bitcoin', 'monero']);
    harness = await openHarness({ ports: { watchedChains, chainHealth: new Map(), feeQuoter } });
  });

  const invoice = (body: object): Promise<Answered> =>
    harness.call('POST', '/api/v2/invoices', { body: { amount: 20, ...body } });
  const payout = (body: object): Promise<Answered> =>
    harness.call('POST', '/api/v2/payouts', {
      body: { amount: 20, asset: 'usdt_ethereum', address: PAYEE, ...body },
      headers: { 'x-uniq-id': crypto.randomUUID() },
    });
  const permanent = { permanent_address: true, billing_type: 'VARY', user_id: 'u' };

  // Every rule of the type, so that one without a request does not compile.
  const INVOICES: Record<InvoiceRule, () => Promise<Answered>> = {
    below_minimum: () => invoice({ amount: 0.0001, asset: 'usdt_ethereum' }),
    asset_disabled: () => invoice({ asset: 'usdt_tron' }),
    asset_excluded: () => invoice({ asset: 'usdt_ethereum', excluded_coins: ['usdt_ethereum'] }),
    no_asset_left: () => invoice({ accepted_coins: ['btc_bitcoin'], excluded_coins: ['btc_bitcoin'] }),
    xmr_permanent: () => invoice({ asset: 'xmr_monero', ...permanent }),
    family_unavailable: () =>
      harness.call('POST', '/api/v2/permanent', { body: { user_id: 'u', asset: 'usdt', family: 'tron' } }),
  };
  /** Of an invoice of 25 USDT that was paid. */
  async function refund(body: object, ports: Partial<AppDependencies> = {}): Promise<Answered> {
    const { call, earn } = await openHarness({ ports });
    await earn(25);
    const [paid] = (await call('GET', '/api/v2/invoices')).json.result;
    return call('POST', `/api/v2/invoices/${paid.order_id}/refunds`, { body });
  }

  const PAYOUTS: Record<PayoutRule, () => Promise<Answered>> = {
    asset_disabled: () => payout({ asset: 'usdt_tron', address: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7' }),
    invalid_address: () => payout({ address: '0x12' }),
    async own_address() {
      const { json } = await invoice({ asset: 'usdt_ethereum' });
      return payout({ address: json.result.address_to });
    },
    below_minimum: () =>
      payout({
        amount: 0.000005,
        asset: 'btc_bitcoin',
        address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      }),
    network_fee_too_high: () => payout({ address: DEAR }),
    fee_exceeds_amount: () => payout({ amount: 0.000001, fee_bearer: 'client' }),
    insufficient_balance: () => payout({}),
    refund_amount: () => refund({ amount: 26 }),
    chain_not_sent_on: () => refund({}, { sendingChains: new Set() }),
  };

  test.each(Object.keys(INVOICE_RULES) as InvoiceRule[])('%s refuses an invoice', async (rule) => {
    const { status, json } = await INVOICES[rule]();
    expect([status, json.error?.code, json.error?.details?.rule]).toEqual([400, 'INVOICE_REJECTED', rule]);
  });

  test.each(Object.keys(PAYOUT_RULES) as PayoutRule[])('%s refuses a payout', async (rule) => {
    const { status, json } = await PAYOUTS[rule]();
    expect([status, json.error?.code, json.error?.details?.rule]).toEqual([400, 'PAYOUT_REJECTED', rule]);
  });

  test('the document lists these and no others, and its examples name one of them', async () => {
    const document = await loadDocument('http://localhost', harness.server);
    const listed = new Set<string>();
    for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
      const { schema, examples = {} } = operation.responses?.['400']?.content?.['application/json'] ?? {};
      const rules = enumOf(schema);
      for (const rule of rules ?? []) listed.add(rule);
      for (const { value } of Object.values(examples) as { value: Refusal }[]) {
        const rule = value.error.details?.rule;
        if (rule !== undefined) expect(rules).toContain(rule);
      }
    }
    expect([...listed].toSorted()).toEqual(
      [...new Set([...Object.keys(INVOICE_RULES), ...Object.keys(PAYOUT_RULES)])].toSorted(),
    );
  });
});

interface Refusal {
  readonly error: { readonly details?: { readonly rule?: string } };
}

/** Of an answer's own part of the envelope. */
function enumOf(schema: unknown): readonly string[] | null {
  const found = schema as { allOf: [object, OwnPart] } | undefined;
  return found?.allOf[1].properties.error.properties.details.properties?.rule.enum ?? null;
}

interface OwnPart {
  readonly properties: {
    readonly error: {
      readonly properties: {
        readonly details: { readonly properties?: { readonly rule: { enum: string[] } } };
      };
    };
  };
}
