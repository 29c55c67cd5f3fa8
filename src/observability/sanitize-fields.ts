import { serializeError, shorten } from "./serialize-error.ts";

/** Fields of these names hold what operators wrote or what opens doors: they are never printed, at any depth. */
const secretNames: ReadonlySet<string> = new Set([
  "config",
  "stdin",
  "token",
  "rawtext",
  "authorization",
  "password",
  "secret",
]);

const maxDepth = 5;
const maxMembers = 64;

/** A copy that is safe to print: secrets replaced, errors unfolded, texts and lists cut, numbers of any kind as text. */
export function sanitizeFields(fields: object): Record<string, unknown> {
  return sanitizeObject(fields, 0);
}

function sanitizeObject(value: object, depth: number): Record<string, unknown> {
  const members = Object.entries(value).slice(0, maxMembers);
  return Object.fromEntries(members.map(([name, member]) => [name, sanitizeMember(name, member, depth)]));
}

function sanitizeMember(name: string, value: unknown, depth: number): unknown {
  return secretNames.has(name.toLowerCase()) ? "[redacted]" : sanitize(value, depth + 1);
}

function sanitize(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "string":
      return shorten(value);
    case "bigint":
      return value.toString();
    case "object":
      return value === null ? null : sanitizeReference(value, depth);
    case "function":
    case "symbol":
      return undefined;
    default:
      return value;
  }
}

function sanitizeReference(value: object, depth: number): unknown {
  if (value instanceof Error) return serializeError(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth > maxDepth) return "[too deep]";
  if (Array.isArray(value)) return value.slice(0, maxMembers).map((element) => sanitize(element, depth + 1));
  return sanitizeObject(value, depth);
}
