import { expect, test } from 'bun:test';
import { formatSpeed, formatTable } from '../../src/cli/output.ts';

test('names of users and files cannot break a line of a table or control the terminal', () => {
  const rows = [
    { id: 1, name: 'Al\u001b[2Jder\u0007', license: 'CC BY\nBAD' },
    { id: 2, name: 'Zo\u202eë', license: null },
  ];
  expect(formatTable(rows, 'none')).toBe(
    ['ID  NAME        LICENSE', '1   Al [2Jder   CC BY BAD', '2   Zo ë        -'].join('\n'),
  );
});

test.each([
  [2.5, '0.40 × real time'],
  [0.31, '3.2 × real time'],
  [0.0154, '65 × real time'],
])('a voice with the real-time factor %d speaks at %s', (factor, speed) => {
  expect(formatSpeed(factor)).toBe(speed);
});
