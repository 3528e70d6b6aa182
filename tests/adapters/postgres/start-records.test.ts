/** The contracts of what is read at start, on a real PostgreSQL with one session. */
import { describe } from 'bun:test';
import { databaseOn } from '../../../src/compose/database.ts';
import { describeAssetsInUse } from '../../contracts/chains/assets-in-use.ts';
import { describeChainRecords } from '../../contracts/chains/chain-records.ts';
import { describeWalletKeys } from '../../contracts/treasury/wallet-keys.ts';
import { postgresAvailable, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

/** Chains are forgotten, and wallets replaced, while there is no other session. */
async function open() {
  const { database, drop } = await testDatabase({ poolSize: 1 });
  const { ports, ...others } = databaseOn(database, { lists: database, sendsMails: false });
  return { ...others, unitOfWork: ports.unitOfWork, close: drop };
}

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres records that are read at start', () => {
  describeAssetsInUse('postgres', open);
  describeChainRecords('postgres', open);
  describeWalletKeys('postgres', open);
});
