/**
 * The HTTP server over an application in memory, for tests of the checkout's pages, which need
 * states that no payment leads to.
 */
import type { HttpServer } from '../../../src/adapters/http/server.ts';
import type { Merchant } from '../../../src/domain/merchants/merchant.ts';
import type { Clock } from '../../../src/ports/runtime/clock.ts';
import { type Call, calledServer, type ServerOptions } from '../http/called-server.ts';
import { type LogLine, memoryLogger } from '../runtime/memory-logger.ts';
import { type FakeApplication, fakeApplication } from './fake-application.ts';

export interface Harness {
  readonly server: HttpServer;
  readonly application: FakeApplication;
  readonly merchant: Merchant;
  readonly liveKey: string;
  readonly sandboxKey: string;
  readonly logs: LogLine[];
  readonly clock: Clock & { advance(milliseconds: number): void };
  readonly call: Call;
}

export function openHarness(options: ServerOptions & { merchant?: Partial<Merchant> } = {}): Harness {
  const application = fakeApplication();
  const { merchant, liveKey, sandboxKey } = application.addMerchant(options.merchant);
  const logs: LogLine[] = [];
  const clock = {
    now: () => application.now,
    advance(milliseconds: number) {
      application.now = new Date(application.now.getTime() + milliseconds);
    },
  };
  const { server, call } = calledServer(
    { application, clock, logger: memoryLogger(logs), key: liveKey },
    options,
  );
  return { server, application, merchant, liveKey, sandboxKey, logs, clock, call };
}
