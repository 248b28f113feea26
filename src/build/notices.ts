import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const projectFolder = join(import.meta.dir, '../..');
const packageFolder = join(projectFolder, 'node_modules');

/** Needed by a package to be typed or installed, not to run: not in the executable. */
const notShipped = new Set([
  '@scarf/scarf',
  '@types/bun',
  'typescript',
  'openapi-types',
  'adm-zip',
  'global-agent',
]);

type Manifest = {
  name: string;
  version: string;
  license?: string;
  author?: string | { name: string };
  repository?: string | { url: string };
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};

if (import.meta.main) writeFileSync(join(projectFolder, 'THIRD-PARTY-NOTICES.md'), notices());

/** The notices of everything that is not Lectern's own in the executable, as one Markdown text. */
export function notices(): string {
  const parts = [
    '# Third-party notices',
    'What others have made and the executable contains. Written by `bun src/build/notices.ts`; do not edit.',
    ...textsIn('src/build/notices'),
    readFileSync(join(projectFolder, 'voices/LICENSE.md'), 'utf8').replace(/^#/gm, '##').trim(),
    ...shippedPackages().map(packageNotice),
    ...readdirSync(join(projectFolder, 'LICENSES')).sort().map(licenseText),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The packages that the program needs to run, with what they need in turn, by name. */
export function shippedPackages(): string[] {
  const found = new Set<string>();
  const visit = (name: string) => {
    // A peer that is optional and absent is not shipped either.
    if (found.has(name) || notShipped.has(name) || !existsSync(join(packageFolder, name))) return;
    found.add(name);
    const { dependencies, peerDependencies } = readManifest(join(packageFolder, name));
    for (const needed of Object.keys({ ...dependencies, ...peerDependencies })) visit(needed);
  };
  for (const name of Object.keys(readManifest(projectFolder).dependencies ?? {})) visit(name);
  return [...found].sort();
}

function packageNotice(name: string): string {
  const folder = join(packageFolder, name);
  const { version, license, author, repository } = readManifest(folder);
  const url = typeof repository === 'object' ? repository.url : (repository ?? '');
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8'));
  if (texts.length === 0) {
    texts.push(ownText(name, license, (typeof author === 'object' ? author.name : author) ?? name));
  }
  return `## ${name} ${version}\n\n${license}; ${url}\n\n${texts.map(quote).join('\n\n')}`;
}

/** Of a package that names its licence only. */
function ownText(name: string, license: string | undefined, holder: string): string {
  if (license === 'MIT') return mitLicense(holder);
  if (license === 'Unlicense') return unlicense();
  throw new Error(`${name} comes without the text of its licence`);
}

function textsIn(folder: string): string[] {
  const names = readdirSync(join(projectFolder, folder)).sort();
  return names.map((name) => readFileSync(join(projectFolder, folder, name), 'utf8').trim());
}

function licenseText(file: string): string {
  const text = readFileSync(join(projectFolder, 'LICENSES', file), 'utf8');
  return `## ${file.replace(/\.txt$/, '')}\n\n${quote(text)}`;
}

function quote(text: string): string {
  return `\`\`\`\`text\n${text.replace(/\r/g, '').trim()}\n\`\`\`\``;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function mitLicense(holder: string): string {
  return `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}

function unlicense(): string {
  return `This is free and unencumbered software released into the public domain.

Anyone is free to copy, modify, publish, use, compile, sell, or distribute this software, either in source code form or
as a compiled binary, for any purpose, commercial or non-commercial, and by any means.

In jurisdictions that recognize copyright laws, the author or authors of this software dedicate any and all copyright
interest in the software to the public domain. We make this dedication for the benefit of the public at large and to the
detriment of our heirs and successors. We intend this dedication to be an overt act of relinquishment in perpetuity of
all present and future rights to this software under copyright law.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

For more information, please refer to <https://unlicense.org/>`;
}
