/** Bugs in how the clients of other providers are let in, and kept from being paid twice. */
import { bugs, type Mutant } from './mutant.ts';

const CRYPTOMUS = ['tests/adapters/http/compat/cryptomus.test.ts'];
const GATES = ['tests/adapters/http/compat/gates.test.ts'];
const NOWPAYMENTS = ['tests/adapters/http/compat/nowpayments.test.ts'];
const COINPAYMENTS = ['tests/adapters/http/compat/coinpayments.test.ts'];
const KEY_THAT_FITS = ['tests/app/merchants/key-that-fits.test.ts'];

export const COMPAT_MUTANTS: readonly Mutant[] = [
  ...bugs('src/adapters/http/compat/use-cases.ts', CRYPTOMUS, [
    ["kept = 'for good' }: AskedPayout", "kept = 'two hours' }: AskedPayout"],
    ['made.ok || !stands.ok || isSamePayout(stands.value, input.value, application)', 'true'],
    ["['invoice', merchantId, String(sandbox), format, orderId]", "['invoice', merchantId, format, orderId]"],
  ]),
  ...bugs('src/app/merchants/key-that-fits.ts', KEY_THAT_FITS, [
    ['if (isKept(misses.get(merchantId) ?? 0, now)) return null;', ''],
    ['if (isKept(known.until, now)) {', 'if (known.until > 0) {'],
    ['if (key !== null || !admits() || !strangerMayAsk()) return key;', 'return key;'],
    ['const mayAsk = admits() ? strangerMayAsk() : refusedMayAsk();', 'const mayAsk = admits();'],
  ]),
  ...bugs('src/app/invoices/create-invoice.ts', CRYPTOMUS, [
    ['const earlier = isTaken ? await existingInvoice(deps, caller, input) : null;', 'const earlier = null;'],
  ]),
  ...bugs('src/adapters/http/compat/cryptomus/surface.ts', GATES, [
    ['isSameText(signature(key), given)', 'true'],
    ['key === null || isWebhook(body) ? null : key', 'key'],
  ]),
  ...bugs('src/adapters/http/compat/nowpayments/token.ts', NOWPAYMENTS, [
    ['if (!isSameText(sign, signature(payload, apiKey))) return false;', ''],
    ['return exp * 1000 > now.getTime();', 'return true;'],
  ]),
  ...bugs('src/adapters/http/compat/nowpayments/payouts.ts', NOWPAYMENTS, [
    ['counts.set(said, before + 1);', ''],
    ['...(fiat === null ? [] : [fiat])', ''],
    [
      "if (absentIfEmpty(body.execute_at) !== undefined) return err(fault('execute_at', 'is not supported'));",
      '',
    ],
  ]),
  ...bugs('src/adapters/http/compat/nowpayments/requests.ts', NOWPAYMENTS, [
    ['{ amount: fiatAmount, fiat:', '{ amount: withdrawal.amount, fiat:'],
  ]),
  ...bugs(
    'src/adapters/http/compat/coinpayments-v2/surface.ts',
    [...COINPAYMENTS, ...GATES],
    [
      ['if (!(Math.abs(at - now.getTime()) <= SKEW_MS)) return null;', ''],
      ['return fits(client) ? client : null;', 'return client;'],
      ['keyThatFits(merchantId, fits, admits)', 'keyThatFits(merchantId, () => true, admits)'],
    ],
  ),
];
