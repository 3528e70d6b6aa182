/** Receivers of webhooks to copy: the files of docs/receivers, unchanged. */

export const RECEIVERS = [
  { language: 'TypeScript', file: 'receiver.ts' },
  { language: 'Python', file: 'receiver.py' },
  { language: 'PHP', file: 'receiver.php' },
  { language: 'Go', file: 'receiver.go' },
  { language: 'Ruby', file: 'receiver.rb' },
] as const;

export interface Receiver {
  readonly language: string;
  readonly source: string;
}

/** Reads the files. Throws if one is missing from the installation. */
export function readReceivers(): Promise<readonly Receiver[]> {
  return Promise.all(
    RECEIVERS.map(async ({ language, file }) => ({
      language,
      source: await Bun.file(new URL(`../../../../docs/receivers/${file}`, import.meta.url)).text(),
    })),
  );
}
