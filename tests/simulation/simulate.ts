/** `bun run simulate`: histories from seeds, and what they broke. */

import { playHistory } from './world/history.ts';
import { ownPostgres, postgresStorage } from './world/postgres-storage.ts';

const arg = (name: string, standard: string): string => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? standard : (process.argv[at + 1] ?? standard);
};
const [from, count, turns] = [
  Number(arg('from', '1')),
  Number(arg('histories', '5')),
  Number(arg('turns', '60')),
];
const chains = arg('chains', 'ethereum').split(',');
const server = await ownPostgres();
const storage = await postgresStorage(server.url);
const began = performance.now();
for (let seed = from; seed < from + count; seed += 1) {
  const t = performance.now();
  await storage.empty();
  const played = await playHistory(
    { seed, turns, chains, faults: true, told: process.argv.includes('--story') },
    storage,
  );
  console.log(
    seed,
    played.digest,
    `steps ${played.steps} deaths ${played.deaths}`,
    `${Math.round(performance.now() - t)} ms`,
    JSON.stringify(played.broken, (_, v) => (typeof v === 'bigint' ? String(v) : v)).slice(0, 1500),
  );
  if (process.argv.includes('--story')) console.log(played.story.join('\n'));
}
console.log(`${(count / ((performance.now() - began) / 1000)).toFixed(2)} histories a second`);
await storage.close();
await server.destroy();
process.exit(0);
