/**
 * The faults of a history. Swarm testing: each seed switches most kinds off and draws the rate of
 * the others, since faults that hide each other are found apart (Groce et al., "Swarm Testing").
 */
import type { Seeded } from '../../support/runtime/seeded.ts';
import type { Story } from './story.ts';

/** Per mille of its points at which a kind happens, with the rate of the history at one. */
const WEIGHTS = {
  'death in a transaction': 0.15,
  'death after a statement': 0.25,
  'death after a commit': 0.5,
  'death at a point': 0.2,
  'database away': 0.5,
  'database answer lost': 0.5,
  'commit answer lost': 0.5,
  'serialization failure': 0.5,
  'node away': 1,
  'node answer lost': 0.5,
  'node rate limit': 0.5,
  'broadcast dropped': 6,
  'broadcast falsely accepted': 4,
  'broadcast refused': 3,
  'broadcast answer lost': 8,
  'signer away': 5,
  'signer answer lost': 5,
  'receiver away': 7,
  'receiver answers 500': 7,
  'receiver answer lost': 4,
} as const;

/** Per mille. Where much fails, little begins; where little fails, work goes far. */
const RATES = [3, 8, 15, 30, 60] as const;

export type FaultKind = keyof typeof WEIGHTS;
/** What transactions do to each other, without a fault of the world. */
export type Meeting = 'lock wait' | 'deadlock';
const KINDS = Object.keys(WEIGHTS) as FaultKind[];

export interface Faults {
  /** Nothing happens before. */
  begin(): void;
  readonly areOn: boolean;
  /** Whether it happens now. */
  happens(kind: FaultKind, at: string): boolean;
  /** Counts it. */
  met(how: Meeting): void;
  /** Nothing happens from now on. */
  end(): void;
  /** How often each happened. */
  readonly counts: ReadonlyMap<FaultKind | Meeting, number>;
}

/** `drawing.random` is that of the present turn. */
export function faultsOf(drawing: { readonly random: Seeded; readonly story: Story }): Faults {
  const { random } = drawing;
  const rate = random.pick(RATES);
  const on = new Set(KINDS.filter(() => random.int(2) === 0));
  const counts = new Map<FaultKind | Meeting, number>();
  const count = (kind: FaultKind | Meeting) => counts.set(kind, (counts.get(kind) ?? 0) + 1);
  let isOn = false;
  return {
    happens(kind, at) {
      if (!isOn || !on.has(kind)) return false;
      if (drawing.random.int(10_000) >= rate * 10 * WEIGHTS[kind]) return false;
      count(kind);
      drawing.story.tell('fault', { by: 'fault', what: `${kind} (${at})` });
      return true;
    },
    met: (how) => void count(how),
    begin() {
      isOn = true;
    },
    end() {
      isOn = false;
    },
    get areOn() {
      return isOn;
    },
    counts,
  };
}
