/** Every webhook format: how its body is built, and what is signed when it is sent. */
import type {
  DressedDelivery,
  ForeignFormat,
  ProviderInvoice,
  UndressedDelivery,
  WebhookFormats,
} from '../../../ports/webhooks/webhook-formats.ts';
import { coinpaymentsSign } from '../../shared/providers/coinpayments.ts';
import { coinpaymentsV2Sign, coinpaymentsV2Timestamp } from '../../shared/providers/coinpayments-v2.ts';
import { cryptomusSign } from '../../shared/providers/cryptomus.ts';
import { cryptomusPayment, heleketPayment } from '../../shared/providers/cryptomus-payment.ts';
import { nowpaymentsSign, sortedJson } from '../../shared/providers/nowpayments.ts';
import { nowpaymentsPayment } from '../../shared/providers/nowpayments-payment.ts';
import { phpJson } from '../../shared/providers/php-json.ts';
import { coinpaymentsBody } from './coinpayments-body.ts';
import { coinpaymentsV2Body } from './coinpayments-v2-body.ts';

const ENCODERS: Readonly<Record<ForeignFormat, (facts: ProviderInvoice) => string>> = {
  cryptomus: (facts) => phpJson(cryptomusPayment(facts)),
  heleket: (facts) => phpJson(heleketPayment(facts)),
  nowpayments: (facts) => sortedJson(nowpaymentsPayment(facts)),
  coinpayments: coinpaymentsBody,
  coinpayments_v2: coinpaymentsV2Body,
};

type DressDelivery = (delivery: UndressedDelivery, apiKey: string) => DressedDelivery;

const JSON_TYPE = { 'Content-Type': 'application/json' };
/** As the last key, over the exact text before it. */
const signInside: DressDelivery = ({ body }, apiKey) => ({
  body: `${body.slice(0, -1)},"sign":"${cryptomusSign(body, apiKey)}"}`,
  headers: JSON_TYPE,
});

const DRESSES: Readonly<Record<UndressedDelivery['format'], DressDelivery>> = {
  native_v2: ({ body }) => ({ body, headers: JSON_TYPE }),
  cryptomus: signInside,
  heleket: signInside,
  nowpayments: ({ body }, apiKey) => ({
    body,
    headers: { ...JSON_TYPE, 'x-nowpayments-sig': nowpaymentsSign(body, apiKey) },
  }),
  coinpayments: ({ body }, apiKey) => ({
    body,
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      HMAC: coinpaymentsSign(body, apiKey),
    },
  }),
  coinpayments_v2: ({ body, url, merchantId: client, at }, apiKey) => {
    const timestamp = coinpaymentsV2Timestamp(at);
    const request = { method: 'POST', url, client, timestamp, body };
    return {
      body,
      headers: {
        ...JSON_TYPE,
        'X-CoinPayments-Client': client,
        'X-CoinPayments-Timestamp': timestamp,
        'X-CoinPayments-Signature': coinpaymentsV2Sign(request, apiKey),
      },
    };
  },
};

export const webhookFormats: WebhookFormats = {
  encode: (format, facts) => ENCODERS[format](facts),
  dress: (delivery, keys) => DRESSES[delivery.format](delivery, keys.current),
};
