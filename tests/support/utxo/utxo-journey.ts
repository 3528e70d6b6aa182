/**
 * Journeys on real nodes of Bitcoin, Litecoin and Bitcoin Cash: the composed service reading one, a
 * merchant, and customers who pay by real transactions. The service's clock goes with the chain's.
 */
import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { recordingLogger } from '../evm/evm-lab.ts';
import { type MerchantJourney, merchantJourney } from '../merchant-journey.ts';
import { type ElectrumServer, startElectrumServer } from '../nodes/electrum-server.ts';
import { type EsploraServer, startEsploraServer } from '../nodes/esplora-server.ts';
import type { RegtestNode, Signed } from '../nodes/regtest.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { type Json, type MoreSettings, startTestService, type TestService } from '../test-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import type { UtxoChain } from './utxo-nodes.ts';

/** A block is final with this many, its own included. */
export const CONFIRMATIONS = 3;

export interface UtxoJourney extends MerchantJourney {
  readonly it: TestService;
  readonly node: RegtestNode;
  readonly clock: TestClock;
  readonly receiver: WebhookReceiver;
  /** What an invoice asks for, in base units. */
  due(invoice: Json): bigint;
  /**
   * Pays `units` (default: what the invoice asks for) to the invoice's address, into the mempool.
   */
  pay(invoice: Json, units?: bigint): Promise<Signed>;
  /** Runs the jobs, the clock being no earlier than the chain's last block. */
  settle(): Promise<void>;
  /** Mines until what waits is final, and lets the service see it. */
  mineToFinality(): Promise<void>;
}

/**
 * Registers the hooks around the tests of the describe block it is called in; each test has a
 * merchant of its own.
 */
export function stageUtxoJourney(
  chain: UtxoChain,
  over: 'rpc' | 'esplora' | 'electrum' = 'rpc',
  more: MoreSettings = {},
): UtxoJourney {
  let node: RegtestNode;
  let server: EsploraServer | null = null;
  let electrum: ElectrumServer | null = null;
  let receiver: WebhookReceiver;
  let it: TestService;
  let current: MerchantJourney;
  let clock: TestClock;

  async function tipTime(): Promise<number> {
    const hash = await node.rpc<string>('getbestblockhash');
    return (await node.rpc<{ time: number }>('getblockheader', hash, true)).time;
  }
  async function settle(): Promise<void> {
    clock.advance(Math.max(0, (await tipTime()) - clock.now().getTime() / 1000));
    await electrum?.push();
    await it.settle();
  }

  beforeAll(async () => {
    node = await chain.start();
    // No reorganisation of a test may reach the UTXOs that it pays with.
    await node.mine(10);
    receiver = startWebhookReceiver();
    clock = testClock(new Date((await tipTime()) * 1000));
    server = over === 'esplora' ? await startEsploraServer(node) : null;
    electrum = over === 'electrum' ? await startElectrumServer(node) : null;
    const source =
      electrum !== null
        ? { electrum: [electrum.url] }
        : server === null
          ? { rpc: [node.url] }
          : { esplora: [server.url] };
    it = await startTestService({
      file: {
        chains: { [chain.family]: { ...source, network: 'regtest', confirmations: CONFIRMATIONS } },
        ...more.file,
      },
      env: more.env ?? {},
      overrides: { clock, logger: recordingLogger() },
    });
    await settle();
  });
  beforeEach(async () => {
    current = await merchantJourney(it, receiver);
  });
  afterAll(async () => {
    await it.stop();
    await receiver.stop();
    await server?.stop();
    await electrum?.stop();
    await node.stop();
  });

  const journey: Pick<UtxoJourney, 'due' | 'pay' | 'settle' | 'mineToFinality' | 'create'> = {
    create: (body) => current.create({ asset: chain.asset, ...body }),
    due: (invoice) => unitsOf(String(invoice.amount), 8),
    pay: (invoice, units = journey.due(invoice)) => node.pay([{ to: invoice.address_to, units }]),
    settle,
    async mineToFinality() {
      await node.mine(CONFIRMATIONS);
      await settle();
    },
  };
  return {
    ...journey,
    get it() {
      return it;
    },
    get node() {
      return node;
    },
    get clock() {
      return clock;
    },
    get receiver() {
      return receiver;
    },
    get merchant() {
      return current.merchant;
    },
    read: (id) => current.read(id),
    balance: () => current.balance(),
    ledger: () => current.ledger(),
    payout: (usd) => current.payout(usd),
    statusesSent: (id) => current.statusesSent(id),
    depositsTo: (address) => current.depositsTo(address),
    booksAreRight: () => current.booksAreRight(),
  };
}
