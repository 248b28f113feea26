/** What a look at one part of the installation gave. */
export interface Finding {
  readonly part: string;
  readonly ok: boolean;
  readonly detail: string;
}
