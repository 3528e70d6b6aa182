/** What needs a service that is stopped cannot see that through a connection pooler. */
import { describe, expect, test } from 'bun:test';
import { type ProgramName, runHere } from '../../support/operators/run-script.ts';
import { TEST_MASTER_KEY } from '../../support/test-service.ts';

const commands: readonly (readonly [ProgramName, ...(readonly string[])])[] = [
  ['restore'],
  ['wallet', 'replace', '--former-money-needs-the-former-seed'],
  ['chains', 'forget', 'ethereum'],
];

describe('behind a connection pooler', () => {
  for (const [program, ...args] of commands)
    test(`bun run ${[program, ...args].join(' ')} is refused, and says what to do`, async () => {
      const { code, stderr } = await runHere(program, args, {
        // Nothing listens there: it is not even asked.
        DATABASE_URL: 'postgres://gateway@127.0.0.1:1/gateway?pgbouncer=true',
        MASTER_KEY: TEST_MASTER_KEY,
        OPERATOR: 'anna',
      });
      expect(code).toBe(1);
      expect(stderr).toContain('name the server itself');
    });
});
