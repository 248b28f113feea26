import type { ApiError } from '../../api.ts';
import { SelectField, TextField } from '../../components/field.tsx';
import { shownTimeZone } from '../../time-zone.ts';

/** What a post has besides its text; times as fields have them. */
export interface PostFieldValues {
  readonly url: string;
  readonly publishAt: string;
  readonly visibility: 'public' | 'private';
  readonly priority: 'high' | 'normal' | 'low';
}

/** Their names in the API. */
export const postFieldNames = ['post_url', 'publish_at', 'visibility', 'priority'];

interface PostFieldsProps {
  readonly values: PostFieldValues;
  readonly onChange: (changes: Partial<PostFieldValues>) => void;
  readonly problem: ApiError | undefined;
  /** Audio waits in the queue, or will. */
  readonly hasPriority: boolean;
}

/** Address, time of publication, who may hear a post. */
export function PostFields({ values, onChange, problem, hasPriority }: PostFieldsProps) {
  return (
    <>
      <TextField
        label="Article URL"
        hint="A player without post-id finds the post by this URL."
        type="url"
        name="post_url"
        placeholder="https://"
        problem={problem}
        value={values.url}
        onValue={(url) => onChange({ url })}
      />
      <TextField
        label="Publish at"
        hint={`Time in ${shownTimeZone()}. The post is not public before. Empty: at once.`}
        type="datetime-local"
        name="publish_at"
        problem={problem}
        value={values.publishAt}
        onValue={(publishAt) => onChange({ publishAt })}
      />
      <SelectField
        label="Who may hear it"
        name="visibility"
        problem={problem}
        value={values.visibility}
        options={[
          { value: 'public', label: 'Everybody: pages and the feed' },
          { value: 'private', label: 'Private: the dashboard and API keys' },
        ]}
        onValue={(value) => onChange({ visibility: value === 'private' ? 'private' : 'public' })}
      />
      {hasPriority && (
        <SelectField
          label="Place in the queue"
          name="priority"
          problem={problem}
          value={values.priority}
          options={[
            { value: 'high', label: 'First' },
            { value: 'normal', label: 'Normal' },
            { value: 'low', label: 'Last' },
          ]}
          onValue={(value) => onChange({ priority: value === 'high' || value === 'low' ? value : 'normal' })}
        />
      )}
    </>
  );
}
