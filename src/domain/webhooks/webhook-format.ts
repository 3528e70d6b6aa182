/** The formats in which webhooks are written: ours, and those of other providers. */

export const WEBHOOK_FORMATS = [
  'native_v2',
  'cryptomus',
  'heleket',
  'nowpayments',
  'coinpayments',
  'coinpayments_v2',
] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];
