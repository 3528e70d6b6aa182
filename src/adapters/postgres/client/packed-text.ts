/**
 * Packs the bodies of webhooks. They repeat the same names and nulls, so a dictionary of them
 * leaves a fifth of the bytes. What was packed is unpacked exactly: these are the bytes that are
 * signed and sent.
 */
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * Bodies of before are packed with it, so a letter that changes makes them unreadable: add another
 * format instead. What is most frequent comes last.
 */
const DICTIONARY = Buffer.from(
  '"id":"","batch_id":null,"kind":"payout","recipient":"","tx_hashes":["],"network_fee":,"failure":null,' +
    '"processed_at":null,"uniq_id":null,"ref":null,"sandbox":true,"event":"payout.","event":"refund.",' +
    '"order_id":"","metadata":{"","payer_info":{"email":"","fiat_currency":"EUR","fee_bearer":"merchant",' +
    '"billing_type":"VARY","accepted_coins":["","excluded_coins":["usdc_solana","usdt_solana","usdt_ton","usdt_tron",' +
    '"usdc_ethereum","ltc_litecoin","eth_ethereum","btc_bitcoin","https://shop.example/success.com/.org/,' +
    '{"order_id":"01a","external_id":"","status":"partially_paid"expired"paid_over"confirming"success",' +
    '"asset":"usdt_ethereum","initial_asset":"usdt_ethereum","type":"coin"token","amount":,"initial_amount":,' +
    '"fiat_amount":,"initial_fiat_amount":,"fiat_currency":"USD","billing_type":"STATIC","address_to":"0x",' +
    '"address_classic":null,"address_tag":null,"address_from":"0x","extra":"","title":"","description":null,' +
    '"expires_at":17,"metadata":null,"fee_bearer":"client","underpay_tolerance":null,"accepted_coins":null,' +
    '"excluded_coins":null,"on_paid_url":null,"on_cancel_url":null,"notify_url":null,"price_modifier":null,' +
    '"original_amount":null,"payer_info":null,"permanent_address_id":null,"user_id":null,"payment_link_id":null,' +
    '"received_amount":0,"txid":"","created_at":17,"updated_at":17,"processed_at":17,"payment_url":"https:///checkout/',
);
/** The first byte names the format. */
const DEFLATED = 1;
/** The same after the CRC-32 of the text: damaged bytes may be unpacked to another one. */
const CHECKED = 2;
const CHECKED_HEAD = 5;
/**
 * The window holds the dictionary and a usual body. A smaller one, and a smaller piece of output
 * than 16 kB, cost less to set up.
 */
const SMALL = { windowBits: 12, memLevel: 6, chunkSize: 1_024 };

export function packed(text: string): Uint8Array {
  const whole = Buffer.from(text);
  const head = Buffer.alloc(CHECKED_HEAD, CHECKED);
  head.writeUInt32LE(crc32(whole), 1);
  return Buffer.concat([head, deflateRawSync(whole, { ...SMALL, dictionary: DICTIONARY })]);
}

/** Throws on bytes that neither `packed` nor its earlier format made. */
export function unpacked(bytes: Uint8Array): string {
  const format = bytes[0];
  if (format === DEFLATED) return inflated(bytes.subarray(1)).toString();
  if (format !== CHECKED) throw new Error(`a webhook body is packed in the unknown format ${format}`);
  const whole = inflated(bytes.subarray(CHECKED_HEAD));
  if (crc32(whole) !== Buffer.from(bytes).readUInt32LE(1))
    throw new Error('a packed webhook body is damaged');
  return whole.toString();
}

function inflated(bytes: Uint8Array): Buffer {
  return inflateRawSync(bytes, { dictionary: DICTIONARY });
}
