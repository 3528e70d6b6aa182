/** Reads a form of the console: fields and text files, within a limit. */
import { readBytes } from '../../kit/input/body.ts';

/** A CSV file of 500 payouts has some 60 kB; a logo is at most 64 kB, in base64. */
const LIMIT_BYTES = 256 * 1024;

export class Form {
  readonly #fields: FormData | URLSearchParams;

  constructor(fields: FormData | URLSearchParams) {
    this.#fields = fields;
  }

  /** Trimmed; '' where it is missing or a file. */
  text(name: string): string {
    const found = this.#fields.get(name);
    return typeof found === 'string' ? found.trim() : '';
  }

  /** Null where it is missing, empty or a file. */
  optional(name: string): string | null {
    const text = this.text(name);
    return text === '' ? null : text;
  }

  /** Every value of a field that may be given several times. */
  all(name: string): readonly string[] {
    return this.#fields.getAll(name).filter((each): each is string => typeof each === 'string');
  }

  isSet(name: string): boolean {
    return this.#fields.has(name);
  }

  /** Whether a name or a text has U+0000, which the database refuses and no page sends. */
  get isMalformed(): boolean {
    return [...this.#fields].some((field) =>
      field.some((each) => typeof each === 'string' && each.includes('\0')),
    );
  }

  /** The bytes of a file; null where none was chosen. */
  async file(name: string): Promise<{ readonly type: string; readonly bytes: Uint8Array } | null> {
    const found = this.#fields.get(name);
    if (found === null || typeof found === 'string' || found.size === 0) return null;
    return { type: found.type, bytes: new Uint8Array(await found.arrayBuffer()) };
  }
}

/** Null for a body that is too long or malformed. */
export async function readConsoleForm(request: Request): Promise<Form | null> {
  const type = request.headers.get('content-type') ?? '';
  const bytes = await readBytes(request, LIMIT_BYTES).catch(() => null);
  if (bytes === null) return null;
  if (!type.startsWith('multipart/form-data')) {
    return new Form(new URLSearchParams(new TextDecoder().decode(bytes)));
  }
  try {
    const body = new Uint8Array(bytes);
    return new Form(await new Response(body, { headers: { 'content-type': type } }).formData());
  } catch {
    return null;
  }
}
