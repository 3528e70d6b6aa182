/**
 * A sender of UTXOs on a real regtest node, with keys of our own: the stage of its contract and of
 * what is special to a chain.
 */

import { scriptOf } from '../../../src/adapters/chains/utxo/codec/address.ts';
import { decodeBlock } from '../../../src/adapters/chains/utxo/codec/raw-block.ts';
import { utxoDeriver } from '../../../src/adapters/chains/utxo/deriver.ts';
import { type UtxoSenderOptions, utxoSender } from '../../../src/adapters/chains/utxo/send/sender.ts';
import { utxoSigning } from '../../../src/adapters/chains/utxo/send/sign.ts';
import { publicKeysOf } from '../../../src/adapters/signer/keystore.ts';
import type {
  ChainSender,
  SendingOrder,
  UnsignedTransaction,
} from '../../../src/ports/sending/chain-sender.ts';
import type { Utxo } from '../../../src/ports/sending/utxo-spending.ts';
import type { CoinSenderCase } from '../../contracts/sending/utxo-sender-steps.ts';
import { recordingLogger } from '../evm/evm-lab.ts';
import type { RegtestNode } from '../nodes/regtest.ts';
import type { UtxoChain } from './utxo-nodes.ts';
import { PHRASE } from './utxo-orders.ts';

export interface CoinStage {
  readonly wallet: string;
  open(source: UtxoSenderOptions['source'], changes?: Partial<UtxoSenderOptions>): ChainSender;
  fund(units: readonly bigint[]): Promise<readonly Utxo[]>;
  sign(order: SendingOrder, unsigned: UnsignedTransaction): Promise<{ raw: string; txid: string }>;
  received(address: string): Promise<bigint>;
  senderCase(sender: ChainSender, outage: (on: boolean) => void): CoinSenderCase;
}

export async function coinStage(chain: UtxoChain, node: RegtestNode): Promise<CoinStage> {
  const { network } = node;
  const { xpub: accountXpub } = (await publicKeysOf(PHRASE))[chain.family];
  const deriver = utxoDeriver({ network, accountXpub });
  const signing = utxoSigning({ network, mnemonic: async () => PHRASE });
  const wallet = deriver.hotWallet() ?? '';
  let derived = 0;

  const fund: CoinStage['fund'] = async (units) => {
    const from = derived;
    derived += units.length;
    const addresses = deriver.derive({ from, count: units.length });
    const paid = addresses.map((address, place) => ({ to: address, units: units[place]! }));
    const { txid } = await node.pay(paid);
    await node.mine();
    return paid.map(({ to, units: each }, vout) => ({
      txid,
      vout,
      address: to,
      key: { role: 'deposit', index: from + vout },
      units: each,
    }));
  };

  const sign: CoinStage['sign'] = async (order, { payload, maxFeeUnits }) => {
    const payments = order.payments.map((payment, index) => ({
      ...payment,
      transferId: `transfer-${index}`,
      referenceId: `payout-${index}`,
      toKey: null,
    }));
    const key = { role: 'hot' } as const;
    const signingOrder = {
      ...order,
      chain: chain.family,
      key,
      purpose: 'payout',
      payments,
      validUntil: null,
      replaces: null,
      payload,
    } as const;
    const checked = await signing.check(signingOrder, { chainId: null, contract: null, decimals: 8 });
    if (checked.maxFeeUnits !== maxFeeUnits) throw new Error('signer and sender reckon different fees');
    return signing.sign(signingOrder);
  };

  /** By the blocks' bytes, newest first and down to the first one of the test. */
  const received: CoinStage['received'] = async (address) => {
    const script = scriptOf(network, address)!;
    let units = 0n;
    for (let height = await node.height(); height >= firstHeight; height--) {
      const hash = await node.rpc<string>('getblockhash', height);
      const hex = await node.rpc<string>('getblock', hash, false);
      for (const { outputs } of decodeBlock(network, Buffer.from(hex, 'hex')).transactions)
        for (const output of outputs) if (Buffer.compare(output.script, script) === 0) units += output.units;
    }
    return units;
  };
  const firstHeight = await node.height();

  return {
    wallet,
    fund,
    sign,
    received,
    open: (source, changes = {}) =>
      utxoSender({
        chain: chain.family,
        network,
        source,
        nativeAsset: chain.asset,
        confirmations: chain.confirmations,
        change: deriver,
        logger: recordingLogger(),
        timing: { coolDownMs: 1, quietMs: 0, restMs: 0 },
        // litecoind replaces when it is told to, as the tests' node is
        replaceable: chain.family !== 'bitcoincash',
        ...changes,
      }),
    senderCase: (sender, outage) => ({
      sender,
      confirmations: chain.confirmations,
      relaysDust: chain.family === 'bitcoincash',
      wallet,
      freshAddress: () => node.freshAddress(),
      fund,
      sign,
      received,
      mine: async (count) => {
        await node.mine(count);
      },
      mineOnly: async (raws) => {
        await node.mineOnly(raws);
      },
      reorg: (depth) => node.reorg(depth),
      waiting: () => node.rpc<string[]>('getrawmempool'),
      outage: async (on) => outage(on),
      close: () => sender.close(),
    }),
  };
}
