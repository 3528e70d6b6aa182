/** The API fuzz against the composed service on a real database, over real sockets. */
import { describe } from 'bun:test';
import { fuzzApi } from '../../support/http/fuzz-api.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('on PostgreSQL', () => {
  fuzzApi(
    'the composed service',
    async () => {
      const it = await startTestService({
        env: { CHAINS: 'fake' },
        overrides: {
          webhookTransport: { post: async () => ({ kind: 'answered', status: 200, body: 'ok' }) },
        },
      });
      const merchant = await it.merchant();
      return {
        baseUrl: it.url,
        liveKey: merchant.live,
        sandboxKey: merchant.sandbox,
        handle: (request) => fetch(request, { redirect: 'manual' }),
        close: () => it.stop(),
      };
    },
    { requests: Number(process.env.FUZZ_REQUESTS ?? 3_000), timeoutMs: 120_000 },
  );
});
