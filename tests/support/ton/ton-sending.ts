/** A sender on a TON laboratory with keys of its own, and the signatures of their signer. */

import { tonSigning } from '../../../src/adapters/chains/ton/codec/sign.ts';
import { tonNetwork } from '../../../src/adapters/chains/ton/network.ts';
import { type TonSenderOptions, tonSender } from '../../../src/adapters/chains/ton/send/sender.ts';
import { publicKeysOf } from '../../../src/adapters/signer/keystore.ts';
import type { SendingOrder, UnsignedTransaction } from '../../../src/ports/sending/chain-sender.ts';
import type { SigningOrder, WalletKey } from '../../../src/ports/sending/signer.ts';
import { recordingLogger } from '../evm/evm-lab.ts';
import { NATIVE, openTonLab, TON, type TonLab, USDT } from './ton-lab.ts';

export const PHRASE = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
export const tonSigner = tonSigning({ network: tonNetwork('main'), mnemonic: async () => PHRASE });

export interface SendingLab {
  readonly lab: TonLab;
  sender(changes?: Partial<TonSenderOptions>): ReturnType<typeof tonSender>;
  /** As the signer would: checked, then signed. */
  sign(
    order: SendingOrder,
    unsigned: UnsignedTransaction,
    key?: WalletKey,
  ): Promise<{ raw: string; txid: string }>;
  signingOrder(order: SendingOrder, unsigned: UnsignedTransaction, key?: WalletKey): SigningOrder;
  terms(asset: string): { chainId: null; contract: string | null; decimals: number };
}

export async function openSendingLab(): Promise<SendingLab> {
  const { publicKey } = (await publicKeysOf(PHRASE)).ton;
  const lab = await openTonLab({ publicKey });
  const terms: SendingLab['terms'] = (asset) => ({
    chainId: null,
    contract: asset === USDT ? lab.jetton.minter.toString() : null,
    decimals: asset === USDT ? 6 : 9,
  });
  const signingOrder: SendingLab['signingOrder'] = (
    order,
    { payload, validUntil },
    key = { role: 'hot' },
  ) => ({
    ...order,
    ...{ chain: 'ton', key, payload, validUntil, replaces: null },
    purpose: key.role === 'hot' ? 'payout' : 'sweep',
    payments: order.payments.map((payment, position) => ({
      ...payment,
      ...{ transferId: `transfer ${position}`, referenceId: `payout ${position}`, toKey: null },
    })),
  });
  return {
    lab,
    terms,
    signingOrder,
    sender: (changes = {}) =>
      tonSender({
        chain: 'ton',
        network: lab.network,
        rpc: [lab.server.url],
        publicKey,
        nativeAsset: NATIVE,
        jettons: [{ asset: USDT, contract: lab.jetton.minter.toString(), decimals: 6 }],
        confirmations: 1,
        clock: { now: () => new Date(lab.chain.tip.time * 1000) },
        logger: recordingLogger(),
        timing: { coolDownMs: 1 },
        ...changes,
      }),
    sign: async (order, unsigned, key) => {
      const given = signingOrder(order, unsigned, key);
      const { maxFeeUnits } = await tonSigner.check(given, terms(order.asset));
      if (maxFeeUnits !== unsigned.maxFeeUnits) throw new Error('signer and sender reckon different fees');
      return tonSigner.sign(given);
    },
  };
}

/** Coins and jettons for thousands of payments. */
export async function fundHotWallet({ lab }: SendingLab): Promise<void> {
  lab.pay({ to: lab.hotWallet, units: 5_000n * TON });
  lab.payJetton({ to: lab.hotWallet, units: 10n ** 15n });
  await lab.chain.settle();
}
