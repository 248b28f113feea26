import type { ApiError } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';

const groupCount = 5;
const groupLength = 4;
/** Characters that are easy to tell apart. */
const signs = 'abcdefghijkmnpqrstuvwxyz23456789';

interface PasswordFieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly problem: ApiError | undefined;
}

/** The password of another user, in plain sight, to be passed on. */
export function PasswordField({ value, onValue, problem }: PasswordFieldProps) {
  return (
    <div class="stack tight">
      <TextField
        label="Password"
        name="password"
        autoComplete="off"
        spellcheck={false}
        hint="At least 12 characters. Give it to the user in person; the user can change it under Account."
        problem={problem}
        value={value}
        onValue={onValue}
      />
      <p>
        <Button isCompact onClick={() => onValue(newPassword())}>
          Generate password
        </Button>
      </p>
    </div>
  );
}

/** @returns 100 random bits in groups of characters */
function newPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(groupCount * groupLength));
  const text = Array.from(bytes, (byte) => signs[byte % signs.length]).join('');
  return (text.match(new RegExp(`.{${groupLength}}`, 'g')) ?? []).join('-');
}
