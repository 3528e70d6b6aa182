/**
 * The HTTP server over the real application, on PostgreSQL and fake chains, called without a
 * socket; every answer is held against the document. The tests of one file share one composed
 * service. Each harness has a merchant and a server of its own.
 */
import { afterAll } from 'bun:test';
import type { HttpServer } from '../../../src/adapters/http/server.ts';
import type { Application } from '../../../src/app/application.ts';
import { buildApplication } from '../../../src/app/compose-application.ts';
import type { AppDependencies } from '../../../src/app/dependencies.ts';
import { changeMerchant } from '../../../src/app/merchants/manage-merchants.ts';
import { webhookDispatcher } from '../../../src/app/webhooks/deliver-webhooks.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import type { Merchant } from '../../../src/domain/merchants/merchant.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import type { WebhookTransport } from '../../../src/ports/webhooks/webhook-transport.ts';
import { type LogLine, memoryLogger } from '../runtime/memory-logger.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { startTestService, type TestService } from '../test-service.ts';
import { type Call, calledServer, type ServerOptions } from './called-server.ts';

export interface Harness {
  readonly server: HttpServer;
  /** The use cases and queries that this server drives. */
  readonly application: Application;
  readonly dependencies: AppDependencies;
  readonly merchant: Merchant;
  readonly liveKey: string;
  readonly sandboxKey: string;
  readonly logs: LogLine[];
  readonly call: Call;
  /** Another merchant of the same service. */
  addMerchant(
    change?: Partial<Merchant>,
  ): Promise<{ merchant: Merchant; liveKey: string; sandboxKey: string }>;
  /** What the next use case or query throws, once. */
  failNext(thrown: Error): void;
  /** Sandbox: a simulated payment. Live: a payment of USDT on the fake Tron, mined and credited. */
  earn(usd: number, key?: string): Promise<void>;
  /** Writes an invoice as no request of a test can make it. */
  setInvoice(id: string, change: Partial<Invoice>): Promise<void>;
}

export interface HarnessOptions extends ServerOptions {
  /** In place of ports of the composed service. */
  ports?: Partial<AppDependencies>;
  merchant?: Partial<Merchant>;
}

/** The clock of the shared service. It stands still unless a test moves it. */
export const harnessClock: TestClock = testClock();
const STARTS_AT = harnessClock.now();

let staged = false;
let shared: Promise<TestService> | null = null;

/** The composed service of the file: Tron alone has jobs that run. */
function sharedService(): Promise<TestService> {
  if (!staged) throw new Error('the file has no stageHarness()');
  shared ??= startTestService({
    env: { CHAINS: 'fake' },
    chains: ['tron'],
    overrides: { clock: harnessClock, webhookTransport: everybodyAnswers },
  }).then(async (service) => {
    await service.settle();
    return service;
  });
  return shared;
}

/**
 * Each file that opens a harness calls it: after its tests the service ends, and the clock is as it
 * was.
 */
export function stageHarness(): void {
  staged = true;
  afterAll(async () => {
    const service = await shared;
    [staged, shared] = [false, null];
    await service?.stop();
    harnessClock.advance((STARTS_AT.getTime() - harnessClock.now().getTime()) / 1_000);
  });
}

/** Receivers that take everything. */
const everybodyAnswers: WebhookTransport = {
  post: async () => ({ kind: 'answered', status: 200, body: 'ok' }),
};

export async function openHarness(options: HarnessOptions = {}): Promise<Harness> {
  const it = await sharedService();
  const logs: LogLine[] = [];
  const logger = memoryLogger(logs);
  const dependencies: AppDependencies = { ...it.service.dependencies, logger, ...options.ports };
  const { application, failNext } = failing(buildApplication(dependencies, webhookDispatcher(dependencies)));
  const owner = await addMerchant(it, options.merchant);
  const { server, call } = calledServer(
    { application, clock: harnessClock, logger, key: owner.liveKey },
    options,
  );
  return {
    server,
    application,
    dependencies,
    ...owner,
    logs,
    call,
    failNext,
    addMerchant: (change) => addMerchant(it, change),
    earn: (usd, key = owner.liveKey) => earn(it, call, usd, key),
    async setInvoice(id, change) {
      await dependencies.unitOfWork.run(async (repositories) => {
        const invoice = await repositories.invoices.lock(id);
        if (invoice === null) throw new Error(`there is no invoice ${id}`);
        await repositories.invoices.save({ ...invoice, ...change, version: invoice.version + 1 });
      });
    },
  };
}

async function addMerchant(
  it: TestService,
  change: Partial<Merchant> = {},
): Promise<{ merchant: Merchant; liveKey: string; sandboxKey: string }> {
  const { id, live, sandbox } = await it.merchant({ allowedSubnets: ['127.0.0.0/8'] });
  const changed = await changeMerchant(it.service.dependencies)(id, change);
  if (!changed.ok) throw new Error(changed.error.message);
  return { merchant: changed.value, liveKey: live, sandboxKey: sandbox };
}

async function earn(it: TestService, call: Call, usd: number, key: string): Promise<void> {
  const body = { amount: usd, fiat_currency: 'USD', asset: 'usdt_tron', fee_bearer: 'client' };
  const created = await call('POST', '/api/v2/invoices', { key, body });
  const { order_id: id, address_to: to, amount } = created.json.result;
  if (key.startsWith('sk_sandbox_')) {
    await call('POST', `/api/v2/invoices/${id}/simulate`, {
      key,
      body: { status: 'success', send_webhook: false },
    });
    return;
  }
  const tron = it.service.chains.fakes?.get('tron')?.control;
  tron?.pay({ to, asset: 'usdt_tron', units: unitsOf(String(amount), 6) });
  tron?.mine(20);
  await it.settle();
}

/** The application, of which the next use case or query can be made to throw. */
function failing(application: Application): { application: Application; failNext(thrown: Error): void } {
  let failure: Error | null = null;
  const guard = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(of, name, receiver) {
        const member: unknown = Reflect.get(of, name, receiver);
        if (typeof member !== 'function') return member;
        return async (...given: unknown[]) => {
          const thrown = failure;
          failure = null;
          if (thrown !== null) throw thrown;
          return Reflect.apply(member, of, given);
        };
      },
    });
  const { queries, createInvoice, chooseCurrency, createPayout, createPayoutBatch } = application;
  const { simulateInvoice, replayWebhook, sendTestWebhook, getPermanentAddress } = application;
  const { deactivatePermanentAddress, replayEvents } = application;
  const useCases = guard({
    ...{ createInvoice, chooseCurrency, createPayout, createPayoutBatch, simulateInvoice, replayWebhook },
    ...{ sendTestWebhook, replayEvents, getPermanentAddress, deactivatePermanentAddress },
  });
  return {
    application: {
      ...application,
      ...Object.fromEntries(
        Object.keys(useCases).map((name) => [name, useCases[name as keyof typeof useCases]]),
      ),
      queries: guard(queries),
    },
    failNext(thrown) {
      failure = thrown;
    },
  };
}
