/** The log of a script: on standard error, from warnings up, since standard output carries the answer. */
import { pinoLogger } from '../../src/adapters/system/pino-logger.ts';
import type { Config, LogLevel } from '../../src/config/types.ts';
import type { Logger } from '../../src/ports/runtime/logger.ts';

/** `err` takes the lines. */
export function operatorsLogger({ logLevel }: Config, err: (line: string) => void = console.error): Logger {
  return pinoLogger({ level: atLeastWarn(logLevel), destination: { write: (line) => err(line.trimEnd()) } });
}

function atLeastWarn(level: LogLevel): LogLevel {
  return level === 'debug' || level === 'info' ? 'warn' : level;
}
