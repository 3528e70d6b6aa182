/**
 * What the sweeps of many addresses cost the database and the nodes together, counted: each of them
 * must not ask and write by itself what is asked and written of all.
 */
import { expect, test } from 'bun:test';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { openCountedSweeps } from '../../support/sweeps/sweep-costs.ts';

const OF_EACH = 50;
/** 0.7 for a coin and 1.1 for a token, of 40 and 76 while each sweep was planned by itself. */
const STATEMENTS_MAX = 2;
/** 0.1 and 0.2, of 7 and 13. */
const COMMITS_MAX = 0.5;
/** 0.2 and 0.3, of 5 and 14. */
const REQUESTS_MAX = 1;

test.skipIf(!needs('postgres', postgresAvailable()) || !needs('anvil', anvilAvailable()))(
  'the coin and the tokens of a hundred addresses are swept with few statements and requests',
  async () => {
    const counted = await openCountedSweeps();
    try {
      const { sweeps, statements, commits, requests } = await counted.sweep({
        eth_ethereum: OF_EACH,
        usdt_ethereum: OF_EACH,
      });
      expect(sweeps).toBe(2 * OF_EACH);
      expect(statements / sweeps).toBeLessThanOrEqual(STATEMENTS_MAX);
      expect(commits / sweeps).toBeLessThanOrEqual(COMMITS_MAX);
      expect(requests / sweeps).toBeLessThanOrEqual(REQUESTS_MAX);
    } finally {
      await counted.close();
    }
  },
  60_000,
);
