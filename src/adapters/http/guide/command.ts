/** Requests to the API as shell commands. The reader sets `$KEY` and `$ID`. */
import type { JsonRecord } from '../openapi/schemas.ts';

export interface GuideCall {
  readonly method?: 'GET' | 'POST';
  /** Below /api/v2. */
  readonly path: string;
  readonly body?: JsonRecord;
  readonly headers?: Readonly<Record<string, string>>;
}

export function commandOf(baseUrl: string, { path, body, headers = {}, method = 'GET' }: GuideCall): string {
  const lines = [`curl -s "${baseUrl}/api/v2${path}"`, '-H "x-api-key: $KEY"'];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H "${name}: ${value}"`);
  if (body === undefined) return (method === 'POST' ? [...lines, '-X POST'] : lines).join(' \\\n  ');
  lines.push("-H 'content-type: application/json'", `-d '${spaced(body)}'`);
  return lines.join(' \\\n  ');
}

/** On one line, with a space after each comma. */
function spaced(body: JsonRecord): string {
  return JSON.stringify(body, null, 1).replace(/\n\s*/g, ' ').replace(/^\{ /, '{').replace(/ \}$/, '}');
}
