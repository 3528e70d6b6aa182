/** A story for people: who did what when, and what it changed in the books. */
import type { StoryLine } from '../world/story.ts';

/** Points that only show how calls interleave: the changes of transactions are told apart. */
const UNTOLD =
  /^begins |transaction$|, answered$|^risk check$|^\w+(Queries|Queue|Circuits|Writer|Pool)\.|^queries\.|^(begin|committed|settings)$|^select from( \w+)?$/;

export function toldStory(lines: readonly StoryLine[]): readonly string[] {
  return lines.filter(({ kind, what }) => kind !== 'point' || !UNTOLD.test(what)).map(lineOf);
}

function lineOf({ kind, atMs, by, task, what }: StoryLine): string {
  const time = new Date(atMs).toISOString().slice(11, 19);
  const who = task === null ? by : `${by} ${shortened(task)}`;
  const mark = { act: '*', point: ' ', fault: '!', change: '+' }[kind];
  return `${time} ${mark} ${who}: ${shortened(what)}`;
}

/** Ids by their counted part, long texts by their beginning. */
export function shortened(text: string): string {
  return text
    .replaceAll(/\b0[0-9a-f]{11}0{6,}([1-9a-f][0-9a-f]*|0)\b/g, '#$1')
    .replaceAll(/\b00000000-0000-4000-8000-0*([1-9a-f][0-9a-f]*)\b/g, 'uuid-$1')
    .replaceAll(/\b(0x)?[0-9A-Za-z_-]{32,}\b/g, (long) => `${long.slice(0, 10)}…`);
}
