/** The name that a misspelt one was probably meant to be, or null where none is near. Letter case does not count. */
export function nearestName(name: string, names: readonly string[]): string | null {
  let nearest: string | null = null;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of names) {
    const distance = editDistance(name.toLowerCase().slice(0, 60), candidate.toLowerCase());
    if (distance < least) {
      nearest = candidate;
      least = distance;
    }
  }
  return nearest;
}

/** Letters to add, remove or change to come from one word to the other. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const change = from[row - 1] === to[column - 1] ? 0 : 1;
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + change,
        ),
      );
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
