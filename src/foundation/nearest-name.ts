/**
 * The name of `known` that `name` was most likely meant to be, `undefined` if none is near: at most a third of its
 * letters may differ (case never counts). Names over 64 characters have no neighbour, so that hostile keys stay cheap.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length === 0 || name.length > maxNameLength) return undefined;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

const maxNameLength = 64;

/** Insertions, deletions and replacements, and neighbours that changed places (Damerau's restricted distance). */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = at(last, column - 1) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const swapped =
        left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
          ? at(beforeLast, column - 2) + 1
          : Number.POSITIVE_INFINITY;
      current.push(Math.min(at(last, column) + 1, at(current, column - 1) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, right.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
