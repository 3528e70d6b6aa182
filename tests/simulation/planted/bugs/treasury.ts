/** Bugs in sweeps and the money of the operator. */
import type { PlantedBug } from '../planted-bug.ts';

export const TREASURY_BUGS: readonly PlantedBug[] = [
  {
    name: 'sweep-moves-what-nobody-decided',
    cost: 'A customer: money that is not credited, or that the risk check holds, leaves its address.',
    file: 'src/domain/sweeps/sweep.ts',
    find: 'const there = smaller(spendable, coveredUnits);',
    replace: 'const there = balanceUnits;',
  },
  {
    name: 'two-sweeps-of-an-address',
    cost: 'The operator: two sweeps share the gas of an address, and one of them fails.',
    file: 'src/app/sweeps/plan-sweeps.ts',
    find: `  if (others.some(({ status }) => ACTIVE_SWEEP_STATUSES.some((active) => active === status))) return false;
`,
    replace: '',
    chains: 'ethereum,bsc',
  },
  {
    name: 'sweep-fee-from-undecided-money',
    cost: 'A customer: the fee of a sweep is paid with a payment that is not credited.',
    file: 'src/app/sending/signing/own-money.ts',
    find: 'found.undecided.get(address)?.get(nativeAsset) ?? 0n',
    replace: '0n',
  },
  {
    name: 'funding-booked-twice',
    cost: 'The operator: the same funding of the hot wallet is booked as capital in each step.',
    file: 'src/app/sending/book-funding.ts',
    find: `      await repositories.utxos.markBooked(chain, utxo, true);
`,
    replace: '',
    chains: 'bitcoin,litecoin',
  },
  {
    name: 'change-of-lost-transactions-unbooked',
    cost: 'The operator: after a restore the books lack the change of what lost transactions spent.',
    file: 'src/app/sending/book-funding.ts',
    find: 'for (const utxo of found) {',
    replace: 'for (const utxo of found.filter(isFunding)) {',
    chains: 'bitcoin,litecoin',
  },
  {
    name: 'found-payment-counted-twice',
    cost: 'The operator: a payout that a lost transaction paid leaves the books twice.',
    file: 'src/app/payouts/record-paid.ts',
    find: 'await bookPaidOutput(deps, repositories, payout, { txid, ...found.value });',
    replace: '',
    chains: 'bitcoin,litecoin',
  },
  {
    name: 'capital-difference-booked-while-money-moves',
    cost: 'The operator: money of an open transfer is booked as capital, and again as the transfer.',
    file: 'src/app/treasury/book-capital.ts',
    find: 'if (touching.length > 0)',
    replace: 'if (touching.length > OPEN_MAX)',
    chains: 'xrp,ton,bsc',
  },
];
