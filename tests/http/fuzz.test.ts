import { fuzzApi } from '../support/fuzz-api.ts';
import { openHarness } from '../support/http-harness.ts';

fuzzApi(
  'the API over the in-memory application',
  async () => {
    const { server, liveKey, sandboxKey } = openHarness();
    return {
      baseUrl: 'http://localhost',
      liveKey,
      sandboxKey,
      headers: { 'x-test-socket': '127.0.0.1' },
      handle: (request) => server.handle(request),
      close: () => server.stop(),
    };
  },
  { requests: 20_000, timeoutMs: 120_000 },
);
