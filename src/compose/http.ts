/** The HTTP server of a process: everything, or for a worker only the operators' part. */
import type { ConsoleParts } from '../adapters/http/console/console.ts';
import { type HttpDependencies, type HttpServer, httpServer } from '../adapters/http/server.ts';
import type { Readiness } from '../adapters/http/system/system.ts';
import type { Application } from '../app/application.ts';
import type { NoticeRecorder } from '../app/notices/record-notices.ts';
import { reconciliationFigures } from '../app/treasury/reconcile.ts';
import type { WebhookDispatcher } from '../app/webhooks/deliver-webhooks.ts';
import type { Config } from '../config/types.ts';
import type { RateBook } from '../ports/rates/rate-book.ts';
import { fakeChainRoutes } from './chains/fake-chain-routes.ts';
import { checkoutOf } from './checkout.ts';
import type { ComposedDatabase } from './database.ts';
import type { ComposedDependencies } from './dependencies.ts';
import type { ComposedTreasury } from './treasury.ts';

export function composeHttp(
  config: Config,
  parts: Pick<ComposedDependencies, 'dependencies' | 'chains' | 'health' | 'rates'> & {
    application: Application;
    database: ComposedDatabase;
    dispatcher: WebhookDispatcher;
    treasury: ComposedTreasury;
    /** Null: the console is switched off. */
    console: Pick<ConsoleParts, 'accounts' | 'merchantDesk' | 'operatorDesk'> | null;
    notices: Pick<NoticeRecorder, 'alarms'>;
    socketAddress: HttpDependencies['socketAddress'];
  },
): HttpServer {
  const { dependencies, chains, health, rates, application, database, dispatcher, treasury, notices } = parts;
  const { clock, logger, ids, catalog, version } = dependencies;
  return httpServer({
    application,
    config: { ...config, version },
    clock,
    logger,
    ids,
    checkout: checkoutOf(config, chains),
    console: consoleOf(config, parts),
    serves: config.role === 'worker' ? 'operations' : 'everything',
    health: { ready: () => readiness(database, rates.book) },
    metrics: {
      operator: () => dependencies.operatorQueries.metrics(clock.now()),
      alarms: () => notices.alarms,
      chains: health.figures,
      webhooks: dispatcher.figures,
      // An API process never reconciles: a time of its last run would raise an alarm for nothing.
      ...(config.role === 'api'
        ? {}
        : { reconciliation: () => reconciliationFigures(treasury.lastReconciliation) }),
    },
    ...(parts.socketAddress === undefined ? {} : { socketAddress: parts.socketAddress }),
    ...(chains.fakes === null ? {} : { testRoutes: fakeChainRoutes(chains.fakes, catalog) }),
  });
}

function consoleOf(
  config: Config,
  { console, dependencies }: Pick<Parameters<typeof composeHttp>[1], 'console' | 'dependencies'>,
): ConsoleParts | null {
  if (console === null) return null;
  const { accounts, merchantDesk, operatorDesk } = console;
  return {
    ...{ accounts, merchantDesk, operatorDesk, operatorQueries: dependencies.operatorQueries },
    registrationIsOpen: config.console.registrationIsOpen,
  };
}

/**
 * Ready while the database answers. The age of prices is reported but does not decide, because not
 * every request needs them.
 */
async function readiness(database: ComposedDatabase, rates: RateBook): Promise<Readiness> {
  const answers = await database.ping();
  const age = rates.latest().ageSeconds;
  return {
    ok: answers,
    checks: {
      database: answers ? 'answers' : 'does not answer',
      rates: age === null ? 'none yet: live fiat prices are refused' : `${age} s old`,
    },
  };
}
