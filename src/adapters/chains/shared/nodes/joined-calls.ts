/**
 * Calls that are made in the same moment share a request, and equal ones a call: payouts that are
 * prepared or followed together ask the same of a node, and much that is alike.
 */
import { type BudgetTime, systemTime } from './call-log.ts';
import { type Haste, hasteNow, inHaste } from './urgency.ts';

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

interface JoinedCall<Outcome> {
  readonly call: Call;
  readonly outcome: PromiseWithResolvers<Outcome>;
}

interface Answered<Outcome> {
  readonly outcome: Promise<Outcome>;
  /** Monotonic milliseconds. */
  readonly askedAt: number;
}

/** An answer serves its round for so long: a round that takes longer asks again. */
const ROUND_MS = 3_000;

/**
 * `send` makes the calls in as few requests as the node takes, and returns their outcomes in order;
 * where it throws, all of the calls fail. Only calls of the same haste are joined. `ofRound`: what
 * a round asks once. `serves`: the outcomes that serve a round; others may be of a moment.
 */
export function joinedCalls<Outcome>(
  send: (calls: readonly Call[]) => Promise<readonly Outcome[]>,
  {
    ofRound = () => false,
    serves = () => true,
    time = systemTime,
  }: {
    readonly ofRound?: ((call: Call) => boolean) | undefined;
    readonly serves?: (outcome: Outcome) => boolean;
    readonly time?: Pick<BudgetTime, 'now'> | undefined;
  } = {},
): (calls: readonly Call[]) => Promise<readonly Outcome[]> {
  /** By their haste, and then by what they ask. */
  const waiting = new Map<string, Map<string, JoinedCall<Outcome>>>();
  const rounds = new WeakMap<object, Map<string, Answered<Outcome>>>();

  async function sendAll(key: string, haste: Haste): Promise<void> {
    const joined = [...(waiting.get(key)?.values() ?? [])];
    waiting.delete(key);
    try {
      const outcomes = await inHaste(haste, () => send(joined.map(({ call }) => call)));
      for (const [nth, { outcome }] of joined.entries()) outcome.resolve(outcomes[nth] as Outcome);
    } catch (error) {
      for (const { outcome } of joined) outcome.reject(error);
    }
  }

  function join(call: Call, asked: string, haste: Haste): Promise<Outcome> {
    const key = `${haste.urgency} ${haste.hasChoice} ${haste.spared}`;
    const group = waiting.get(key) ?? new Map<string, JoinedCall<Outcome>>();
    if (group.size === 0) {
      waiting.set(key, group);
      // Later in this turn: the others of this moment are under way.
      queueMicrotask(() => queueMicrotask(() => void sendAll(key, haste)));
    }
    const joined = group.get(asked) ?? { call, outcome: Promise.withResolvers<Outcome>() };
    group.set(asked, joined);
    return joined.outcome.promise;
  }

  function outcomeOf(call: Call): Promise<Outcome> {
    const haste = hasteNow();
    const asked = JSON.stringify([call.method, call.params]);
    if (haste.round === null || !ofRound(call)) return join(call, asked, haste);
    const answers = rounds.get(haste.round) ?? new Map<string, Answered<Outcome>>();
    rounds.set(haste.round, answers);
    const known = answers.get(asked);
    if (known !== undefined && time.now() - known.askedAt < ROUND_MS) return known.outcome;
    const outcome = join(call, asked, haste);
    answers.set(asked, { outcome, askedAt: time.now() });
    // A node that failed is asked again.
    const forget = (): void => {
      if (answers.get(asked)?.outcome === outcome) answers.delete(asked);
    };
    outcome.then((answer) => serves(answer) || forget(), forget);
    return outcome;
  }

  return (calls) => Promise.all(calls.map(outcomeOf));
}
