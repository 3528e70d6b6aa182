/** Bitcoin, Litecoin and Bitcoin Cash on fake chains. */
import { base58, bech32, bech32m } from '@scure/base';
import type { UtxoFamily } from '../../../domain/catalog/family.ts';
import type { FakeFamily } from '../shared/family.ts';
import { base58Payload, decoded } from '../shared/keys/fake-text.ts';
import { ALPHABET, cashaddrText, decodeCashAddress } from './codec/cashaddr.ts';

const FAKE_WORDS = Array.from('fake', (letter) => ALPHABET.indexOf(letter));
const words5 = (bytes: Uint8Array): number[] => Array.from(bytes, (byte) => byte & 31);

/** Segwit families: lower-case bech32 or bech32m, and base58check with one of `versions`. */
function segwit(hrp: string, versions: readonly number[]): FakeFamily {
  const segwitAddress = (address: string): string | null => {
    const parts = decoded((text) => bech32.decode(text as `${string}1${string}`, 90), address);
    const taproot = decoded((text) => bech32m.decode(text as `${string}1${string}`, 90), address);
    const found = parts ?? taproot;
    if (found === null || found.prefix !== hrp) return null;
    const version = found.words[0];
    if (version === undefined || version > 16 || (version === 0) !== (parts !== null)) return null;
    const program = decoded(
      (words) => bech32.fromWords(words.split(',').map(Number)),
      found.words.slice(1).join(),
    );
    const lengths = version === 0 ? [20, 32] : version === 1 ? [32] : [];
    return program !== null && lengths.includes(program.length) ? address.toLowerCase() : null;
  };
  return {
    address: (entropy) => bech32.encode(hrp, [0, ...FAKE_WORDS, ...words5(entropy.subarray(0, 28))]),
    normalize: (address) => {
      const payload = base58Payload(base58, address);
      if (payload !== null) return payload.length === 21 && versions.includes(payload[0]!) ? address : null;
      return segwitAddress(address);
    },
    capabilities: {},
  };
}

const cashaddr: FakeFamily = {
  address(entropy) {
    const random = words5(entropy.subarray(1, 28));
    return cashaddrText('bitcoincash', [0, entropy[0]! & 3, ...FAKE_WORDS, ...random, entropy[28]! & 28]);
  },
  normalize(address) {
    const body = address.toLowerCase().replace(/^bitcoincash:/, '');
    const isPlain = /^[qp][ac-hj-np-z02-9]{41}$/.test(body);
    return isPlain && decodeCashAddress('bitcoincash', address) !== null ? `bitcoincash:${body}` : null;
  },
  capabilities: {},
};

export const FAKE_UTXO: Readonly<Record<UtxoFamily, FakeFamily>> = {
  bitcoin: segwit('bc', [0x00, 0x05]),
  litecoin: segwit('ltc', [0x30, 0x32]),
  bitcoincash: cashaddr,
};
