/**
 * A sender on anvil with two funded tokens, a hot wallet, and a proxy in front of the node: the
 * stage of the sender's tests.
 */
import { type EvmSenderOptions, evmSender } from '../../../src/adapters/chains/evm/send/sender.ts';
import { readSigned } from '../../../src/adapters/chains/evm/send/transaction.ts';
import type { ChainSender, SendingOrder } from '../../../src/ports/sending/chain-sender.ts';
import type { WalletKey } from '../../../src/ports/sending/signer.ts';
import type { SenderCase } from '../../contracts/sending/chain-sender-steps.ts';
import { type RpcProxy, startRpcProxy } from '../chains/rpc-proxy.ts';
import { type Change, changed, sendingOrder } from '../utxo/lone-orders.ts';
import { type EvmKeys, evmKeys } from './evm-keys.ts';
import { type EvmLab, openEvmLab, recordingLogger } from './evm-lab.ts';

const PHRASE = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const HOT = { role: 'hot' } as const;
/** The other wallet: that of a deposit address. */
export const DEPOSIT = { role: 'deposit', index: 7 } as const;
export const NATIVE = 'eth_ethereum';
const ETHER = 10n ** 18n;

export interface SignedBytes {
  readonly raw: string;
  readonly txid: string;
  readonly voids: boolean;
  readonly maxFeeUnits: bigint;
}

export interface SendingStage {
  readonly lab: EvmLab;
  readonly proxy: RpcProxy;
  readonly keys: EvmKeys;
  /** The hot wallet, lower case: 1,000 coins, and a million whole ones of each token. */
  readonly wallet: string;
  /**
   * `usdc_ethereum` reverts for the blacklisted, `usdt_ethereum` can be told to fail silently or to
   * take a fee.
   */
  readonly contracts: Readonly<Record<'usdc' | 'usdt', string>>;
  open(changes?: Partial<EvmSenderOptions>): ChainSender;
  /** `units` of `asset` to a fresh address, with the hot wallet's next nonce. */
  orderOf(changes?: Change<SendingOrder>): Promise<SendingOrder>;
  /** Prepared by `sender` and signed, ready for `broadcast` and `outcome`. */
  signed(sender: ChainSender, order: SendingOrder, replaces?: { raw: string }): Promise<SignedBytes>;
  /** The stage as the contract suite wants it, with a sender of its own. */
  senderCase(confirmations: number, changes?: Partial<EvmSenderOptions>): Promise<SenderCase>;
  stop(): Promise<void>;
}

export async function openSendingStage(options: { hardfork?: 'berlin' } = {}): Promise<SendingStage> {
  const lab = await openEvmLab(options);
  const proxy = await startRpcProxy(lab.anvil.url);
  const keys = evmKeys(PHRASE);
  const wallet = keys.address(HOT);
  const keyOf = (address: string): WalletKey => (address === wallet ? HOT : DEPOSIT);
  const supply = 10n ** 30n;
  const usdc = await lab.deployed('BlacklistingToken', [supply]);
  const usdt = await lab.deployed('TetherLikeToken', [supply]);
  const contracts = { usdc, usdt };
  const contractOf = (asset: string): string | null =>
    asset === NATIVE ? null : contracts[asset === 'usdc_ethereum' ? 'usdc' : 'usdt'];
  const opened: ChainSender[] = [];

  async function fund(address: string, asset: string, units: bigint): Promise<void> {
    const to = contractOf(asset);
    if (to === null) await lab.send({ to: address, value: units });
    else await lab.send({ to, data: lab.call('TetherLikeToken', 'transfer', [address, units]) });
    await lab.mine();
  }

  async function balanceOf(address: string, asset: string): Promise<bigint> {
    const to = contractOf(asset);
    if (to === null) return BigInt(await lab.anvil.rpc<string>('eth_getBalance', [address, 'latest']));
    const data = lab.call('TetherLikeToken', 'balanceOf', [address]);
    return BigInt(await lab.anvil.rpc<string>('eth_call', [{ to, data }, 'latest']));
  }

  function open(changes: Partial<EvmSenderOptions> = {}): ChainSender {
    const sender = evmSender({
      chain: 'ethereum',
      chainId: lab.anvil.chainId,
      rpc: [proxy.url],
      finality: { confirmations: 3 },
      nativeAsset: NATIVE,
      tokens: [
        { asset: 'usdc_ethereum', contract: usdc, decimals: 6 },
        { asset: 'usdt_ethereum', contract: usdt, decimals: 6 },
      ],
      logger: recordingLogger(),
      timing: { coolDownMs: 1, finalityMs: 0 },
      ...changes,
    });
    opened.push(sender);
    return sender;
  }

  for (const asset of [NATIVE, 'usdc_ethereum', 'usdt_ethereum'])
    await fund(wallet, asset, asset === NATIVE ? 1_000n * ETHER : 10n ** 12n);

  return {
    lab,
    proxy,
    keys,
    wallet,
    contracts,
    open,
    orderOf: async (changes = {}) => {
      const order = sendingOrder({
        wallet,
        nonce: BigInt(await lab.anvil.rpc<string>('eth_getTransactionCount', [wallet, 'latest'])),
        asset: NATIVE,
        to: lab.freshAddress(),
        units: 12_345n,
        voids: false,
      });
      return changed(order, changes);
    },
    signed: async (sender, order, replaces) => {
      const { payload, maxFeeUnits } = await sender.prepare(order, replaces ?? null);
      return { ...keys.sign(keyOf(order.wallet), payload), voids: order.voids, maxFeeUnits };
    },
    senderCase: async (confirmations, changes) => ({
      sender: open(changes),
      confirmations,
      token: 'usdc_ethereum',
      silentToken: {
        asset: 'usdt_ethereum',
        fail: async (on) => {
          await lab.send({ to: usdt, data: lab.call('TetherLikeToken', 'setFailing', [on]) });
          await lab.mine();
        },
      },
      wallet,
      poorWallet: keys.address(DEPOSIT),
      payableContract: await lab.deployed('Till'),
      unpayableContract: usdc,
      freshAddress: () => lab.freshAddress(),
      sign: async (order, { payload }) => keys.sign(keyOf(order.wallet), payload),
      feesOf: (raw) => {
        const { fees } = readSigned(raw)!;
        return fees.kind === 'legacy' ? [fees.gasPrice] : [fees.maxFeePerGas, fees.maxPriorityFeePerGas];
      },
      fund,
      balanceOf,
      refuseTokensTo: async (address, on) => {
        await lab.send({ to: usdc, data: lab.call('BlacklistingToken', 'refuse', [address, on]) });
        await lab.mine();
      },
      mine: async (count) => {
        await lab.mine(count);
      },
      reorg: (depth) => lab.reorg(depth),
      outage: async (on) => proxy.behave({ drop: on }),
      close: async () => {},
    }),
    stop: async () => {
      await Promise.all(opened.map((sender) => sender.close()));
      await proxy.stop();
      await lab.anvil.stop();
    },
  };
}
