import { describe, expect, test } from 'bun:test';
import {
  classifyLicense,
  describeLicenseProblem,
  parseModelCardLicense,
  resolveLicense,
} from '../../src/voices/license.ts';

describe('the name of a license', () => {
  test.each([
    ...['CC0', 'CC-0', 'CC0 1.0', 'CC0-1.0', 'Creative Commons CC0', 'Public Domain', 'Unlicense'],
    ...['CC BY 4.0', 'cc-by-4.0', 'CC-BY-SA 4.0', 'CC-BY', 'CC BY 3.0 Unported'],
    'Creative Commons Attribution 4.0 International Public License',
    'Creative Commons Attribution-ShareAlike 4.0 International',
    ...['MIT', 'MIT License', 'MIT License.', 'ISC', 'BSD', 'BSD-3-Clause', 'BSD 2 Clause License'],
    ...['Apache 2.0', 'Apache-2.0', 'Apache License, Version 2.0', 'MPL-2.0'],
    ...['GPL-3.0-or-later', 'GPLv3', 'LGPL 3.0', 'AGPL-3.0-only'],
    'https://creativecommons.org/licenses/by/4.0/',
    'https://creativecommons.org/publicdomain/zero/1.0/',
    'CC0 (https://creativecommons.org/publicdomain/zero/1.0/)',
    'https://opensource.org/licenses/MIT',
  ])('is known to be free: %s', (name) => {
    expect(classifyLicense(name)).toBe('free');
    expect(describeLicenseProblem({ license: name, status: 'free' })).toBeUndefined();
  });

  test.each([
    ...['CC BY-NC 4.0', 'CC-BY-NC-SA-4.0', 'cc by nc nd 4.0', 'CC BY-NC'],
    'Creative Commons Attribution-NonCommercial 4.0',
    'https://creativecommons.org/licenses/by-nc/4.0/',
    ...['MIT, but non commercial', 'Free for research only', 'Personal use'],
  ])('forbids to earn money: %s', (name) => {
    expect(classifyLicense(name)).toBe('non_commercial');
  });

  test.each([
    ...['See URL', 'custom', 'CC BY-ND 4.0', 'MITx', 'not MIT', 'free', 'Blizzard 2013'],
    'https://www.example.org/license.html',
    'https://example.org/?https://opensource.org/licenses/MIT',
    'all rights reserved (https://opensource.org/licenses/MIT)',
  ])('is not known: %s', (name) => {
    expect(classifyLicense(name)).toBe('unknown');
  });

  test('is missing if the text is empty', () => {
    for (const nothing of [null, '', '  ', '\n']) expect(classifyLicense(nothing)).toBe('missing');
  });
});

describe('a model card', () => {
  const buildCard = (line: string) =>
    `# Model card for alba (medium)\n\n* Language: en_GB\n* Speakers: 1\n\n## Dataset\n\n* URL: https://a.example\n${line}\n\n## Training\n\nFinetuned\n`;

  test.each([
    ['* License: CC BY 4.0', 'CC BY 4.0'],
    ['* Licence: Public domain\r', 'Public domain'],
    ['**License:** MIT', 'MIT'],
    ['- license : https://example.org/terms', 'https://example.org/terms'],
    ['license: cc0', 'cc0'],
  ])('names its licence: %j', (line, license) => {
    expect(parseModelCardLicense(buildCard(line))).toBe(license);
  });

  test.each(['', '* License:', 'The license is unclear', '* Licensed: MIT'])('names none: %j', (line) => {
    expect(parseModelCardLicense(buildCard(line))).toBeNull();
  });

  test('of hostile length is read in linear time, and has a short name', () => {
    const long = `${' '.repeat(100_000)}\n${'* '.repeat(50_000)}\nlicense: ${'x'.repeat(100_000)}`;
    expect(parseModelCardLicense(long)?.length).toBeLessThanOrEqual(500);
    expect(classifyLicense('cc-'.repeat(100_000))).toBe('unknown');
  });
});

describe('license sources', () => {
  test('are read in order: the first license applies', () => {
    expect(resolveLicense('CC0', 'See URL', null)).toEqual({ license: 'CC0', status: 'free' });
    expect(resolveLicense(undefined, null, 'MIT')).toEqual({ license: 'MIT', status: 'free' });
    expect(resolveLicense(' ', null)).toEqual({ license: null, status: 'missing' });
  });

  test('are all searched for a license that forbids commercial use', () => {
    expect(resolveLicense('CC0', 'CC BY-NC 4.0')).toEqual({
      license: 'CC BY-NC 4.0',
      status: 'non_commercial',
    });
  });
});
