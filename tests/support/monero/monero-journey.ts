/**
 * Journeys on a real Monero chain: the composed service reading monerod and monero-wallet-rpc in
 * regtest, a merchant, and a customer with a wallet. The service's clock goes with the chain's.
 */
import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { type LogLine, recordingLogger } from '../evm/evm-lab.ts';
import { type MerchantJourney, merchantJourney } from '../merchant-journey.ts';
import { testClock } from '../runtime/test-clock.ts';
import { type Json, startTestService, type TestService } from '../test-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { MERCHANT, type MoneroLab, OPENING_MS, openMoneroLab } from './monero-lab.ts';

/** Fewer than usual: each block costs a tenth of a second of a processor. */
export const CONFIRMATIONS = 4;

export interface MoneroJourney extends MerchantJourney {
  readonly it: TestService;
  readonly lab: MoneroLab;
  readonly lines: readonly LogLine[];
  /** What an invoice asks for, in atomic units. */
  due(invoice: Json): bigint;
  /** Pays exactly what the invoice asks for. */
  pay(invoice: Json): Promise<string>;
  /** Mines, takes the clock along, and lets the service see it. */
  mined(count: number): Promise<void>;
  /** Lets the service see what happened. */
  seen(): Promise<void>;
}

/**
 * Registers the hooks that start and stop everything around the tests of the describe block it is
 * called in; each test has a merchant of its own.
 */
export function stageMoneroJourney(): MoneroJourney {
  let lab: MoneroLab;
  let receiver: WebhookReceiver;
  let it: TestService;
  let current: MerchantJourney;
  const logger = recordingLogger();
  const clock = testClock();

  /** The clock may be ahead of the chain, never behind it. */
  async function seen(): Promise<void> {
    const { block_header } = await lab.daemon.call('get_last_block_header');
    clock.advance(Math.max(0, block_header.timestamp - clock.now().getTime() / 1000));
    await it.settle();
  }

  beforeAll(async () => {
    [lab, receiver] = [await openMoneroLab({ pays: true }), startWebhookReceiver()];
    const monero = {
      rpc: [lab.daemon.url],
      wallet_rpc: lab.wallet.url,
      primary_address: MERCHANT.primaryAddress,
      view_key: MERCHANT.viewKey,
      network: 'regtest',
      confirmations: CONFIRMATIONS,
    };
    it = await startTestService({ file: { chains: { monero } }, overrides: { clock, logger } });
    // The chain may have been kept for hours: its next block, in any test, would end every invoice
    // before.
    await lab.mine(1);
    await seen();
  }, OPENING_MS);
  beforeEach(async () => {
    current = await merchantJourney(it, receiver);
  });
  afterAll(async () => {
    await it.stop();
    await receiver.stop();
    await lab.stop();
  });

  const journey: Pick<MoneroJourney, 'due' | 'pay' | 'mined' | 'seen'> = {
    due: (invoice) => unitsOf(String(invoice.amount), 12),
    pay: async (invoice) => (await lab.pay(invoice.address_to, journey.due(invoice))).txid,
    async mined(count) {
      await lab.mine(count);
      await seen();
    },
    seen,
  };
  return {
    ...journey,
    get it() {
      return it;
    },
    get lab() {
      return lab;
    },
    get merchant() {
      return current.merchant;
    },
    lines: logger.lines,
    create: (body) => current.create({ asset: 'xmr', ...body }),
    read: (id) => current.read(id),
    balance: () => current.balance(),
    ledger: () => current.ledger(),
    payout: (usd) => current.payout(usd),
    statusesSent: (id) => current.statusesSent(id),
    depositsTo: (address) => current.depositsTo(address),
    booksAreRight: () => current.booksAreRight(),
  };
}
