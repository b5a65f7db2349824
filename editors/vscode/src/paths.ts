// Compares the paths in a trace, as the compiler saw them, with the paths of real files.

/** Removes what is only true on the machine that compiled the program. */
function parts(path: string): string[] {
  const all = path.split(/[/\\]+/).filter((part) => part !== "" && part !== ".");
  const build = all.lastIndexOf("_build");
  // Dune compiles in `_build/CONTEXT`.
  return build >= 0 && build + 2 < all.length ? all.slice(build + 2) : all;
}

export function nameOf(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

export function isInBuild(path: string): boolean {
  return /[/\\]_build[/\\]/.test(path);
}

/** Returns how many parts the ends of two paths have in common. */
export function commonEnd(one: string, two: string): number {
  const [ours, theirs] = [parts(one).reverse(), parts(two).reverse()];
  const differing = ours.findIndex((part, at) => part !== theirs[at]);
  return differing < 0 ? ours.length : differing;
}

/** Returns the path that best matches `wanted`: the longest common end, and outside `_build` if several are as long. */
export function bestMatch(wanted: string, paths: string[]): string | undefined {
  const score = (path: string) => 2 * commonEnd(wanted, path) - Number(isInBuild(path));
  const candidates = paths.filter((path) => commonEnd(wanted, path) > 0);
  return candidates.reduce<string | undefined>(
    (best, path) => (best === undefined || score(path) > score(best) ? path : best),
    undefined,
  );
}

/** Whether `path` can be a file of the trace: a relative path in a trace starts at the root of its project. */
export function canBe(inTrace: string, path: string): boolean {
  const common = commonEnd(inTrace, path);
  const isRelative = !/^([/\\]|[A-Za-z]:)/.test(inTrace) || isInBuild(inTrace);
  return isRelative ? common === parts(inTrace).length : common > 0;
}
