/**
 * A Tron network for tests: the HTTP API of its nodes over a chain in this process.
 *
 * Real: contracts (compiled bytecode on @ethereumjs/evm), signatures and protobuf (tronweb reads
 * and recovers them). Modelled after java-tron: the order of its checks and their codes, TAPOS,
 * expiration, duplicates, balances, activation, the day's free bandwidth, energy from stake and
 * from burning, fee_limit, the penalty of busy contracts, stake lent and taken back, permissions of
 * the owner, internal transactions, solidified blocks, forks. Not modelled: producers and votes,
 * staked bandwidth, TRC-10 balances (their transfers are in blocks and move nothing),
 * multi-signatures, memos, what a contract's creator pays, and the pool's effect on what is taken
 * into it.
 */
import { Interface, type InterfaceAbi } from 'ethers';
import artefact from '../contracts/tokens.artefact.json';
import { answer, type Question } from './api.ts';
import { type Chain, chain } from './chain.ts';
import type { HexAddress } from './machine.ts';
import { TRX } from './parameters.ts';

export type ContractName = keyof typeof artefact.contracts;

export interface NodeBehaviour {
  /** As a gateway whose node is away. */
  readonly drop?: boolean;
  /** Answer with this HTTP status. */
  readonly status?: number;
  /** Paths that the node does not serve. */
  readonly refuse?: (path: string) => boolean;
  /** The status with which it says so. */
  readonly refusal?: number;
  /** Replaces an answer on its way; undefined leaves it. May take its time. */
  readonly answer?: (path: string, question: Question, given: unknown) => unknown;
}

export interface TronTestNode {
  readonly url: string;
  /**
   * Answers a request to that URL without a connection: what stands behind a provider in virtual
   * time (tests/support/providers).
   */
  answer(url: string, init: RequestInit): Promise<Response>;
  /** Paths asked since the last `behave`. */
  readonly asked: readonly string[];
  /** Headers of the last request. */
  readonly headers: Headers;
  behave(behaviour: NodeBehaviour): void;
}

export interface TronServer {
  readonly chain: Chain;
  /** The first node. */
  readonly node: TronTestNode;
  /** Another node of the same chain. */
  anotherNode(): TronTestNode;
  /** Gives sun out of nothing; the account exists then. */
  fund(address: HexAddress, sun: bigint): Promise<void>;
  /** Stakes sun of the account's for energy. */
  stake(address: HexAddress, sun: bigint): Promise<void>;
  /** The address of a test contract, deployed by `owner`, at once. */
  deploy(contract: ContractName, args: readonly unknown[], owner: HexAddress): Promise<HexAddress>;
  /**
   * Calls a contract from outside any block: what tests change between the payments that they
   * watch.
   */
  call(contract: HexAddress, data: string, from: HexAddress): Promise<string>;
  stop(): Promise<void>;
}

export async function startTronServer(options: {
  solidBehind?: number;
  startMs: number;
}): Promise<TronServer> {
  const { solidBehind = 19, startMs } = options;
  const ledger = await chain({ solidBehind, startMs });
  const stops: (() => Promise<void>)[] = [];
  let deployed = 0;
  let last: Promise<unknown> = Promise.resolve();
  /** One thing at a time: blocks and questions change and borrow one state. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work, work);
    last = turn.catch(() => {});
    return turn;
  }
  const turns: Chain = {
    ...ledger,
    get pool() {
      return ledger.pool;
    },
    take: (hex) => inTurn(() => ledger.take(hex)),
    mine: (count, how) => inTurn(() => ledger.mine(count, how)),
    fork: (depth) => inTurn(() => ledger.fork(depth)),
    change: (work) => inTurn(() => ledger.change(work)),
    at: (block, work) => inTurn(() => ledger.at(block, work)),
  };

  function anotherNode(): TronTestNode {
    let behaviour: NodeBehaviour = {};
    let asked: string[] = [];
    let headers = new Headers();

    async function answerTo(url: string, init: RequestInit): Promise<Response> {
      const { pathname } = new URL(url);
      asked.push(pathname);
      headers = new Headers(init.headers);
      if (behaviour.drop) return new Response('away', { status: 503 });
      const question = JSON.parse(String(init.body || '{}')) as Question;
      if (behaviour.status !== undefined) return new Response('no', { status: behaviour.status });
      const given = behaviour.refuse?.(pathname)
        ? undefined
        : await inTurn(() => answer(ledger, pathname, question));
      const changed = (await behaviour.answer?.(pathname, question, given)) ?? given;
      if (changed === undefined) return new Response('<html>no</html>', { status: behaviour.refusal ?? 404 });
      return new Response(printed(changed), { headers: { 'content-type': 'application/json' } });
    }

    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) =>
        answerTo(request.url, { headers: request.headers, body: await request.text() }),
    });
    stops.push(() => server.stop(true));
    return {
      url: `http://127.0.0.1:${server.port}`,
      answer: answerTo,
      get asked() {
        return asked;
      },
      get headers() {
        return headers;
      },
      behave(next) {
        behaviour = next;
        asked = [];
      },
    };
  }

  return {
    chain: turns,
    node: anotherNode(),
    anotherNode,
    fund: (address, sun) =>
      turns.change(async ({ machine, accounts }) => {
        accounts.create(address, { nowMs: ledger.tip().timeMs });
        await machine.add(address, sun);
      }),
    stake: (address, sun) =>
      turns.change(async ({ machine, accounts }) => {
        await machine.add(address, -sun);
        accounts.get(address)!.staked += sun;
      }),
    deploy: (contract, args, owner) =>
      turns.change(async ({ machine, accounts }) => {
        const { bytecode } = artefact.contracts[contract];
        const at = `41c0de${(++deployed).toString(16).padStart(36, '0')}`;
        const code = bytecode + interfaceOf(contract).encodeDeploy(args).slice(2);
        await machine.deploy(code, { owner, at });
        accounts.create(at, { nowMs: ledger.tip().timeMs, isContract: true });
        return at;
      }),
    call: (contract, data, from) =>
      turns.change(async ({ machine }) => {
        const call = { owner: from, contract, data, value: 0n, energyLimit: 100n * TRX };
        const ran = await machine.run(call, { keep: true });
        if (ran.failure !== null) throw new Error(`the call failed: ${ran.failure}`);
        return ran.returned;
      }),
    async stop() {
      for (const stop of stops) await stop();
    },
  };
}

export function interfaceOf(contract: ContractName): Interface {
  return new Interface(artefact.contracts[contract].abi as InterfaceAbi);
}

/** JSON as java-tron prints it: numbers of any size, and nothing that is zero, false or empty. */
function printed(value: unknown): string {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return JSON.stringify(value, (key, item: unknown) => {
    const empty = key !== '' && Array.isArray(item) && item.length === 0;
    if (item === 0 || item === 0n || item === false || empty) return undefined;
    return typeof item === 'bigint' ? rawJSON(item.toString()) : item;
  });
}
