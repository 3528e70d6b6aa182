/**
 * Locks that are missing: what only transactions that are open at the same time show
 * (world/connections). Serial tiers cannot find these.
 */
import type { PlantedBug } from './planted-bug.ts';

const POSTGRES = 'src/adapters/postgres';

export const PLANTED_LOCKS: readonly PlantedBug[] = [
  {
    name: 'an invoice is read without a lock before it changes',
    cost: 'A payment that another worker books meanwhile is overwritten: the merchant is not told of it.',
    tier: 'connections',
    file: `${POSTGRES}/invoices/invoices.ts`,
    find: 'const LOCK = byId(LOCKED);',
    replace: 'const LOCK = byId(sql``);',
  },
  {
    name: 'a transfer is read without a lock before it changes',
    cost: 'Two workers settle one transfer: the step of one fails.',
    tier: 'connections',
    file: `${POSTGRES}/sending/outgoing.ts`,
    find: 'const LOCKED = sql`for no key update`;',
    replace: 'const LOCKED = sql``;',
  },
  {
    name: 'a sweep is read without a lock before it changes',
    cost: 'Two workers sign one sweep.',
    tier: 'connections',
    file: `${POSTGRES}/sweeps/sweeps.ts`,
    find: 'where ${s.id} = any (${ids}) order by ${s.id} for no key update`',
    replace: 'where ${s.id} = any (${ids}) order by ${s.id}`',
  },
  {
    name: 'the wallet is not locked before a bump is looked for',
    cost: 'Two workers order the same child, and the step of one fails.',
    tier: 'connections',
    file: 'src/app/sending/utxos/claim-utxos.ts',
    find: 'await repositories.outgoing.lockWallet({ chain: on.chain, address: wallet });',
    replace: '',
    chains: 'bitcoin,litecoin',
  },
];
