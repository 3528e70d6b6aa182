/**
 * A sender on a test network with a funded hot wallet and a signing family that has its key: the
 * stage of the sender's tests.
 */
import { createHash } from 'node:crypto';
import { classicAddress, xAddress } from '../../../src/adapters/chains/xrp/codec/address.ts';
import { xrpSigning } from '../../../src/adapters/chains/xrp/codec/sign.ts';
import { xrpNetwork } from '../../../src/adapters/chains/xrp/network.ts';
import { type XrpSenderOptions, xrpSender } from '../../../src/adapters/chains/xrp/send/sender.ts';
import type {
  ChainSender,
  SendingOrder,
  UnsignedTransaction,
} from '../../../src/ports/sending/chain-sender.ts';
import type { FamilySigning } from '../../../src/ports/sending/family-signing.ts';
import type { SigningOrder } from '../../../src/ports/sending/signer.ts';
import type { ExpiringCase } from '../../contracts/sending/expiring-sender.ts';
import { type ExpiringSteps, expiringSteps } from '../../contracts/sending/expiring-sender-steps.ts';
import { recordingLogger } from '../evm/evm-lab.ts';
import { behindPlan } from '../providers/behind-plan.ts';
import type { Plan } from '../providers/plans.ts';
import { paymentOf } from '../utxo/lone-orders.ts';
import { openXrpLab, type XrpLab } from './lab.ts';

export const PHRASE = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
export const XRP = 1_000_000n;
export const ASSET = 'xrp_xrp';
const UNITS = 1_250_000n;
const network = xrpNetwork('main');

export interface XrpStage {
  readonly lab: XrpLab;
  readonly sender: ChainSender;
  readonly signing: FamilySigning;
  /** Classic address, and normalized. */
  readonly hot: string;
  readonly wallet: string;
  readonly case: ExpiringCase;
  readonly steps: ExpiringSteps;
  open(changes?: Partial<XrpSenderOptions>): ChainSender;
  close(): Promise<void>;
}

/** What the signer is asked, for an order and what the sender wrote. */
export function signingOrderOf(order: SendingOrder, unsigned: UnsignedTransaction): SigningOrder {
  const { payload, validUntil } = unsigned;
  const payment = { ...paymentOf(order), transferId: 'transfer', referenceId: 'payout', toKey: null };
  const meant = { chain: 'xrp', key: { role: 'hot' }, purpose: 'payout' } as const;
  return { ...order, ...meant, payments: [payment], inputs: [], payload, validUntil, replaces: null };
}

export async function openXrpStage(
  options: { nodes?: number; confirmations?: number; plan?: Plan | null } = {},
): Promise<XrpStage> {
  const lab = openXrpLab({ nodes: options.nodes ?? 1 });
  const signing = xrpSigning({ network, mnemonic: async () => PHRASE });
  const wallet = await signing.addressOf({ role: 'hot' });
  const hot = lab.classicOf(wallet);
  lab.account('payer');
  lab.network.fund(hot, 100_000n * XRP);
  lab.network.close(60);
  const opened: ChainSender[] = [];
  let used = 0;

  function open(changes: Partial<XrpSenderOptions> = {}): ChainSender {
    const sender = xrpSender({
      ...{ chain: 'xrp', network, rpc: lab.urls, nativeAsset: ASSET },
      confirmations: options.confirmations ?? 1,
      logger: recordingLogger(),
      timing: { coolDownMs: 1 },
      ...changes,
    });
    opened.push(sender);
    return sender;
  }
  const sender = open(behindPlan(options.plan ?? null));

  const close = async (): Promise<void> => {
    await Promise.all(opened.map((each) => each.close()));
    await lab.close();
  };
  const expiring: ExpiringCase = {
    sender,
    assets: [ASSET],
    units: UNITS,
    wallet,
    poorWallet: xAddress(network, { account: accountNumber(-1), tag: null }),
    freshAddress: () => xAddress(network, { account: accountNumber(used++), tag: null }),
    sign: (order, unsigned) => signing.sign(signingOrderOf(order, unsigned)),
    balanceOf: async (address) => lab.balanceOf(address),
    mine: async (count) => lab.network.close(count),
    finalAfter: options.confirmations ?? 1,
    settle: async () => {
      lab.network.close((options.confirmations ?? 1) - 1);
      lab.network.validate();
    },
    drop: async () => lab.network.drop(),
    pass: async (validUntil) => {
      const missing = Number(validUntil) + 1 - lab.last().index;
      if (missing > 0) lab.network.close(missing, { validate: false });
    },
    outage: async (down) => {
      for (const node of lab.nodes) node.behave({ down });
    },
    close,
  };
  return {
    lab,
    sender,
    signing,
    hot,
    wallet,
    case: expiring,
    steps: expiringSteps(() => expiring),
    open,
    close,
  };
}

/** Classic address of an account that nobody opened. */
export function accountNumber(position: number): string {
  return classicAddress(createHash('sha256').update(`account ${position}`).digest().subarray(0, 20));
}
