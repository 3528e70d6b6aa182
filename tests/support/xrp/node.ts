/**
 * One node of a test network over JSON-RPC, as rippled answers with API version 2. It can lag,
 * forget history, or be away; and its answers can be changed on their way out, to play a liar or a
 * server with a fault.
 */
import type { Ledger, XrpNetworkModel } from './network.ts';
import { methods, type Parameters, ProtocolError } from './node-methods.ts';

export interface NodeBehaviour {
  /** Cuts every connection. */
  readonly down?: boolean;
  /** Validated ledgers that it does not have yet. */
  readonly lag?: number;
  /** Whether it keeps the ledger of that index; default all. */
  readonly keeps?: (index: number) => boolean;
  /** Still tells of transactions that no ledger can take any more, as nodes do for some minutes. */
  readonly remembers?: boolean;
  /** Never says that it searched all, as where a ledger of the range has no transactions. */
  readonly unsure?: boolean;
  /** Most transactions of an account that it lists at once; default 400. */
  readonly pageMost?: number;
  /** What `server_info` tells; null leaves it out. Default 0, the main network. */
  readonly networkId?: number | null;
  /** Changes the result of a method; undefined leaves it. */
  readonly answer?: (method: string, result: Answer, parameters: Parameters) => unknown;
  /** The status that a method is refused with, before it comes to the node; undefined: none. */
  readonly status?: (method: string) => number | undefined;
  /** Answers a method with an error of that name. */
  readonly refuse?: (method: string, parameters: Parameters) => string | undefined;
}

export type Answer = Readonly<Record<string, unknown>>;

export interface XrpNode {
  readonly url: string;
  /** Methods asked since the last `behave`. */
  readonly asked: readonly string[];
  behave(behaviour: NodeBehaviour): void;
  /** The node without a network, as a provider asks the node behind it. */
  answer(url: string, init: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

/** What the node has of its network. */
export interface NodeView {
  readonly network: XrpNetworkModel;
  readonly networkId: number | null;
  readonly remembers: boolean;
  readonly unsure: boolean;
  readonly pageMost: number;
  /** The youngest validated ledger that the node has. */
  validated(): Ledger;
  /** By index, hash or name; null when the node does not have it. */
  ledger(of: unknown): { ledger: Ledger; validated: boolean } | null;
  /** `complete_ledgers`. */
  history(): string;
  keeps(index: number): boolean;
}

export function startXrpNode(network: XrpNetworkModel): XrpNode {
  let behaviour: NodeBehaviour = {};
  let asked: string[] = [];

  async function answer(_: string, { body }: RequestInit): Promise<Response> {
    const call = JSON.parse(String(body)) as { id: unknown; method: string; params?: [Parameters] };
    const { id, method, params: [parameters = {}] = [] } = call;
    asked.push(method);
    // Bun cannot cut a connection from a server: an empty answer is no JSON either, and fails as
    // one that is cut.
    if (behaviour.down === true) return new Response(null, { status: 503 });
    const status = behaviour.status?.(method);
    if (status !== undefined) return new Response('no', { status });
    return Response.json({ id, jsonrpc: '2.0', result: answerOf(method, parameters) });
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => answer(request.url, { body: await request.text() }),
  });

  function answerOf(method: string, parameters: Parameters): unknown {
    try {
      const refusal = behaviour.refuse?.(method, parameters);
      if (refusal !== undefined) throw new ProtocolError(refusal);
      const result = { ...methods(method)(viewOf(network, behaviour), parameters), status: 'success' };
      const changed = behaviour.answer?.(method, result, parameters);
      return changed ?? result;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      const { token, code, more } = error;
      return { ...more, error: token, error_code: code, request: parameters, status: 'error' };
    }
  }

  return {
    url: `http://127.0.0.1:${server.port}`,
    get asked() {
      return asked;
    },
    behave(next) {
      behaviour = next;
      asked = [];
    },
    answer,
    stop: () => server.stop(true),
  };
}

function viewOf(
  network: XrpNetworkModel,
  {
    lag = 0,
    keeps = () => true,
    networkId = 0,
    remembers = false,
    unsure = false,
    pageMost = 400,
  }: NodeBehaviour,
): NodeView {
  const { ledgers } = network;
  const last = Math.max(0, network.validated - lag);
  const validated = (): Ledger => ledgers[last]!;
  const isKept = (index: number): boolean =>
    index >= ledgers[0]!.index && index <= validated().index && keeps(index);
  return {
    network,
    networkId,
    remembers,
    unsure,
    pageMost,
    validated,
    keeps: isKept,
    ledger(of) {
      if (of === undefined || of === 'validated') return { ledger: validated(), validated: true };
      if (of === 'closed')
        return { ledger: ledgers.at(-1)!, validated: network.validated === ledgers.length - 1 };
      const found = ledgers.findIndex(({ index, hash }) => index === of || hash === of);
      const ledger = ledgers[found];
      if (ledger === undefined) return null;
      if (found > last) return lag === 0 ? { ledger, validated: false } : null;
      return isKept(ledger.index) ? { ledger, validated: true } : null;
    },
    history: () => rangesOf(ledgers.map(({ index }) => index).filter(isKept)),
  };
}

/** `1000-1004,1007`. */
function rangesOf(indexes: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const index of indexes) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === index - 1) range[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',') || 'empty';
}
