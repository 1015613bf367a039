/** One instruction of a Dockerfile, of the few kinds that this project's has. */
export type Instruction =
  | { readonly kind: 'from'; readonly image: string; readonly name: string | null }
  | { readonly kind: 'workdir'; readonly path: string }
  | { readonly kind: 'env'; readonly name: string; readonly value: string }
  /** `command` is for a shell, without the options that are for the engine. */
  | { readonly kind: 'run'; readonly command: string }
  | {
      readonly kind: 'copy';
      readonly from: string | null;
      readonly sources: readonly string[];
      readonly target: string;
    }
  | { readonly kind: 'user'; readonly uid: number; readonly gid: number }
  | { readonly kind: 'expose'; readonly port: number }
  | { readonly kind: 'cmd'; readonly command: readonly string[] };

/** Reads a Dockerfile; throws for anything that it does not know, so that nothing is passed over in silence. */
export function readDockerfile(text: string): readonly Instruction[] {
  return text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(instruction);
}

function instruction(line: string): Instruction {
  const [, word = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
  switch (word) {
    case 'FROM': {
      const [image = '', , name] = rest.split(/\s+/);
      return { kind: 'from', image, name: name ?? null };
    }
    case 'WORKDIR':
      return { kind: 'workdir', path: rest };
    case 'ENV': {
      const [, name = '', value = ''] = /^(\w+)=(\S*)$/.exec(rest) ?? unknown(line);
      return { kind: 'env', name, value };
    }
    case 'RUN':
      return { kind: 'run', command: rest.replace(/^(--\S+\s+)+/, '') };
    case 'COPY': {
      const [, from = null] = /--from=(\S+)/.exec(rest) ?? [];
      const paths = rest.split(/\s+/).filter((part) => !part.startsWith('--'));
      const target = paths.pop();
      if (target === undefined || paths.length === 0) return unknown(line);
      return { kind: 'copy', from, sources: paths, target };
    }
    case 'USER': {
      const [, uid, gid] = /^(\d+):(\d+)$/.exec(rest) ?? unknown(line);
      return { kind: 'user', uid: Number(uid), gid: Number(gid) };
    }
    case 'EXPOSE':
      return { kind: 'expose', port: Number(rest) };
    case 'CMD':
      return { kind: 'cmd', command: JSON.parse(rest) as readonly string[] };
    default:
      return unknown(line);
  }
}

function unknown(line: string): never {
  throw new Error(`this reader of Dockerfiles does not know: ${line}`);
}

/** Whether `.dockerignore` keeps a path, relative to the context, from the build. Throws for a pattern that it does not know. */
export function dockerIgnore(text: string): (path: string) => boolean {
  const patterns = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const tests = patterns.map((pattern) => {
    if (!/^[\w./*-]+$/.test(pattern) || pattern.includes('**'))
      throw new Error(`this reader of .dockerignore does not know: ${pattern}`);
    const source = pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*');
    return new RegExp(`^${source}(/|$)`);
  });
  return (path) => tests.some((test) => test.test(path));
}
