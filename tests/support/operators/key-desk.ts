/**
 * Two processes of the service on one database, and shops whose keys are changed while webhooks are
 * delivered.
 */
import { openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import type { Caller } from '../../../src/app/caller.ts';
import { type RotatedKey, rotateKey } from '../../../src/app/merchants/manage-merchants.ts';
import type { Environment } from '../../../src/domain/environment.ts';
import type { AppError } from '../../../src/domain/errors.ts';
import type { Result } from '../../../src/domain/result.ts';
import type { NewDelivery } from '../../../src/ports/webhooks/webhook-outbox.ts';
import { aDelivery, anInvoice } from '../builders.ts';
import { type LogLine, memoryLogger } from '../runtime/memory-logger.ts';
import { silentLogger } from '../runtime/silent-logger.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { startTestService, type TestService } from '../test-service.ts';
import {
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../webhooks/webhook-receiver.ts';

export const ENVIRONMENTS = ['live', 'sandbox'] as const;

export interface KeyDesk {
  readonly clock: TestClock;
  readonly it: TestService;
  /** The other process, which runs since before every rotation. */
  readonly other: TestService;
  readonly receiver: WebhookReceiver;
  /** What `it` logged. */
  readonly lines: readonly LogLine[];
  /** Sets what the receiver answers from now on. */
  respond(answer: (webhook: ReceivedWebhook) => Response): void;
  aShop(): Promise<KeyShop>;
  /** The status of a call with a key. */
  call(key: string, by?: TestService): Promise<number>;
  /** As if the database were one of before the first call with the key. */
  forgetFirstUse(key: string): Promise<void>;
  close(): Promise<void>;
}

export interface KeyShop {
  readonly id: string;
  readonly keys: Readonly<Record<Environment, string>>;
  readonly invoices: Readonly<Record<Environment, { readonly id: string }>>;
  callerOf(environment: Environment): Caller;
  rotate(overlapSeconds: number, environment?: Environment): Promise<RotatedKey>;
  /** Queues a webhook without a call to the API, and answers its id. */
  enqueue(environment: Environment, change?: Partial<NewDelivery>): Promise<string>;
  /** What comes of one delivery that a process sends. */
  deliver(environment: Environment, by?: TestService): Promise<ReceivedWebhook>;
}

/** What an operator's use case made; it must not be refused. */
export async function made<Value>(result: Promise<Result<Value, AppError>>): Promise<Value> {
  const answer = await result;
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}

export async function openKeyDesk(env: Record<string, string> = {}): Promise<KeyDesk> {
  let answer: (webhook: ReceivedWebhook) => Response = () => new Response('ok');
  const lines: LogLine[] = [];
  const clock = testClock();
  const receiver = startWebhookReceiver({ respond: (webhook) => answer(webhook) });
  const it = await startTestService({ env, overrides: { clock, logger: memoryLogger(lines) } });
  const shared = { databaseUrl: it.databaseUrl, dataDir: it.service.config.dataDir };
  const other = await startTestService({ env, ...shared, overrides: { clock } });
  const { unitOfWork } = it.service.dependencies;

  async function aShop(): Promise<KeyShop> {
    const { id, live, sandbox } = await it.merchant({ callbackUrl: receiver.url });
    const scopeOf = (environment: Environment) => ({ merchantId: id, sandbox: environment === 'sandbox' });
    const invoices = { live: anInvoice(scopeOf('live')), sandbox: anInvoice(scopeOf('sandbox')) };
    const merchant = await unitOfWork.run(async (r) => {
      for (const environment of ENVIRONMENTS) await r.invoices.insert(invoices[environment]);
      return (await r.merchants.find(id))!;
    });
    async function enqueue(environment: Environment, change: Partial<NewDelivery> = {}): Promise<string> {
      const delivery = aDelivery({
        ...{ ...scopeOf(environment), invoiceId: invoices[environment].id, invoiceVersion: null },
        ...{ url: receiver.url, dueAt: clock.now(), ...change },
      });
      await unitOfWork.run((r) => r.webhooks.enqueue(delivery));
      return delivery.id;
    }
    return {
      ...{ id, keys: { live, sandbox }, invoices, enqueue },
      callerOf: (environment) => ({ merchant, environment, scope: scopeOf(environment) }),
      rotate: (overlapSeconds, environment = 'live') =>
        made(rotateKey(it.service.dependencies)(id, environment, overlapSeconds)),
      async deliver(environment, by = it) {
        const before = receiver.received.length;
        await by.service.dispatcher.deliverNow(await enqueue(environment));
        return receiver.received[before]!;
      },
    };
  }

  return {
    ...{ clock, it, other, receiver, lines, aShop },
    respond(given) {
      answer = given;
    },
    call: async (key, by = it) => (await by.call(key, 'GET', '/api/v2/balance')).status,
    async forgetFirstUse(key) {
      const database = openDatabase({ url: it.databaseUrl, poolSize: 1, logger: silentLogger });
      const hash = it.service.dependencies.vault.lookupHash(key);
      await database.query('update api_keys set first_used_at = null where lookup_hash = $1', [hash]);
      await database.close();
    },
    async close() {
      await other.stop();
      await it.stop();
      await receiver.stop();
    },
  };
}
