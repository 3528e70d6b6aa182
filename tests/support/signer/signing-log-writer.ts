/**
 * A process that writes into a signing log until it is killed: one line on standard output for
 * every entry that is on disk. Arguments: the log, and a name that makes its entries its own.
 */
import { openSigningLog } from '../../../src/adapters/signer/signing-log.ts';
import { silentLogger } from '../runtime/silent-logger.ts';
import { aSignedEntry } from './signed-entry.ts';

const [path = '', name = ''] = process.argv.slice(2);
const log = await openSigningLog({ path, now: () => new Date(), logger: silentLogger });
for (let nonce = 0n; ; nonce += 1n) {
  const entry = aSignedEntry({ wallet: name, nonce });
  await log.append(entry, () => {});
  process.stdout.write(`${entry.txid}\n`);
}
