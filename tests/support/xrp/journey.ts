/**
 * Journeys on a test network of the XRP Ledger: the composed service reading one of its nodes, a
 * merchant, and customers who pay with and without a tag. The service's clock goes with the
 * ledger's.
 */
import { afterAll, beforeAll, beforeEach, expect } from 'bun:test';
import { bookAsOwnerFunding } from '../../../src/app/treasury/pooled-funding.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { type LogLine, recordingLogger } from '../evm/evm-lab.ts';
import { type MerchantJourney, merchantJourney } from '../merchant-journey.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { type Json, type MoreSettings, startTestService, type TestService } from '../test-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { openXrpLab, type XrpLab } from './lab.ts';

export const ASSET = 'xrp_xrp';
export const XRP = 1_000_000n;
const RIPPLE_EPOCH = 946_684_800;
const FUNDED = 1_000n * XRP;

export interface XrpJourney extends MerchantJourney {
  readonly it: TestService;
  readonly lab: XrpLab;
  readonly clock: TestClock;
  readonly lines: readonly LogLine[];
  /** Classic address of our account. */
  readonly hot: string;
  /** What an invoice asks for, in drops. */
  due(invoice: Json): bigint;
  /**
   * Pays `drops` (default: what the invoice asks for) to the invoice's X-address; nothing closes.
   */
  pay(invoice: Json, drops?: bigint): string;
  /** Runs the jobs, the clock being no earlier than the last ledger. */
  settle(): Promise<void>;
  /** Closes ledgers, and lets the service see them. */
  closed(count?: number): Promise<void>;
  /** A paid invoice: the merchant has the money. */
  earn(usd: number): Promise<void>;
  /** Orders a payout in XRP; the answer of the API. */
  order(address: string, drops: bigint): Promise<{ status: number; body: Json }>;
  payoutOf(id: string): Promise<Json>;
  /** Drops that lie in the account and that nobody decided on. */
  undecided(): Promise<bigint>;
  /** Holds all records against the ledger. */
  ledgerIsRight(): Promise<void>;
}

/**
 * Registers the hooks around the tests of the describe block it is called in; each test has a
 * merchant of its own.
 */
export function stageXrpJourney(options: { nodes?: number; more?: MoreSettings } = {}): XrpJourney {
  const clock = testClock();
  const logger = recordingLogger();
  let lab: XrpLab;
  let receiver: WebhookReceiver;
  let it: TestService;
  let current: MerchantJourney;

  const treasury = () => {
    const on = it.service.sending.chains.get('xrp');
    if (!on) throw new Error('nothing is sent on xrp');
    return on;
  };
  async function settle(): Promise<void> {
    clock.advance(Math.max(0, lab.last().closeTime + RIPPLE_EPOCH - clock.now().getTime() / 1000));
    await it.settle();
  }

  beforeAll(async () => {
    lab = openXrpLab({ nodes: options.nodes ?? 1, now: () => clock.now().getTime() });
    lab.account('payer');
    lab.network.close(60);
    receiver = startWebhookReceiver();
    it = await startTestService({
      file: { chains: { xrp: { rpc: lab.urls } }, ...options.more?.file },
      env: options.more?.env ?? {},
      overrides: { clock, logger },
    });
    await settle();
    // The operator's own money, which opens the account.
    const txid = lab.pay(journey.hot, FUNDED);
    await journey.closed();
    const adopted = await bookAsOwnerFunding(it.service.dependencies, treasury())({ txid, note: '' });
    expect(adopted).toMatchObject({ ok: true });
  });
  beforeEach(async () => {
    for (const node of lab.nodes) node.behave({});
    lab.network.include(() => true);
    lab.network.charge(10n);
    current = await merchantJourney(it, receiver);
  });
  afterAll(async () => {
    await it.stop();
    await receiver.stop();
    await lab.close();
  });

  const journey: Omit<XrpJourney, keyof MerchantJourney> & Pick<XrpJourney, 'create'> = {
    create: (body) => current.create({ asset: ASSET, ...body }),
    get it() {
      return it;
    },
    get lab() {
      return lab;
    },
    clock,
    lines: logger.lines,
    get hot() {
      return treasury().deriver.hotWallet() ?? '';
    },
    due: (invoice) => unitsOf(String(invoice.amount), 6),
    pay: (invoice, drops = journey.due(invoice)) => lab.pay(invoice.address_to, drops),
    settle,
    async closed(count = 1) {
      for (let ledger = 0; ledger < count; ledger += 1) {
        lab.network.close();
        await settle();
      }
    },
    async earn(usd) {
      journey.pay(await journey.create({ amount: usd, fee_bearer: 'merchant' }));
      await journey.closed();
    },
    order: (address, drops) =>
      it.call(
        current.merchant.live,
        'POST',
        '/api/v2/payouts',
        {
          address,
          amount: Number(drops) / 1_000_000,
          fiat_currency: 'native',
          asset: ASSET,
          fee_bearer: 'merchant',
        },
        { 'x-uniq-id': crypto.randomUUID() },
      ),
    async payoutOf(id) {
      return (await it.call(current.merchant.live, 'GET', `/api/v2/payouts/${id}`)).body.result;
    },
    undecided: () =>
      it.service.dependencies.unitOfWork.run(async ({ deposits, utxos }) => {
        const height = lab.last().index;
        const tagged = await deposits.undecidedUnits({ chain: 'xrp', asset: ASSET, height });
        return tagged + (await utxos.unbookedUnits('xrp', height));
      }),
    async ledgerIsRight() {
      const found = await reconcileChain(it.service.dependencies, treasury(), { height: null });
      expect(found).toMatchObject({ differences: [], unavailable: null });
      await current.booksAreRight();
    },
  };
  return Object.defineProperties({} as XrpJourney, {
    ...Object.getOwnPropertyDescriptors({
      get merchant() {
        return current.merchant;
      },
      read: (id: string) => current.read(id),
      balance: () => current.balance(),
      ledger: () => current.ledger(),
      payout: (usd: number) => current.payout(usd),
      statusesSent: (id: string) => current.statusesSent(id),
      depositsTo: (address: string) => current.depositsTo(address),
      booksAreRight: () => current.booksAreRight(),
    }),
    ...Object.getOwnPropertyDescriptors(journey),
  });
}
