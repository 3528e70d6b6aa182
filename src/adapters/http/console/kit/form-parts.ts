/**
 * The inputs of a form that may have been refused. Faults come with the names of the API's fields;
 * the page says them with its own labels, in a sentence, at the input and once above the form.
 */
import type { FieldError } from '../../../../domain/errors.ts';
import type { Markup } from '../../checkout/page/html.ts';
import {
  type AreaOptions,
  area,
  type ChoiceOptions,
  choice,
  type FieldOptions,
  field,
  type Options,
} from './parts.ts';
import type { Problem, ShownFault } from './shell.ts';

export interface FormParts {
  field(name: string, label: string, options?: FieldOptions): Markup;
  area(name: string, label: string, options?: AreaOptions): Markup;
  choice(name: string, label: string, options: Options, more?: ChoiceOptions): Markup;
  /** For the page, once its inputs are made. */
  problem(): Problem | null;
}

/** A fault whose message is a sentence of its own. */
export interface Sentence {
  readonly field: string;
  readonly sentence: string;
}

/** `names`: the input's name of a field of the API, where they differ. */
export function formParts(problem: Problem | null, names: Readonly<Record<string, string>> = {}): FormParts {
  const faults = (Array.isArray(problem?.details) ? problem.details : []) as readonly (
    | FieldError
    | Sentence
  )[];
  const shown = new Map<FieldError | Sentence, ShownFault>();

  /** `accepted_coins.0` is the input `accepted_coins`. */
  const inputOf = (of: string): string => names[of] ?? names[rootOf(of)] ?? rootOf(of);

  function faultAt(name: string, label: string, id = name): string | null {
    const its = faults.filter((fault) => !shown.has(fault) && inputOf(fault.field) === name);
    const sentences = its.map((fault) => sentenceOf(fault, label));
    for (const [nth, fault] of its.entries()) shown.set(fault, { id, sentence: sentences[nth] ?? '' });
    return sentences.length === 0 ? null : [...new Set(sentences)].join(' ');
  }

  return {
    field: (name, label, options = {}) =>
      field(name, label, { ...options, fault: faultAt(name, label, options.id) }),
    area: (name, label, options = {}) => area(name, label, { ...options, fault: faultAt(name, label) }),
    choice: (name, label, options, more = {}) =>
      choice(name, label, options, { ...more, fault: faultAt(name, label, more.id) }),
    problem: () =>
      problem === null || faults.length === 0
        ? problem
        : {
            message: 'That cannot be taken as it is:',
            faults: faults.map(
              (fault) => shown.get(fault) ?? { id: null, sentence: sentenceOf(fault, fault.field) },
            ),
          },
  };
}

function rootOf(of: string): string {
  return of.split('.')[0] ?? of;
}

function sentenceOf(fault: FieldError | Sentence, label: string): string {
  return 'sentence' in fault ? fault.sentence : `\u201c${label}\u201d ${fault.message}.`;
}
