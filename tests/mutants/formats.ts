/** Bugs in what other providers' receivers are told, and in what it is signed with. */
import { bugs, type Mutant } from './mutant.ts';

const BODIES = ['tests/adapters/webhooks/format-bodies.test.ts'];
const SIGNATURES = ['tests/adapters/webhooks/format-signatures.test.ts'];
const PROVIDERS = ['tests/adapters/shared/providers.test.ts'];
const JOURNEY = ['tests/journeys/webhooks/webhook-formats.test.ts'];

export const FORMAT_MUTANTS: readonly Mutant[] = [
  ...bugs('src/adapters/shared/providers/php-json.ts', PROVIDERS, [
    [".replaceAll('/', '\\\\/')", ''],
    [".replaceAll('\\u2029', '\\\\u2029')", ''],
    ['if (String(Number(text)) !== text) return false;', ''],
    ["(whole !== '0' || !fraction.startsWith('0000'))", 'true'],
  ]),
  ...bugs('src/adapters/shared/providers/nowpayments.ts', PROVIDERS, [
    ['Object.keys(value).sort()', 'Object.keys(value)'],
    ['isPlainNumberToPhp(text) ? exactNumber(units, decimals) : text', 'exactNumber(units, decimals)'],
  ]),
  ...bugs('src/adapters/shared/providers/coinpayments.ts', PROVIDERS, [[".replaceAll('*', '%2A')", '']]),
  ...bugs('src/adapters/shared/providers/cryptomus-payment.ts', BODIES, [
    ['invoice.price?.originalUnits ?? invoice.price?.baseUnits', 'invoice.price?.dueUnits'],
    ['is_final: isFinal(invoice)', 'is_final: true'],
    ['coins(facts.creditedUnits)', 'coins(invoice.funds.creditedUnits)'],
  ]),
  ...bugs('src/adapters/shared/providers/nowpayments-payment.ts', SIGNATURES, [
    ['text !== null && isPlainToPhp(text) ? text : null', 'text'],
  ]),
  ...bugs('src/adapters/shared/providers/invoice-fields.ts', BODIES, [
    ['extra ?? userId ?? id', 'extra ?? id'],
    ['addressParts?.account ?? invoice.addressTo', 'invoice.addressTo'],
  ]),
  ...bugs('src/adapters/webhooks/formats/webhook-formats.ts', SIGNATURES, [
    ['url, client, timestamp, body };', 'url, client: apiKey, timestamp, body };'],
    ["'X-CoinPayments-Client': client,", "'X-CoinPayments-Client': apiKey,"],
    [
      'DRESSES[delivery.format](delivery, keys.current)',
      'DRESSES[delivery.format](delivery, keys.other ?? keys.current)',
    ],
  ]),
  ...bugs('src/app/invoices/invoice-events.ts', JOURNEY, [
    ['foreign: foreignBody(deps, invoice, id)', 'foreign: null'],
  ]),
  ...bugs('src/app/invoices/open-deposit-invoice.ts', JOURNEY, [
    ['webhookFormat: address.webhookFormat', "webhookFormat: 'native_v2'"],
  ]),
  ...bugs('src/app/invoices/provider-invoice.ts', JOURNEY, [['funds.creditedUnits - creditedUnits', '0n']]),
];
