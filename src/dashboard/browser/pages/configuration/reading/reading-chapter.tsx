import { useState } from 'preact/hooks';
import { api, ask, part } from '../../../api.ts';
import { useAction } from '../../../loading.ts';
import { CheckField, SelectField, TextArea, TextField } from '../../../parts/field.tsx';
import { Form } from '../../../parts/form.tsx';
import { Section } from '../../../parts/page.tsx';
import { useToast } from '../../../parts/toasts.tsx';
import { useSite } from '../../../site.tsx';
import { fieldsBehind } from '../field-names.ts';
import { RemakeSection } from './remake-section.tsx';

const bitRatesKbps = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160] as const;
const lineFields = ['intro', 'outro', 'disclosure', 'speed', 'tables'] as const;

/** What is read of an article, and how. */
export function ReadingChapter() {
  const { canEdit } = useSite();
  return (
    <>
      <ReadingSection />
      {canEdit && <RemakeSection />}
    </>
  );
}

function ReadingSection() {
  const { site, canEdit, reload } = useSite();
  const tell = useToast();
  const { reading } = site;
  const [fields, setFields] = useState({
    ...reading,
    speed: String(reading.speed),
    leave_out: reading.leave_out.join('\n'),
    keep: reading.keep.join('\n'),
    bitRateKbps: String(site.bit_rate_kbps),
    hasTimingsText: site.timings_text,
  });
  const set = (changed: Partial<typeof fields>) => setFields({ ...fields, ...changed });
  const save = useAction(async () => {
    const { speak_title, tables, intro, outro, disclosure, foreign_passages } = fields;
    await ask(
      api.sites({ site: part(site.slug) }).patch({
        reading: {
          ...{ speak_title, tables, intro, outro, disclosure, foreign_passages },
          leave_out: linesOf(fields.leave_out),
          keep: linesOf(fields.keep),
          speed: Number(fields.speed),
        },
        timings_text: fields.hasTimingsText,
        bit_rate_kbps: bitRatesKbps.find((rate) => String(rate) === fields.bitRateKbps) ?? 64,
      }),
    );
    tell('Saved: it holds for what is made from now on');
    reload();
  });
  const problem = fieldsBehind('reading', save.problem);
  return (
    <Section
      title="Reading"
      about="What is read of an article, and how. It holds for what is made from now on."
    >
      <Form
        action={{ ...save, problem }}
        submit="Save"
        fields={['leave_out', 'keep', ...lineFields]}
        isReadOnly={!canEdit}
      >
        <h3>What is read</h3>
        <CheckField
          label="The title is spoken first"
          isChecked={fields.speak_title}
          onChecked={(speak_title) => set({ speak_title })}
        />
        <SelectField
          label="Tables"
          value={fields.tables}
          onValue={(tables) => set({ tables: tables === 'none' ? 'none' : 'rows' })}
          options={[
            { value: 'rows', label: 'Read row by row' },
            { value: 'none', label: 'Left out' },
          ]}
        />
        <TextArea
          label="Left out"
          name="leave_out"
          class="code"
          spellcheck={false}
          placeholder={'.newsletter-box\naside.related'}
          hint="CSS selectors, one per line: what they match is not read."
          problem={problem}
          value={fields.leave_out}
          onValue={(leave_out) => set({ leave_out })}
        />
        <TextArea
          label="Read all the same"
          name="keep"
          class="code short"
          spellcheck={false}
          placeholder="figcaption"
          hint="CSS selectors, one per line: what they match is read, though a rule would leave it out, like captions."
          problem={problem}
          value={fields.keep}
          onValue={(keep) => set({ keep })}
        />
        <h3>What is said besides</h3>
        <TextField
          label="Before each article"
          name="intro"
          hint="Like “You are listening to Harbor News.” Empty: nothing."
          problem={problem}
          value={fields.intro}
          onValue={(intro) => set({ intro })}
        />
        <TextField
          label="After each article"
          name="outro"
          problem={problem}
          value={fields.outro}
          onValue={(outro) => set({ outro })}
        />
        <TextField
          label="Disclosure, said last"
          name="disclosure"
          hint="Like “This article was read by a synthetic voice.”"
          problem={problem}
          value={fields.disclosure}
          onValue={(disclosure) => set({ disclosure })}
        />
        <h3>How it sounds</h3>
        <TextField
          label="Speed"
          name="speed"
          type="number"
          min="0.5"
          max="2"
          step="0.05"
          class="narrow"
          hint="0.5 to 2; 1 is as the voice speaks. Listeners choose their own besides."
          problem={problem}
          value={fields.speed}
          onValue={(speed) => set({ speed })}
        />
        <CheckField
          label="Passages in another language are spoken by a voice of it"
          hint="Where the article’s HTML marks them with lang, and such a voice is installed."
          isChecked={fields.foreign_passages}
          onChecked={(foreign_passages) => set({ foreign_passages })}
        />
        <SelectField
          label="Bit rate of the MP3"
          value={fields.bitRateKbps}
          onValue={(bitRateKbps) => set({ bitRateKbps })}
          hint="64 is good for speech; 96 and more for loudspeakers, less for slow networks."
          options={bitRatesKbps.map((rate) => ({ value: String(rate), label: `${rate} kbit/s` }))}
        />
        <CheckField
          label="Timings carry the text of each sentence"
          hint="The player needs it to mark the sentence that is spoken. Off: whoever has an address of an audio can’t read the article there."
          isChecked={fields.hasTimingsText}
          onChecked={(hasTimingsText) => set({ hasTimingsText })}
        />
      </Form>
    </Section>
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
