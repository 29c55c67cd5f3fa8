import type { Frame } from "./frame.ts";
import { HostCallError, HostProtocolError } from "./host-errors.ts";

/** One answer: fields by name, unchecked, and the raw body. */
export interface HostAnswer {
  readonly id: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** @throws {HostProtocolError} if the head is no JSON object with a numeric `id`. */
export function readAnswer(frame: Frame): HostAnswer {
  const fields = parseObject(frame.head);
  const id = fields?.["id"];
  if (fields === undefined || typeof id !== "number") throw new HostProtocolError("an answer without an id");
  return { id, fields, body: frame.body };
}

function parseObject(head: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(head.toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The failure that an answer tells of, `undefined` if it tells of none. */
export function failureOf(operation: string, answer: HostAnswer): HostCallError | undefined {
  const error = answer.fields["error"];
  if (!isObject(error)) return undefined;
  return new HostCallError(operation, textField(error, "errno"), textField(error, "message"));
}

/** @throws {HostProtocolError} if it is no text. */
export function textField(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name];
  if (typeof value !== "string") throw new HostProtocolError(`"${name}" is no text`);
  return value;
}

/** @throws {HostProtocolError} if it is no number. */
export function numberField(fields: Readonly<Record<string, unknown>>, name: string): number {
  const value = fields[name];
  if (typeof value !== "number") throw new HostProtocolError(`"${name}" is no number`);
  return value;
}

/** @throws {HostProtocolError} if it is no list of objects. */
export function objectsField(
  fields: Readonly<Record<string, unknown>>,
  name: string,
): readonly Readonly<Record<string, unknown>>[] {
  const value = fields[name];
  if (!Array.isArray(value) || !value.every(isObject)) {
    throw new HostProtocolError(`"${name}" is no list of objects`);
  }
  return value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
