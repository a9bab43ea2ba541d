import type { ResolvedOptions } from '../config/resolve-options.js';
import type { Deadline } from '../core/deadline.js';
import { quietly } from '../core/quietly.js';
import type { ToolProgress } from '../core/status.js';

type Subject = Pick<ToolProgress, 'server' | 'tool' | 'toolCallId'>;

/**
 * What takes a server's progress for one call: it extends the deadline and is handed to the host (C3). Undefined where
 * nobody wants it, so that the server is not asked for any.
 */
export function progressListener(
  { onProgress, maxTotalMs }: ResolvedOptions,
  subject: Subject,
  deadline: Deadline,
): ((params: Readonly<Record<string, unknown>>) => void) | undefined {
  if (onProgress === undefined && maxTotalMs === undefined) return undefined;
  return ({ progress, total, message }) => {
    if (!isNumber(progress) || deadline.reason !== undefined) return;
    deadline.extend();
    const known = {
      ...(isNumber(total) ? { total } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    };
    quietly(() => onProgress?.({ ...subject, progress, ...known }));
  };
}

/** JSON may hold a number too large for one. */
function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
