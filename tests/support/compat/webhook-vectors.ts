/** One signed request of each provider, as its own verifiers accepted them. The key is made up. */
export const VECTOR_KEY = 'sk_live_0123456789abcdef0123456789abcdef0123456789abcdef';

export const VECTOR_URL = 'https://shop.example/hook?x=1';

export const WEBHOOK_VECTORS = {
  cryptomus: {
    headers: {
      'content-type': 'application/json',
    },
    body: '{"type":"payment","uuid":"3f1c0c5e-8d0f-4d6e-9b1a-2f0e7c5a9d10","order_id":"order-1001","amount":"25.00","payment_amount":"25.25000000","payment_amount_usd":"25.25","merchant_amount":"25.00000000","commission":"0.25000000","is_final":true,"status":"paid","from":"TJRabPrwbZy45sbavfcjinPJC18kjpRTv8","wallet_address_uuid":null,"network":"tron","currency":"USD","payer_currency":"USDT","payer_amount":"25.25000000","payer_amount_exchange_rate":"1.00000000","additional_data":"https:\\/\\/shop.example\\/a?b=1 é","txid":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","sign":"d1f32a3d0b6e074e376c466cbea5a3b8"}',
  },
  nowpayments: {
    headers: {
      'content-type': 'application/json',
      'x-nowpayments-sig':
        '683f036834972ce32d1bc7606f23102713cbffab1b5ba25ec51e133e1ab60d94ee6aa3dab9c59a433ece247a3dea2522e4c4770cf9c9e68feb702e9545460084',
    },
    body: '{"actually_paid":25.25,"actually_paid_at_fiat":0,"fee":{"currency":"usdttrc20","depositFee":0.25,"serviceFee":0,"withdrawalFee":0},"invoice_id":null,"order_description":"Annual plan","order_id":"order-1001","outcome_amount":25,"outcome_currency":"usdttrc20","parent_payment_id":null,"pay_address":"TJRabPrwbZy45sbavfcjinPJC18kjpRTv8","pay_amount":25.25,"pay_currency":"usdttrc20","payin_extra_id":null,"payment_extra_ids":null,"payment_id":5077125051,"payment_status":"finished","price_amount":25,"price_currency":"usd","purchase_id":"4944856743"}',
  },
  nowpayments_traps: {
    headers: {
      'content-type': 'application/json',
      'x-nowpayments-sig':
        '68fb59c535f2c6b47c51a0af7a368d20f147fc00786e4e34bd83f27b2aaee8d56da68f69c63ce7ecc2b4a8e7ede7e3292731cf56af5bc8b85241685fed608771',
    },
    body: '{"order_description":"a/b é","pay_amount":0.00001234,"payment_id":1,"payment_status":"finished"}',
  },
  coinpayments: {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      hmac: '0527ce8630e501674076655a1f80e24b1ae31b45461a28a2c434c0ec4919e7dcccda786a4e9b934b31566da41cabf0675335e5c349952750f5a3a2434fb74e08',
    },
    body: 'ipn_version=1.0&ipn_type=api&ipn_mode=hmac&ipn_id=01a2026d3ba14e2e097a3d12&merchant=01a2026c5af1a243ef857a7c&txn_id=01a2026d3ba14e2e097a3d12&status=100&status_text=Complete&currency1=USD&currency2=USDT.TRC20&amount1=25&amount2=25.25&fee=0.25&buyer_name=&email=a%40b.example&item_name=Annual+plan&item_number=&invoice=order-1001&custom=&send_tx=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa&received_amount=25.25&received_confirms=20',
  },
  coinpayments_v2: {
    headers: {
      'content-type': 'application/json',
      'X-CoinPayments-Client': 'sk_live_0123456789abcdef0123456789abcdef0123456789abcdef',
      'X-CoinPayments-Timestamp': '2026-11-22T09:00:00',
      'X-CoinPayments-Signature': 'cKoOuxPMLb77w8AoWbWiMOVkJa7xdFRp3dR8CkDDsRI=',
    },
    body: '{"id":"8a49a588266246a2ab5f43217ca993bd","type":"InvoiceCompleted","timestamp":"2026-11-22T09:00:00.0000000+00:00","invoice":{"invoiceId":"order-1001"}}',
  },
} as const;
