/** One PostgreSQL with one migrated database for every test process that is started with its environment. */
import { createPostgresServer, nativeFolder } from './postgres-server.ts';
import { makeTemplate } from './postgres-template.ts';

export interface SharedPostgres {
  /** Variables by which tests/support/postgres.ts finds it; none where a server was given, or none can be had. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startSharedPostgres(): Promise<SharedPostgres> {
  if (process.env.TEST_DATABASE_URL !== undefined || nativeFolder() === null)
    return { env: {}, stop: async () => undefined };
  const server = await createPostgresServer({ settings: ['max_connections=500'] });
  const template = await makeTemplate(server);
  return {
    env: { TEST_DATABASE_URL: server.url('postgres'), TEST_DATABASE_TEMPLATE: template },
    stop: () => server.destroy(),
  };
}
