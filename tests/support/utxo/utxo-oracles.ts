/**
 * Second opinions on addresses: bitcoinjs-lib with bip32 for Bitcoin and Litecoin, libauth for
 * Bitcoin Cash.
 */
import { assertSuccess, cashAddressToLockingBytecode, lockingBytecodeToCashAddress } from '@bitauth/libauth';
import * as secp256k1 from '@bitcoinerlab/secp256k1';
import { BIP32Factory, type BIP32Interface } from 'bip32';
import { address, crypto, initEccLib, type Network, networks, payments } from 'bitcoinjs-lib';
import type { NetworkName, UtxoFamily } from '../../../src/domain/catalog/family.ts';

initEccLib(secp256k1);
export const bip32 = BIP32Factory(secp256k1);
export const { isXOnlyPoint } = secp256k1;

type BitcoinLike = Exclude<UtxoFamily, 'bitcoincash'>;

const litecoin = (bech32: string, pubKeyHash: number, scriptHash: number): Network => ({
  ...networks.bitcoin,
  bech32,
  pubKeyHash,
  scriptHash,
});

const BITCOIN_LIKE: Readonly<Record<BitcoinLike, Readonly<Record<NetworkName, Network>>>> = {
  bitcoin: { main: networks.bitcoin, test: networks.testnet, regtest: networks.regtest },
  litecoin: {
    main: litecoin('ltc', 0x30, 0x32),
    test: litecoin('tltc', 0x6f, 0x3a),
    regtest: litecoin('rltc', 0x6f, 0x3a),
  },
};
const CASH_PREFIX = { main: 'bitcoincash', test: 'bchtest', regtest: 'bchreg' } as const;

export interface AddressOracle {
  addressOf(script: Uint8Array): string;
  /** Throws where it is none. */
  scriptOf(text: string): Uint8Array;
  /** The deposit address that wallets of the family make of a key. */
  depositAddress(key: BIP32Interface): string;
}

export function addressOracle(family: UtxoFamily, name: NetworkName): AddressOracle {
  if (family === 'bitcoincash') {
    const prefix = CASH_PREFIX[name];
    const addressOf = (bytecode: Uint8Array) =>
      assertSuccess(lockingBytecodeToCashAddress({ bytecode, prefix })).address;
    return {
      addressOf,
      scriptOf: (text) => assertSuccess(cashAddressToLockingBytecode(text)).bytecode,
      depositAddress: (key) => addressOf(payments.p2pkh({ pubkey: key.publicKey }).output!),
    };
  }
  const network = BITCOIN_LIKE[family][name];
  return {
    addressOf: (script) => address.fromOutputScript(script, network),
    scriptOf: (text) => address.toOutputScript(text, network),
    depositAddress: (key) => payments.p2wpkh({ hash: crypto.hash160(key.publicKey), network }).address!,
  };
}
