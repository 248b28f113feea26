import type { Problem } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';

const groupCount = 5;
const groupLength = 4;
/** No sign that looks like another. */
const signs = 'abcdefghijkmnpqrstuvwxyz23456789';

interface PasswordFieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly problem: Problem | undefined;
}

/** A password for somebody else: it is to be read and handed on. */
export function PasswordField({ value, onValue, problem }: PasswordFieldProps) {
  return (
    <div class="password">
      <TextField
        label="Password"
        name="password"
        autoComplete="off"
        spellcheck={false}
        hint="At least 12 characters. Hand it on in person; its owner changes it under their account."
        problem={problem}
        value={value}
        onValue={onValue}
      />
      <Button onClick={() => onValue(newPassword())}>Make one up</Button>
    </div>
  );
}

/** @returns 100 bits in groups that can be read out */
function newPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(groupCount * groupLength));
  const text = Array.from(bytes, (byte) => signs[byte % signs.length]).join('');
  return (text.match(new RegExp(`.{${groupLength}}`, 'g')) ?? []).join('-');
}
