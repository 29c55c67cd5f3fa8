/** A value has not the shape that a record needs. The message names the place, never the value. */
export class ShapeError extends Error {
  override readonly name = "ShapeError";

  constructor(at: string, expected: string) {
    super(`${at === "" ? "the record" : at.slice(0, 200)} is not ${expected}`);
  }
}

/** Turns a parsed JSON value into what it should be. `at` is its place, for the `ShapeError`. */
export type Decode<T> = (value: unknown, at: string) => T;

export const text: Decode<string> = (value, at) => {
  if (typeof value !== "string") throw new ShapeError(at, "a text");
  return value;
};

/** Zero or more, finite. */
export const amount: Decode<number> = (value, at) => {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0)
    throw new ShapeError(at, "an amount");
  return value;
};

export const integer: Decode<number> = (value, at) => {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw new ShapeError(at, "a whole number");
  return value;
};

/** Digits that fit into 64 bits, kept as text because a JSON number would be rounded. */
export const decimal: Decode<string> = (value, at) => {
  if (typeof value !== "string" || !/^\d{1,20}$/.test(value)) throw new ShapeError(at, "a decimal number");
  return value;
};

export function oneOf<const T extends string>(...choices: readonly T[]): Decode<T> {
  return (value, at) => {
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw new ShapeError(at, "a known word");
    return found;
  };
}

export function listOf<T>(item: Decode<T>): Decode<readonly T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) throw new ShapeError(at, "a list");
    return value.map((each: unknown, index) => item(each, `${at}[${index}]`));
  };
}

/** An object that is used as a map. */
export function mapOf<T>(item: Decode<T>): Decode<Readonly<Record<string, T>>> {
  return (value, at) => {
    if (!isObject(value)) throw new ShapeError(at, "an object");
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, item(each, `${at}.${key}`)]));
  };
}

export const textPair: Decode<readonly [string, string]> = (value, at) => {
  const [key, content, ...more] = listOf(text)(value, at);
  if (key === undefined || content === undefined || more.length > 0) throw new ShapeError(at, "a pair");
  return [key, content];
};

/** Reads the members of one object; members that nobody asks for are passed over. */
export class Fields {
  readonly #object: Readonly<Record<string, unknown>>;
  readonly #at: string;

  /** @throws {ShapeError} if `value` is no object */
  constructor(value: unknown, at: string) {
    if (!isObject(value)) throw new ShapeError(at, "an object");
    this.#object = value;
    this.#at = at;
  }

  need<T>(key: string, decode: Decode<T>): T {
    return decode(this.#value(key), this.#path(key));
  }

  /** An object with the member, or an empty one where it is absent: to be spread. */
  may<K extends string, T>(key: K, decode: Decode<T>): { readonly [P in K]?: T } {
    const value = this.#value(key);
    return value === undefined ? {} : member(key, decode(value, this.#path(key)));
  }

  /** As `may`, and empty too where the member has another shape: for what only people read. */
  try<K extends string, T>(key: K, decode: Decode<T>): { readonly [P in K]?: T } {
    try {
      return this.may(key, decode);
    } catch (error) {
      if (error instanceof ShapeError) return {};
      throw error;
    }
  }

  #value(key: string): unknown {
    return Object.hasOwn(this.#object, key) ? this.#object[key] : undefined;
  }

  #path(key: string): string {
    return this.#at === "" ? key : `${this.#at}.${key}`;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function member<K extends string, T>(key: K, value: T): { readonly [P in K]?: T } {
  const object: { [P in K]?: T } = {};
  object[key] = value;
  return object;
}
