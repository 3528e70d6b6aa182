/**
 * What GET by id is held against: an Elysia route that does nothing but one primary-key select
 * through the service's own database client. Takes DATABASE_URL and prints the port it listens on.
 */
import { Elysia } from 'elysia';
import { openDatabase } from '../../src/adapters/postgres/client/client.ts';
import { silentLogger } from '../harness/silent-logger.ts';

/** As many as the service has (compose/database.ts). */
const POOL_SIZE = 20;

const database = openDatabase({
  url: process.env.DATABASE_URL ?? '',
  poolSize: POOL_SIZE,
  logger: silentLogger,
});
const app = new Elysia().get('/invoices/:id', async ({ params }) => {
  const [row] = await database.query('select * from invoices where id = $1', [params.id]);
  return row ?? new Response('', { status: 404 });
});
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: app.fetch });
console.log(server.port);
