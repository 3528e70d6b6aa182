/**
 * What can happen to a merchant's money, as data that fast-check draws: orders of customers,
 * miners, operators and time.
 */
import fc from 'fast-check';

/** Chooses one of the things that exist when the step is taken; a step without any does nothing. */
type Which = { readonly which: number };

export type LedgerStep =
  | {
      readonly do: 'create';
      readonly cents: number;
      readonly asset: 'usdt_ethereum' | 'eth_ethereum';
      readonly billing: 'STATIC' | 'VARY';
      readonly bearer: 'merchant' | 'client';
      readonly tolerance: number;
      readonly ttl: number;
      /** Whether the customer may change the asset. */
      readonly open: boolean;
    }
  /**
   * The customer changes to the asset; later payments go to what the page shows now, or to what it
   * showed before.
   */
  | ({ readonly do: 'choose'; readonly asset: 'usdt_ethereum' | 'eth_ethereum' | 'usdc_ethereum' } & Which)
  /** `permille` of what the invoice asks for; `stray` pays in another asset. */
  | ({ readonly do: 'pay'; readonly permille: number; readonly stray: boolean } & Which)
  | { readonly do: 'payPermanent'; readonly cents: number }
  | { readonly do: 'mine'; readonly count: number }
  /** Of the transactions in the replaced blocks, a third each stays, waits again and is gone. */
  | { readonly do: 'reorg'; readonly depth: number; readonly fate: number }
  | ({ readonly do: 'doubleSpend' } & Which)
  | { readonly do: 'verdict'; readonly verdict: 'pass' | 'hit' | 'unavailable' }
  | ({ readonly do: 'release' | 'reject' | 'creditStray' | 'refund' } & Which)
  | { readonly do: 'payout'; readonly sandbox: boolean; readonly cents: number }
  | ({
      readonly do: 'movePayout';
      readonly event: 'signed' | 'confirmed' | 'failed' | 'cancelled' | 'reorganised';
    } & Which)
  | { readonly do: 'wait'; readonly seconds: number }
  /** The background jobs run once. */
  | { readonly do: 'work' }
  /** What waits becomes final, and is worked on. */
  | { readonly do: 'finish' }
  | { readonly do: 'createSandbox'; readonly cents: number; readonly billing: 'STATIC' | 'VARY' }
  | ({ readonly do: 'simulate'; readonly status: string; readonly cents: number | null } & Which);

const which = fc.nat(1_000);
const billing = fc.constantFrom('STATIC' as const, 'VARY' as const);

/** What a step carries besides its name. */
type FieldsOf<Name> = LedgerStep extends infer Step
  ? Step extends { readonly do: infer Names }
    ? Name extends Names
      ? Omit<Step, 'do'>
      : never
    : never
  : never;

function step<const Name extends LedgerStep['do']>(
  name: Name,
  fields: { [Field in keyof FieldsOf<Name>]: fc.Arbitrary<FieldsOf<Name>[Field]> },
): fc.Arbitrary<LedgerStep> {
  return fc.record({ do: fc.constant(name), ...fields }) as unknown as fc.Arbitrary<LedgerStep>;
}

const CREATE = step('create', {
  cents: fc.integer({ min: 200, max: 50_000 }),
  asset: fc.constantFrom('usdt_ethereum' as const, 'eth_ethereum' as const),
  billing,
  bearer: fc.constantFrom('merchant' as const, 'client' as const),
  tolerance: fc.constantFrom(0, 0, 5, 10),
  ttl: fc.integer({ min: 300, max: 1_200 }),
  open: fc.boolean(),
});
const PAY = step('pay', {
  which,
  permille: fc.oneof(
    fc.constant(1_000),
    fc.integer({ min: 1, max: 1_500 }),
    fc.constantFrom(333, 500, 950, 999, 1_001),
  ),
  stray: fc.nat(9).map((odd) => odd === 0),
});
const MINE = step('mine', { count: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(12)) });
const WORK = step('work', {});

/** Random steps, weighted so that most payments reach their credit and many lose it again. */
const ledgerStep: fc.Arbitrary<LedgerStep> = fc.oneof(
  { weight: 5, arbitrary: CREATE },
  { weight: 9, arbitrary: PAY },
  {
    weight: 6,
    arbitrary: step('choose', {
      which,
      asset: fc.constantFrom('usdt_ethereum' as const, 'eth_ethereum' as const, 'usdc_ethereum' as const),
    }),
  },
  { weight: 2, arbitrary: step('payPermanent', { cents: fc.integer({ min: 50, max: 20_000 }) }) },
  { weight: 5, arbitrary: MINE },
  { weight: 6, arbitrary: WORK },
  { weight: 7, arbitrary: step('finish', {}) },
  {
    weight: 5,
    arbitrary: step('reorg', {
      depth: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(20)),
      fate: which,
    }),
  },
  { weight: 2, arbitrary: step('doubleSpend', { which }) },
  {
    weight: 3,
    arbitrary: step('verdict', { verdict: fc.constantFrom('pass' as const, 'pass', 'hit', 'unavailable') }),
  },
  { weight: 2, arbitrary: step('release', { which }) },
  { weight: 1, arbitrary: step('reject', { which }) },
  { weight: 2, arbitrary: step('creditStray', { which }) },
  { weight: 3, arbitrary: step('refund', { which }) },
  {
    weight: 3,
    arbitrary: step('payout', { sandbox: fc.boolean(), cents: fc.integer({ min: 250, max: 5_000 }) }),
  },
  {
    weight: 4,
    arbitrary: step('movePayout', {
      which,
      event: fc.constantFrom(
        'signed' as const,
        'confirmed' as const,
        'failed' as const,
        'cancelled' as const,
        'reorganised' as const,
      ),
    }),
  },
  { weight: 3, arbitrary: step('wait', { seconds: fc.integer({ min: 1, max: 700 }) }) },
  { weight: 2, arbitrary: step('createSandbox', { cents: fc.integer({ min: 200, max: 50_000 }), billing }) },
  {
    weight: 4,
    arbitrary: step('simulate', {
      which,
      status: fc.constantFrom(
        'success',
        'partially_paid',
        'paid_over',
        'expired',
        'cancelled',
        'failed',
        'refunded',
      ),
      cents: fc.option(fc.integer({ min: 1, max: 60_000 }), { nil: null }),
    }),
  },
);

export interface LedgerHistory {
  readonly steps: readonly LedgerStep[];
  /** Whether the risk check asks no service. */
  readonly isLocal: boolean;
}

/** A paid and mined invoice first, so that every history has money in it. */
export const ledgerHistory: fc.Arbitrary<LedgerHistory> = fc
  .tuple(CREATE, PAY, fc.array(ledgerStep, { minLength: 10, maxLength: 23, size: 'max' }), fc.boolean())
  .map(([create, pay, rest, isLocal]) => ({ steps: [create, pay, ...rest], isLocal }));
