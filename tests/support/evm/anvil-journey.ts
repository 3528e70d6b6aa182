/**
 * Journeys on a real EVM node: the composed service reading anvil, a merchant, and customers who
 * pay by real transactions. The service's clock goes with the chain's, so that time-outs are moved,
 * not waited for.
 */
import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { type MerchantJourney, merchantJourney } from '../merchant-journey.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { type Json, startTestService, type TestService } from '../test-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { type EvmLab, type LogLine, openEvmLab, recordingLogger } from './evm-lab.ts';

/** A block is final with this many, its own included. */
export const CONFIRMATIONS = 4;

export interface ServiceOnAnvil extends MerchantJourney {
  readonly it: TestService;
  /** Log lines of the service. */
  readonly lines: readonly LogLine[];
}

export interface AnvilJourney extends ServiceOnAnvil {
  readonly lab: EvmLab;
  readonly clock: TestClock;
  /**
   * Another service with a database and a merchant of its own on the same chain; stopped at the
   * end.
   */
  open(file: Json, env?: Record<string, string>): Promise<ServiceOnAnvil>;
  payUsdt(to: string, amount: string): Promise<string>;
  payEth(to: string, amount: string): Promise<string>;
  /** What an invoice asks for, in its asset's base units. */
  due(invoice: Json): bigint;
  /** Pays exactly what the invoice asks for. */
  pay(invoice: Json): Promise<string>;
  /** Mines, a second per block, and takes the clock along. */
  mine(count?: number): Promise<void>;
  /** Mines one block with this time; the clock must not be past it. */
  mineAt(unixSeconds: number): Promise<void>;
  reorg(depth: number, transactions?: readonly (readonly [string, number])[]): Promise<void>;
  /** The signed transaction, for bringing it back in a reorganisation. */
  raw(txid: string): Promise<string>;
  /** Mines until what waits is final, and lets the service see it. */
  mineToFinality(): Promise<void>;
}

const CHAIN = { chain_id: 31_337, confirmations: CONFIRMATIONS };

/**
 * Registers the hooks that start and stop everything around the tests of the describe block it is
 * called in; each test has a merchant of its own. `file`: more of the configuration.
 */
export function stageAnvilJourney(file: Json = {}): AnvilJourney {
  let lab: EvmLab;
  let receiver: WebhookReceiver;
  let main: { it: TestService; lines: readonly LogLine[] };
  let current: MerchantJourney;
  const clock = testClock();
  const opened: TestService[] = [];

  async function start(
    file: Json,
    env: Record<string, string> = {},
  ): Promise<{ it: TestService; lines: readonly LogLine[] }> {
    const logger = recordingLogger();
    const it = await startTestService({ file, env, overrides: { clock, logger } });
    opened.push(it);
    await it.settle();
    return { it, lines: logger.lines };
  }

  async function tipTime(): Promise<number> {
    const tip = await lab.anvil.rpc<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false]);
    return Number(tip.timestamp);
  }
  /** The clock may be ahead of the chain, never behind it. */
  async function followChain(): Promise<void> {
    clock.advance(Math.max(0, (await tipTime()) - clock.now().getTime() / 1000));
  }

  beforeAll(async () => {
    [lab, receiver] = [await openEvmLab(), startWebhookReceiver()];
    // No reorganisation of a test may reach the contracts.
    await lab.mine(30);
    await followChain();
    const { url } = lab.anvil;
    main = await start({
      ...file,
      chains: { ethereum: { rpc: [{ url, stream: url.replace('http', 'ws') }], ...CHAIN } },
      assets: {
        usdt_ethereum: { contract: lab.contracts.tether },
        usdc_ethereum: { contract: lab.contracts.usdc },
      },
    });
  });
  beforeEach(async () => {
    current = await merchantJourney(main.it, receiver);
  });
  afterAll(async () => {
    for (const it of opened) await it.stop();
    await receiver.stop();
    await lab.anvil.stop();
  });

  const journey: Omit<AnvilJourney, keyof ServiceOnAnvil | 'lab' | 'clock'> = {
    async open(file, env) {
      const started = await start(file, env);
      return { ...started, ...(await merchantJourney(started.it, receiver)) };
    },
    payUsdt: (to, amount) =>
      lab.send({
        to: lab.contracts.tether,
        data: lab.call('TetherLikeToken', 'transfer', [to, unitsOf(amount, 6)]),
      }),
    payEth: (to, amount) => lab.send({ to, value: unitsOf(amount, 18) }),
    due: (invoice) => unitsOf(String(invoice.amount), invoice.type === 'native' ? 18 : 6),
    pay: (invoice) =>
      invoice.type === 'native'
        ? journey.payEth(invoice.address_to, String(invoice.amount))
        : journey.payUsdt(invoice.address_to, String(invoice.amount)),
    async mine(count = 1) {
      clock.advance(count);
      const first = Math.max((await tipTime()) + 1, Math.floor(clock.now().getTime() / 1000) - count + 1);
      await lab.anvil.rpc('evm_setNextBlockTimestamp', [first]);
      await lab.anvil.rpc('anvil_mine', [`0x${count.toString(16)}`, '0x1']);
      await followChain();
    },
    async mineAt(unixSeconds) {
      await lab.anvil.rpc('evm_setNextBlockTimestamp', [unixSeconds]);
      await lab.mine();
      await followChain();
    },
    async reorg(depth, transactions = []) {
      await lab.reorg(depth, transactions);
      await followChain();
    },
    raw: (txid) => lab.anvil.rpc<string>('eth_getRawTransactionByHash', [txid]),
    async mineToFinality() {
      await journey.mine(CONFIRMATIONS);
      await main.it.settle();
    },
  };
  return {
    ...journey,
    get lab() {
      return lab;
    },
    clock,
    get it() {
      return main.it;
    },
    get lines() {
      return main.lines;
    },
    get merchant() {
      return current.merchant;
    },
    create: (body) => current.create(body),
    read: (id) => current.read(id),
    balance: () => current.balance(),
    ledger: () => current.ledger(),
    payout: (usd) => current.payout(usd),
    statusesSent: (id) => current.statusesSent(id),
    depositsTo: (address) => current.depositsTo(address),
    booksAreRight: () => current.booksAreRight(),
  };
}
