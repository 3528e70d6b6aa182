/** What the audit log keeps of a subject at one moment. */
import type { JsonObject } from '../../domain/money/json.ts';
import type { Repositories } from '../../ports/repositories.ts';

export interface Snapshot {
  readonly merchantId: string | null;
  readonly facts: JsonObject;
}

export type TakeSnapshot = (repositories: Repositories, id: string) => Promise<Snapshot | null>;
