/**
 * Solana making its blocks by the clock, as full of strangers' transactions as the real one, which
 * pays the watched addresses now and then, in the coin and in a token. Every twentieth slot has no
 * block.
 */
import { createHash } from 'node:crypto';
import { connectSolana } from '../../../../src/adapters/chains/solana/connection.ts';
import { associatedAccount, TOKEN_PROGRAM } from '../../../../src/adapters/chains/solana/programs.ts';
import { solanaScanner } from '../../../../src/adapters/chains/solana/read/scanner.ts';
import { BUILT_IN_ASSETS } from '../../../../src/domain/catalog/asset.ts';
import { MAINNET_GENESIS } from '../../solana/node.ts';
import { base58 } from '../../solana/wire.ts';
import type { MakeChain } from '../followed.ts';
import { answerCall, RefusedCall } from './json-rpc.ts';

export interface SolanaShape {
  /** Of a usual block: votes, and transactions of programs. */
  readonly votes: number;
  readonly calls: number;
  /** Watched addresses, and in each how many blocks one of them is paid; 0: never. */
  readonly watched: number;
  readonly payEvery: number;
}

const SLOT_MS = 400;
const FINAL_BEHIND = 31;
/** Of so many slots one is skipped. */
const SKIPPED_ONCE_IN = 20;
export const SOLANA_BLOCK_MS = (SLOT_MS * SKIPPED_ONCE_IN) / (SKIPPED_ONCE_IN - 1);
const FIRST_SLOT = 400_000_000;
const FEE = 5_000;
const CROWDS = 4;
const PROGRAM_ACCOUNTS = 24;
const MINT_BYTES = 82;

const USDC = BUILT_IN_ASSETS.find(({ key }) => key === 'usdc_solana')!;
const MINT = { mint: USDC.contract!, program: TOKEN_PROGRAM };

const isSkipped = (slot: number): boolean => slot % SKIPPED_ONCE_IN === SKIPPED_ONCE_IN - 1;
const heightOf = (slot: number): number => slot - Math.floor(slot / SKIPPED_ONCE_IN);
const slotOf = (height: number): number => height + Math.floor(height / (SKIPPED_ONCE_IN - 1));
const lastBlockUpTo = (slot: number): number => (isSkipped(slot) ? slot - 1 : slot);
const digest = (name: string): Buffer => createHash('sha256').update(name).digest();
const addressOf = (name: string): string => base58(digest(name));
const signatureOf = (name: string): string => base58(Buffer.concat([digest(name), digest(`${name}'`)]));
const hashOf = (height: number): string => addressOf(`block ${height}`);

export const solanaChain =
  ({ votes, calls, watched, payEvery }: SolanaShape): MakeChain =>
  ({ nowMs, unixMs, blocksBefore }) => {
    const slotsBefore = Math.ceil((blocksBefore * SKIPPED_ONCE_IN) / (SKIPPED_ONCE_IN - 1)) + 1;
    const beganAt = unixMs() - nowMs() - slotsBefore * SLOT_MS;
    const tipSlot = (): number => lastBlockUpTo(FIRST_SLOT + Math.floor((unixMs() - beganAt) / SLOT_MS));
    const tip = (): number => heightOf(tipSlot());
    const addresses = Array.from({ length: watched }, (_, index) => addressOf(`watched ${index}`));

    function paymentIn(height: number): { to: string; token: boolean; units: number } | null {
      if (payEvery === 0 || height % payEvery !== 0) return null;
      const nth = height / payEvery;
      return { to: addresses[nth % watched]!, token: nth % 2 === 0, units: 1 + (nth % 1_000_000) };
    }

    /** In the form with accounts alone. `keys`: the one that signs first. */
    function transaction(
      name: string,
      keys: readonly string[],
      moved: (index: number) => number,
      tokens: object,
    ) {
      const before = keys.map((_, index) => 2_039_280 + index * 7_919);
      const after = before.map((held, index) => held + moved(index) - (index === 0 ? FEE : 0));
      return {
        transaction: {
          accountKeys: keys.map((pubkey, index) => ({
            ...{ pubkey, signer: index === 0, source: 'transaction', writable: index < keys.length / 2 },
          })),
          signatures: [signatureOf(name)],
        },
        meta: {
          ...{ err: null, status: { Ok: null }, fee: FEE, preBalances: before, postBalances: after },
          ...{ preTokenBalances: [], postTokenBalances: [], ...tokens },
        },
        version: 0,
      };
    }

    const held = (accountIndex: number, owner: string, units: number) => ({
      ...{ accountIndex, mint: MINT.mint, owner, programId: TOKEN_PROGRAM },
      uiTokenAmount: {
        ...{
          amount: `${units}`,
          decimals: USDC.decimals,
          uiAmount: units / 1e6,
          uiAmountString: `${units / 1e6}`,
        },
      },
    });

    const none = (): number => 0;
    function crowd(which: number): readonly object[] {
      const voted = Array.from({ length: votes }, (_, index) => {
        const keys = ['voter', 'vote', 'vote program'].map((name) => addressOf(`${name} ${index}`));
        return transaction(`vote ${which} ${index}`, keys, none, {});
      });
      const called = Array.from({ length: calls }, (_, index) => {
        const keys = Array.from({ length: PROGRAM_ACCOUNTS }, (_, at) =>
          addressOf(`${which} ${index} ${at}`),
        );
        const [payer, owner] = [held(2, keys[0]!, 5_000_000), held(3, keys[1]!, 9_000_000)];
        const [left, got] = [held(2, keys[0]!, 4_000_000), held(3, keys[1]!, 10_000_000)];
        const tokens = { preTokenBalances: [payer, owner], postTokenBalances: [left, got] };
        return transaction(`call ${which} ${index}`, keys, none, tokens);
      });
      return [...voted, ...called];
    }

    /** Strangers are few, and do the same again and again. */
    const crowds = Array.from({ length: CROWDS }, (_, which) => crowd(which));
    function transactionsAt(height: number): readonly object[] {
      const strangers = crowds[height % CROWDS]!;
      const paid = paymentIn(height);
      if (paid === null) return strangers;
      const { to, token, units } = paid;
      const keys = [addressOf('payer'), token ? associatedAccount(to, MINT) : to];
      const move = (index: number): number => (token ? 0 : index === 1 ? units : -units);
      const tokens = token ? { postTokenBalances: [held(1, to, units)] } : {};
      return [...strangers, transaction(`payment ${height}`, keys, move, tokens)];
    }

    function blockAt(slot: number, { transactionDetails }: { transactionDetails?: string }): object {
      if (slot > tipSlot()) throw new RefusedCall(-32_004, `Block not available for slot ${slot}`);
      if (isSkipped(slot)) throw new RefusedCall(-32_007, `Slot ${slot} was skipped`);
      const height = heightOf(slot);
      return {
        ...{ blockHeight: height, blockhash: hashOf(height), previousBlockhash: hashOf(height - 1) },
        ...{ blockTime: Math.floor((beganAt + (slot - FIRST_SLOT) * SLOT_MS) / 1_000) },
        parentSlot: slotOf(height - 1),
        ...(transactionDetails === 'none' ? {} : { transactions: transactionsAt(height) }),
      };
    }

    function slotsFrom(from: number, to: number, limit: number): readonly number[] {
      const slots: number[] = [];
      for (let slot = from; slot <= Math.min(to, tipSlot()) && slots.length < limit; slot++)
        if (!isSkipped(slot)) slots.push(slot);
      return slots;
    }

    /** As far as it is looked at: its decimals, and that it is one. */
    function mint(): object {
      const data = Buffer.alloc(MINT_BYTES);
      data[44] = USDC.decimals;
      data[45] = 1;
      return { lamports: 1_461_600, owner: TOKEN_PROGRAM, data: [data.toString('base64'), 'base64'] };
    }

    function answerTo(method: string, params: readonly unknown[]): unknown {
      const [first, second] = params as readonly number[];
      const options = params.findLast((each) => typeof each === 'object' && !Array.isArray(each)) as {
        commitment?: string;
        transactionDetails?: string;
      };
      const best = options?.commitment === 'finalized' ? slotOf(tip() - FINAL_BEHIND) : tipSlot();
      switch (method) {
        case 'getGenesisHash':
          return MAINNET_GENESIS;
        case 'getSlot':
          return best;
        case 'getBlockHeight':
          return heightOf(best);
        case 'getBlocks':
          return slotsFrom(first!, second!, Number.POSITIVE_INFINITY);
        case 'getBlocksWithLimit':
          return slotsFrom(first!, Number.POSITIVE_INFINITY, second!);
        case 'getBlock':
          return blockAt(first!, options);
        case 'getMultipleAccounts':
          return { context: { slot: best }, value: (params[0] as string[]).map(mint) };
        default:
          throw new Error(`the generated chain does not know ${method}`);
      }
    }

    return {
      ...{ chain: 'solana', blockMs: SOLANA_BLOCK_MS, tip, addresses },
      answer: (_, init) => answerCall(init, answerTo),
      open({ rpc, fetch, time, logger }) {
        const options = {
          ...({ chain: 'solana', network: 'main', rpc, fetch, time, logger } as const),
          nativeAsset: 'sol_solana',
          tokens: [{ asset: USDC.key, contract: MINT.mint, decimals: USDC.decimals }],
        };
        const connection = connectSolana(options);
        return { scanner: solanaScanner(options, connection), nodes: connection.pool };
      },
      paid(from, to) {
        const heights = Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
        return heights.flatMap((height) => {
          const paid = paymentIn(height);
          if (paid === null) return [];
          const output = paid.token ? `token:${MINT.mint}:${paid.to}` : `native:${paid.to}`;
          return [`${signatureOf(`payment ${height}`)} ${output}`];
        });
      },
    };
  };
