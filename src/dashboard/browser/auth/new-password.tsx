import type { ApiError } from '../api.ts';
import { TextField } from '../components/field.tsx';

interface NewPasswordProps {
  /** Tells a password manager which account the password belongs to. */
  readonly email?: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly problem: ApiError | undefined;
}

/** The field for a new password. */
export function NewPassword({ email, ...field }: NewPasswordProps) {
  return (
    <>
      {email !== undefined && <input type="email" autoComplete="username" value={email} readOnly hidden />}
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        hint="At least 12 characters. A passphrase of several words is easy to remember."
        {...field}
      />
    </>
  );
}
