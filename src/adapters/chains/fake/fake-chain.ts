/**
 * A whole chain in memory behind the ports ChainScanner and ChainSender, and the controller that
 * pays, mines and misbehaves on it. For tests, journeys and `CHAINS=fake`. Nothing on it is worth
 * anything.
 */
import { UTXO_FAMILIES } from '../../../domain/catalog/family.ts';
import type { ChainScanner } from '../../../ports/chains/chain-scanner.ts';
import type { ChangeAddresses } from '../../../ports/chains/change-addresses.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import type { ChainSender } from '../../../ports/sending/chain-sender.ts';
import { utxoNetwork } from '../utxo/network.ts';
import { type ChainState, chainState } from './chain-state.ts';
import { fakeCapabilities } from './fake-capabilities.ts';
import { chainControl, type FakeChainControl, type FakeNode } from './fake-control.ts';
import { fakeDeriver } from './fake-deriver.ts';
import { fakeEntropy, fakeFamily } from './fake-family.ts';
import { bring, type FakeMiner, type FakePayment } from './fake-mining.ts';
import { fakeMoney } from './fake-money.ts';
import type { FakeRules } from './fake-rules.ts';
import { fakeScanner } from './fake-scanner.ts';
import { type BroadcastFault, fakeSender } from './fake-sender.ts';
import { type FakeUtxoSender, fakeUtxoSender } from './fake-utxo-sender.ts';
import { fakeUtxos } from './fake-utxos.ts';

export interface FakeChain {
  readonly scanner: ChainScanner;
  readonly sender: ChainSender;
  readonly control: FakeChainControl;
  /** The same chain as other nodes show it, whatever `control` does to its own. */
  seenBy(nodes: OtherNodes): Pick<FakeChain, 'scanner' | 'sender'>;
}

export interface OtherNodes {
  /** Newest blocks that they lack now. */
  missing(): number;
  /** Whether they do not agree on any block now. */
  disagreeing(): boolean;
}

interface FakeChainOptions {
  readonly chain: string;
  readonly family: string;
  /** The first is the chain's own coin. */
  readonly assets: readonly { asset: string; decimals: number }[];
  readonly clock: Clock;
  /** A block is final with so many blocks, its own included. */
  readonly confirmations: number;
  /** Where change of our own transactions goes on a UTXO chain. Default: fake addresses. */
  readonly change?: ChangeAddresses;
  /** Whether the scanner leaves out blocks that hold nothing. Default false. */
  readonly sparse?: boolean;
}

/** The chain as scanner and sender ask it. */
interface FakeChainView {
  readonly chain: string;
  readonly confirmations: number;
  readonly state: ChainState;
  readonly failing: () => boolean;
  readonly missing: () => number;
  readonly disagreeing: () => boolean;
  readonly broadcastFault: () => BroadcastFault | null;
  readonly addressOf: (text: string) => string;
}

/** What a chain does with money, and how it is sent there. `read` is of UTXO chains. */
interface FakeChainMoney {
  readonly rules: FakeRules;
  senderOf(asked: FakeChainView): ChainSender;
  readonly read: FakeUtxoSender['read'] | null;
  /** Whether the chain counts a wallet's transactions. */
  readonly counted: boolean;
}

export function fakeChain(options: FakeChainOptions): FakeChain {
  const { chain, family, clock, confirmations, sparse = false } = options;
  const node: FakeNode = {
    fixedTime: null,
    failing: false,
    disagreeing: false,
    missing: 0,
    broadcastFault: null,
  };
  const timeSeconds = () => node.fixedTime ?? Math.floor(clock.now().getTime() / 1000);
  const state = chainState({ chain, timeSeconds });
  const addressOf = addressReader(family);
  const asked: FakeChainView = {
    chain,
    confirmations,
    state,
    failing: () => node.failing,
    missing: () => node.missing,
    disagreeing: () => node.disagreeing,
    broadcastFault: () => node.broadcastFault,
    addressOf,
  };
  const money = openMoney(options, asked, (payment) => bring(miner, payment));
  const { rules, senderOf, read, counted } = money;
  const payerAddress = read === null ? fakeFamily(family).address(fakeEntropy(family, -1)) : null;
  const miner: FakeMiner = { chain, state, rules, addressOf, payerAddress, arrivals: [], reowned: [] };
  const nodesOf = (view: FakeChainView): Pick<FakeChain, 'scanner' | 'sender'> => ({
    scanner: fakeScanner({ ...view, counted, sparse }),
    sender: senderOf(view),
  });
  return {
    ...nodesOf(asked),
    control: chainControl(miner, node, read),
    seenBy: ({ missing, disagreeing }) => nodesOf({ ...asked, missing, disagreeing }),
  };
}

function addressReader(family: string): (text: string) => string {
  const { normalize } = fakeFamily(family);
  return (text) => {
    const address = normalize(text);
    if (address === null) throw new Error(`not an address of the family ${family}: ${text}`);
    return address;
  };
}

/** `bringing` has a block of its own bring a payment from outside. */
function openMoney(
  { family, assets, change }: FakeChainOptions,
  asked: FakeChainView,
  bringing: (payment: FakePayment) => void,
): FakeChainMoney {
  const { chain, state, addressOf } = asked;
  const coinFamily = UTXO_FAMILIES.find((one) => one === family);
  if (coinFamily === undefined) {
    const capabilities = fakeCapabilities(family);
    const counted = capabilities.nonces === 'counted';
    const money = fakeMoney({ chain, assets, addressOf, tipHeight: () => state.tip().height, counted });
    const senderOf = (view: FakeChainView) => fakeSender({ ...view, capabilities, money });
    return { rules: money, senderOf, read: null, counted };
  }
  const utxos = fakeUtxos({ chain, asset: assets[0]!.asset, addressOf, state, bring: bringing });
  const network = utxoNetwork(coinFamily, 'main');
  const sending = { network, utxos, change: change ?? fakeDeriver({ family }) };
  const { read } = fakeUtxoSender({ ...asked, ...sending });
  const senderOf = (view: FakeChainView) => fakeUtxoSender({ ...view, ...sending }).sender;
  return { rules: utxos, senderOf, read, counted: false };
}
