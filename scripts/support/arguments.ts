/**
 * Reads a command line strictly, by the options that a command declares. Unknown, missing and
 * malformed ones throw UsageError.
 */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './failures.ts';

export interface OptionSpec {
  /**
   * Placeholder of the option's value in the help, `URL` for example; an option without one is a
   * switch.
   */
  readonly value?: string;
  readonly multiple?: true;
  readonly required?: true;
  readonly help: string;
}

export interface ArgumentSpec {
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** Names of the positional arguments, all of them required. */
  readonly positionals: readonly string[];
  /** An optional last one. */
  readonly optional?: string;
}

/** The options every command has. */
export const COMMON_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  json: { help: 'print one line of JSON on standard output, and everything else on standard error' },
  help: { help: 'print this help' },
};

export class Arguments {
  readonly #values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  readonly #positionals: ReadonlyMap<string, string>;

  constructor(args: readonly string[], spec: ArgumentSpec) {
    const parsed = parsedStrictly(args, spec);
    this.#values = parsed.values;
    const { positionals } = parsed;
    const missing = spec.positionals.slice(positionals.length);
    if (missing.length > 0)
      throw new UsageError(`${missing.map((name) => `<${name}>`).join(' ')} is missing`);
    const names = [...spec.positionals, ...(spec.optional === undefined ? [] : [spec.optional])];
    const surplus = positionals.slice(names.length);
    if (surplus.length > 0) throw new UsageError(`unexpected argument: ${surplus[0]}`);
    this.#positionals = new Map(names.map((name, index) => [name, positionals[index] ?? '']));
    for (const [name, option] of Object.entries(spec.options)) {
      if (option.required && this.#values[name] === undefined) throw new UsageError(`--${name} is needed`);
    }
  }

  positional(name: string): string {
    const value = this.#positionals.get(name);
    if (value === undefined) throw new Error(`the command declares no argument ${name}`);
    return value;
  }

  isSet(name: string): boolean {
    return this.#values[name] === true;
  }

  /** The option's text, or null when it is absent. */
  text(name: string): string | null {
    const value = this.#values[name];
    return typeof value === 'string' ? value : null;
  }

  /** Every text of an option that may be repeated; empty when it is absent. */
  texts(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
  }

  /**
   * The option's value by `read`; null when it is absent. A UsageError of `read` is completed with
   * the option's name.
   */
  read<Value>(name: string, read: (text: string) => Value): Value | null {
    const text = this.text(name);
    return text === null ? null : named(`--${name}`, () => read(text));
  }

  readAll<Value>(name: string, read: (text: string) => Value): readonly Value[] {
    return this.texts(name).map((text) => named(`--${name}`, () => read(text)));
  }

  /** Null when it is absent. */
  readOptional<Value>(name: string, read: (text: string) => Value): Value | null {
    return this.positional(name) === '' ? null : this.readPositional(name, read);
  }

  readPositional<Value>(name: string, read: (text: string) => Value): Value {
    return named(`<${name}>`, () => read(this.positional(name)));
  }

  /** For options that `required` guarantees. */
  readNeeded<Value>(name: string, read: (text: string) => Value): Value {
    const value = this.read(name, read);
    if (value === null) throw new UsageError(`--${name} is needed`);
    return value;
  }
}

function parsedStrictly(args: readonly string[], spec: ArgumentSpec) {
  const options: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    Object.entries({ ...spec.options, ...COMMON_OPTIONS }).map(([name, option]) => [
      name,
      {
        type: option.value === undefined ? ('boolean' as const) : ('string' as const),
        ...(option.multiple ? { multiple: true } : {}),
      },
    ]),
  );
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...args],
      options,
      strict: true,
      allowPositionals: true,
      tokens: true,
    });
    refuseRepetition(tokens, spec);
    return { values, positionals };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(firstSentence((error as Error).message));
  }
}

/**
 * parseArgs silently keeps the last of a repeated option, but an operator who wrote two amounts
 * meant only one of them.
 */
function refuseRepetition(tokens: readonly { kind: string; name?: string }[], spec: ArgumentSpec): void {
  const seen = new Set<string>();
  for (const { kind, name } of tokens) {
    if (kind !== 'option' || name === undefined || spec.options[name]?.multiple) continue;
    if (seen.has(name)) throw new UsageError(`--${name} is given twice`);
    seen.add(name);
  }
}

export function firstSentence(message: string): string {
  return message.split(/\.\s|\n/)[0] ?? message;
}

/** A UsageError of `read` is completed with the argument's name. */
export function named<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${name} ${error.message}`);
    throw error;
  }
}
