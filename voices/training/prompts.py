#!/usr/bin/env python3
"""Sentences to be spoken by the teacher: prose from the documentation on this machine, and made-up sentences.

usage: prompts.py SENTENCES.tsv [--prose N] [--templates N] ...      writes id<TAB>text

Only the text is used, and only as a prompt: none of it is in the voice. What is made depends on the installed
documentation and on --seed alone.
"""
import argparse
import glob
import gzip
import os
import random
import re

LEXICON = "/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict"
DOCUMENTATION = [
    "/usr/share/vim/vim*/doc/*.txt", "/usr/share/info/*.gz", "/usr/share/common-licenses/*",
    "/usr/share/perl/*/pod/*.pod", "/usr/share/perl/*/**/*.pm", "/usr/share/perl/*/**/*.pod",
    "/usr/lib/python3*/**/*.py", "/usr/lib/python3/dist-packages/torch/**/*.py",
    "/usr/share/doc/**/README*", "/usr/share/doc/**/NEWS*", "/usr/share/doc/**/*.html",
    "/usr/share/doc/**/*.txt", "/usr/share/man/man[1578]/*.gz",
]
WORD = re.compile(r"[A-Za-z']+")
SENTENCE = re.compile(r"(?<![\w.])([A-Z][A-Za-z' ,;:\-\"()]{14,200}?[.?!])(?=\s|$)")
SENTENCES_PER_FILE = 400


def read_vocabulary(path):
    """The words of a pronouncing dictionary: its first column."""
    with open(path, encoding="latin-1") as lines:
        words = (line.split()[0].lower() for line in lines)
        return {word for word in words if re.fullmatch(r"[a-z]+('[a-z]+)?", word)}


# ---------------------------------------------------------------- prose


def read_text(path):
    opened = gzip.open if path.endswith(".gz") else open
    try:
        with opened(path, "rt", encoding="utf-8", errors="ignore") as file:
            text = file.read(3_000_000)
    except (OSError, EOFError):
        return ""
    if "/man/" in path:
        text = re.sub(r"^[.'].*$", "\n\n", text, flags=re.M)
        text = re.sub(r"\\f.|\\&|\\", "", text)
    return re.sub(r"<[^>]{1,80}>", " ", text)


def is_speakable(sentence, vocabulary):
    """Ordinary words only: the teacher guesses at the others, and the aligner would have to."""
    words = WORD.findall(sentence)
    lower = [word.lower() for word in words]
    return (
        3 <= len(words) <= 25
        and sentence.count("(") == sentence.count(")")
        and sentence.count('"') % 2 == 0
        and all(word in vocabulary for word in lower)
        and not any(len(word) > 1 and word.isupper() for word in words)
        and not any(len(word) == 1 and word not in ("a", "i") for word in lower)
        and "--" not in sentence
        and " - " not in sentence
        and "'" not in re.sub(r"\w'\w", "", sentence)
    )


def collect_prose(vocabulary, count, rng):
    """`count` sentences, those with rarer words preferred; and how often each word was seen."""
    files = sorted({f for pattern in DOCUMENTATION for f in glob.glob(pattern, recursive=True) if os.path.isfile(f)})
    rng.shuffle(files)
    seen, found, frequency = set(), [], {}
    for path in files:
        taken = 0
        for paragraph in re.split(r"\n\s*\n", read_text(path)):
            for match in SENTENCE.finditer(re.sub(r"\s+", " ", paragraph)):
                sentence = match.group(1)
                words = [word.lower() for word in WORD.findall(sentence)]
                key = " ".join(words)
                if key in seen or not is_speakable(sentence, vocabulary):
                    continue
                seen.add(key)
                found.append(sentence)
                taken += 1
                for word in words:
                    frequency[word] = frequency.get(word, 0) + 1
            if taken > SENTENCES_PER_FILE:
                break
        if len(found) > 14 * count:
            break

    def rarity(sentence):
        words = [word.lower() for word in WORD.findall(sentence)]
        return sum(frequency[word] ** -0.5 for word in words) / len(words)

    rng.shuffle(found)
    rare = sorted(found, key=rarity, reverse=True)[: 3 * count]
    rng.shuffle(rare)
    return rare[:count], frequency


# ---------------------------------------------------------------- made-up sentences

FIRST = """Anna Boris Carla David Elena Frank Georgia Henry Isabel Jacob Keith Laura Martin Nora Oscar Paula Quentin Ruth
Samuel Teresa Ursula Victor Wendy Xavier Yvonne Zachary Joyce Troy Beth Hugh Roy Thea Faith Ethan Joy John James Robert
Michael William Richard Charles Thomas Daniel Matthew Mark Steven Paul Andrew Kevin Brian George Edward Mary Linda
Barbara Susan Karen Nancy Betty Helen Sandra Donna Carol Michelle Emily Amanda Sarah Jennifer Jessica Patricia""".split()
LAST = """Smith Johnson Williams Jones Brown Davis Miller Wilson Moore Taylor Anderson Thomas Jackson White Harris Martin
Thompson Garcia Martinez Robinson Clark Rodriguez Lewis Lee Walker Hall Allen Young Hernandez King Wright Lopez Hill
Scott Green Adams Baker Gonzalez Nelson Carter Mitchell Perez Roberts Turner Phillips Campbell Parker Evans Edwards
Collins Stewart Sanchez Morris Rogers Reed Cook Morgan Bell Murphy Bailey Rivera Cooper Richardson Cox Howard Ward
Peterson Gray Watson Brooks Kelly Sanders Price Bennett Wood Barnes Ross Henderson Coleman Jenkins Perry Powell""".split()
TITLES = "Doctor|Senator|Professor|Judge|Mayor|Governor|President|Captain|Mister|Missus|Miss|Sergeant".split("|")
PLACES = """Chicago|Boston|London|Paris|Berlin|Toronto|Houston|Denver|Seattle|Dublin|Sydney|Geneva|Nairobi|Tokyo|Madrid|
Vienna|Ohio|Texas|Georgia|Oregon|Arizona|Michigan|Brussels|Warsaw|Cairo|Delhi|Jakarta|Athens|New York|Los Angeles|
San Francisco|Washington|Philadelphia|Dallas|Detroit|Miami|Atlanta|California|Florida|Virginia|Moscow|Beijing|Mexico|
Canada|Germany|France|Italy|Spain|China|Japan|Russia|Brazil|India|Israel|Egypt|Africa|Europe""".replace("\n", "").split("|")
PEOPLE = """the minister|the mayor|a spokesman|the company|the teacher|my brother|our neighbor|the young doctor|the judge|
the committee|the old sailor|her uncle|the children|two students|the pilot|the engineers|a small group of people|
the government|the police|the farmer|scientists|officials|the owner|the board|the president|the union|voters|
the city council|a spokeswoman|the coach|the court|the senator|residents|the airline|firefighters|the hospital|
the central bank|the workers|his lawyer|the army|parents|the university|investors|a witness|the driver""".replace("\n", "").split("|")
VERBS = """announced|denied|measured|bought|sold|watched|repaired|enjoyed|refused|described|noticed|crossed|painted|
followed|moved|carried|finished|chose|changed|judged|avoided|teased|reached|pushed|loved|taught|heard|missed|shared|
voiced|urged|joined|paid for|thought about|looked at|laughed at|paused near|asked about|argued over|shouted at|approved|
rejected|criticized|closed|opened|lost|won|found|built|cancelled|delayed|promised|supported|welcomed|blocked""".replace("\n", "").split("|")
THINGS = """the new budget|a yellow house|the broken window|the long bridge|fresh oranges|a thick blue book|
the weather report|their vision|the usual pleasure|a measure of sugar|the garage|the north shore|a cheap watch|
the judge's chair|some boiled oysters|the noisy crowd|a pure white cloud|the fourth exam|a loose tooth|the royal family|
an hour of music|a beige jacket|the thin cloth|the brown mouse|the poor cure|a large choice|the zoo|the azure sea|
an early return|the hospital|a third of the money|the yearly sum|a quick fox|strong wind|the whole truth|the election|
higher taxes|a new contract|the final game|the peace talks|the old factory|interest rates|a public hearing|
the school board|the border|health care|the report|a vaccine|the strike|the airport|oil prices|the museum|
climate change|the highway|a long trial|the railway station|gas prices|a record profit|the parliament""".replace("\n", "").split("|")
ADVERBIALS = """quietly|on Monday|last Tuesday|on Wednesday|on Thursday|this Friday|early on Saturday|every Sunday|
in January|in February|since March|before April|after August|last October|without delay|for the third time|
in the middle of the night|during the afternoon|as usual|with great pleasure|at the edge of town|near the river|
at half past four|with a smile|again|in November|last year|next month|two weeks ago|for the first time|
late on Sunday night|by the end of the year|after a long debate|in the north of the country""".replace("\n", "").split("|")
MONTHS = """January February March April May June July August September October November December""".split()
UNITS = "one two three four five six seven eight nine".split()
TEENS = """ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen""".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fifteenth
twentieth thirtieth""".split()
QUESTION_WORDS = "Who|What|Where|When|Why|How|Which one".split("|")
INFINITIVES = """buy see like watch finish choose measure join hear avoid open want need take bring know leave sell paint
help read call close win lose find build support""".split()
CONTINUING = "raining snowing working coming leaving waiting talking sleeping moving burning singing closing".split()


def capital(text):
    return text[0].upper() + text[1:]


class MadeUp:
    """Sentences over the word list: grammar enough for melody, words enough for every sound."""

    def __init__(self, rng, vocabulary, frequency):
        self.rng = rng
        self.pick = rng.choice
        self.rare_words = sorted(word for word in vocabulary if 2 < len(word) < 13 and "'" not in word)
        common = sorted((w for w, n in frequency.items() if n > 4 and len(w) > 3), key=lambda w: (-frequency[w], w))
        self.common_words = common[:4000]

    def rare(self):
        return self.pick(self.rare_words)

    def common(self):
        return self.pick(self.common_words)

    def below_hundred(self):
        kind = self.rng.random()
        if kind < 0.3:
            return self.pick(UNITS)
        if kind < 0.5:
            return self.pick(TEENS)
        return self.pick(TENS) + (" " + self.pick(UNITS) if kind < 0.85 else "")

    def number(self):
        kind = self.rng.random()
        if kind < 0.45:
            return self.below_hundred()
        if kind < 0.6:
            return f"{self.pick(UNITS)} hundred{self.pick([' ', ' and '])}{self.below_hundred()}"
        if kind < 0.72:
            return f"{self.below_hundred()} thousand {self.pick(UNITS)} hundred"
        if kind < 0.86:
            return f"{self.below_hundred()} {self.pick(['million', 'billion', 'percent', 'hundred', 'thousand'])}"
        return f"{self.below_hundred()} point {self.pick(UNITS)} {self.pick(['percent', 'million', 'billion'])}"

    def year(self):
        century = self.pick(["nineteen", "eighteen", "seventeen", "twenty", "nineteen"])
        return self.pick([f"{century} {self.pick(TENS)} {self.pick(UNITS)}", f"{century} {self.pick(TEENS)}",
                          f"two thousand and {self.pick(UNITS)}"])

    def clock(self):
        hour = self.pick(UNITS + TEENS[:3])
        return self.pick([f"{hour} o'clock", f"half past {hour}", f"{hour} {self.pick(TENS[:4])}",
                          f"a quarter to {hour}", f"{hour} {self.pick(TENS[:4])} {self.pick(UNITS)}"])

    def date(self):
        day = self.pick(ORDINALS)
        return self.pick([f"the {day} of {self.pick(MONTHS)}", f"{self.pick(MONTHS)} {day}"])

    def name(self):
        full = f"{self.pick(FIRST)} {self.pick(LAST)}"
        return self.pick([full, full, f"{self.pick(TITLES)} {self.pick(LAST)}", f"{self.pick(TITLES)} {full}"])

    def noun_phrase(self):
        kind = self.rng.random()
        if kind < 0.45:
            return self.pick(THINGS)
        if kind < 0.7:
            return f"the {self.common()} {self.common()}"
        return self.pick(["the ", "a ", "some ", "this ", "every ", "their ", "your ", "his "]) + self.rare()

    def who(self):
        kind = self.rng.random()
        if kind < 0.3:
            return self.pick(FIRST)
        return self.pick(PEOPLE) if kind < 0.8 else f"the {self.rare()} {self.common()}"

    def verb_phrase(self):
        return f"{self.pick(VERBS)} {self.noun_phrase()}"

    def end(self):
        return self.rng.choices([".", "!"], [8, 1])[0]

    def statement(self):
        who, did, thing, when = self.who, self.verb_phrase, self.noun_phrase, lambda: self.pick(ADVERBIALS)
        pick, common, rare, place = self.pick, self.common, self.rare, lambda: self.pick(PLACES)
        kinds = [
            (6, lambda: f"{capital(who())} {did()} {when()}{self.end()}"),
            (6, lambda: f"{capital(who())} {did()}, and {who()} {did()}{self.end()}"),
            (5, lambda: f"{capital(when())}, {who()} {did()}{self.end()}"),
            (5, lambda: f"In {place()}, {who()} {did()}, but {who()} {did()} {when()}."),
            (2, lambda: f"Dear {pick(FIRST)}: please bring {thing()}, {thing()}, and {thing()}!"),
            (3, lambda: f'"{capital(thing())} {pick(["is", "was", "seems"])} {common()}," said {who()}.'),
            (3, lambda: f"{capital(thing())} ({thing()}) was {pick(['near', 'under', 'above', 'behind'])} {thing()}."),
            (4, lambda: f"{capital(rare())} {rare()} {common()} {rare()}{self.end()}"),
            (3, lambda: f"{pick(['Yes', 'No', 'Well', 'Oh', 'Okay', 'Thanks', 'Hello', 'Sorry'])}, {who()} {did()}."),
            (2, lambda: f"If {who()} {did()}, then {who()} won't {common()} {thing()}."),
            (3, lambda: f"{capital(who())} said that {who()} {did()} because {who()} {did()} {when()}."),
            (3, lambda: f"Although {who()} {did()}, {who()} {did()} {when()}."),
            (3, lambda: f"{capital(who())}, who {did()} {when()}, {did()}."),
            (4, lambda: f"I think you {pick(['should', 'could', 'must', 'can'])} {common()} the {rare()} from {place()}."),
            (4, lambda: f"{pick(['We', 'They', 'You', 'I'])} {pick(['have', 'will', 'can', 'do not', 'never'])} "
                        f"{common()} {thing()} {when()}{self.end()}"),
        ]
        return self.rng.choices([k for _, k in kinds], [w for w, _ in kinds])[0]()

    def question(self):
        def who():
            return self.who() if self.rng.random() < 0.6 else self.pick(["you", "they", "we", "he", "she", "it", "I"])

        pick, thing, place = self.pick, self.noun_phrase, lambda: self.pick(PLACES)
        when = lambda: self.pick(["", " " + self.pick(ADVERBIALS)])
        kinds = [
            (2, lambda: f"{pick(['Is', 'Was'])} {pick(['it', 'he', 'she', 'this', self.who()])} {pick(CONTINUING)} in {place()}?"),
            (4, lambda: f"{pick('Do Did Can Could Will Would Should May'.split())} {who()} {pick(INFINITIVES)} {thing()}{when()}?"),
            (2, lambda: f"{pick(['Have', 'Has', 'Had'])} {who()} {pick('seen heard taken finished left sold'.split())} {thing()}?"),
            (2, lambda: f"Are {pick(['you', 'they', 'we'])} {pick([*CONTINUING, self.common()])}{when()}?"),
            (2, lambda: f"{pick(['Is', 'Was'])} {thing()} {pick(['ready', 'cold', 'worth it', 'far away', 'here', 'safe', 'in ' + place()])}?"),
            (1, lambda: f"Would you like {thing()} or {thing()}?"),
            (4, lambda: f"{pick(QUESTION_WORDS)} {pick(['is', 'was', 'about'])} {thing()}{pick(['', ' in ' + place()])}?"),
            (4, lambda: f"{pick('Where When Why How'.split())} {pick(['did', 'does', 'will'])} {who()} {pick(INFINITIVES)} {thing()}?"),
            (2, lambda: f"Who {self.verb_phrase()}{when()}?"),
            (1, lambda: f"{pick(['Really', 'Why not', 'Who', 'Today', 'Here', capital(self.common())])}?"),
        ]
        return self.rng.choices([k for _, k in kinds], [w for w, _ in kinds])[0]()

    def title(self):
        """One to four words; most without a full stop, as titles are."""
        noun = lambda: self.pick(THINGS).split(" ", 1)[-1]
        word = lambda: self.pick([self.common(), self.common(), self.rare()])
        text = self.pick([
            word, word, lambda: f"{word()} {word()}", lambda: f"{word()} {noun()}", noun,
            lambda: f"{noun()} {self.pick(VERBS)}", lambda: f"{self.pick(PLACES)} {self.pick(VERBS)} {noun()}",
            lambda: f"{word()} {word()} {word()}", lambda: f"{self.pick(LAST)} {self.pick(VERBS)} {noun()}",
            lambda: f"{self.number()} {word()}", lambda: f"{word()} in {self.pick(PLACES)}", self.name,
        ])()
        return capital(text) + self.rng.choices(["", ".", "?", "!"], [12, 4, 1, 1])[0]

    def enumeration(self):
        """Three to five things one after the other."""
        kind = self.pick([lambda: self.pick(PLACES), lambda: self.pick(FIRST), self.name, self.common,
                          self.noun_phrase, self.number, lambda: self.pick(THINGS)])
        items = [kind() for _ in range(self.rng.randint(3, 5))]
        series = f"{', '.join(items[:-1])}{self.pick([',', ','])} {self.pick(['and', 'and', 'or'])} {items[-1]}"
        return self.pick([
            lambda: f"{capital(self.who())} {self.pick(VERBS)} {series}.",
            lambda: f"{capital(series)} {self.verb_phrase()}.",
            lambda: f"There were {series}.",
            lambda: f"{capital(self.who())} asked about {series} {self.pick(ADVERBIALS)}.",
        ])()

    def number_or_name(self):
        pick, number, name, who = self.pick, self.number, self.name, self.who
        return pick([
            lambda: f"{capital(who())} paid {number()} dollars for {self.noun_phrase()}.",
            lambda: f"About {number()} people {self.verb_phrase()}; {number()} of them {self.verb_phrase()}.",
            lambda: f"The number is {number()}, {number()}, {number()}.",
            lambda: f"{name()} was born on {self.date()}, {self.year()}.",
            lambda: f"In {self.year()}, {who()} {self.verb_phrase()}.",
            lambda: f"{name()} of {pick(PLACES)} {self.verb_phrase()} at {self.clock()}.",
            lambda: f"{name()}, aged {self.below_hundred()}, {self.verb_phrase()}.",
            lambda: f"{name()} and {name()} {self.verb_phrase()} {pick(ADVERBIALS)}.",
            lambda: f"The train from {pick(PLACES)} leaves at {self.clock()}.",
            lambda: f"Prices rose {pick(['by', 'to'])} {number()} {pick(['in', 'since'])} {pick(MONTHS)}.",
            lambda: f"The vote was {self.below_hundred()} to {self.below_hundred()}.",
            lambda: f"Call {', '.join(' '.join(pick(UNITS) for _ in range(3)) for _ in range(2))}.",
            lambda: f'"{capital(self.noun_phrase())} is {self.common()}," {name()} said {pick(ADVERBIALS)}.',
        ])()


def distinct(make, count):
    made = set()
    while len(made) < count:
        made.add(make())
    return sorted(made)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--prose", type=int, default=5000)
    parser.add_argument("--statements", type=int, default=3500)
    parser.add_argument("--questions", type=int, default=1200)
    parser.add_argument("--titles", type=int, default=1200)
    parser.add_argument("--enumerations", type=int, default=500)
    parser.add_argument("--numbers", type=int, default=1300)
    parser.add_argument("--lexicon", default=LEXICON)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)

    vocabulary = read_vocabulary(args.lexicon)
    prose, frequency = collect_prose(vocabulary, args.prose, rng)
    made_up = MadeUp(rng, vocabulary, frequency)
    sentences = [
        *prose,
        *distinct(made_up.statement, args.statements),
        *distinct(made_up.question, args.questions),
        *distinct(made_up.title, args.titles),
        *distinct(made_up.enumeration, args.enumerations),
        *distinct(made_up.number_or_name, args.numbers),
    ]
    rng.shuffle(sentences)
    with open(args.out, "w", encoding="utf-8") as out:
        out.writelines(f"{index}\t{sentence}\n" for index, sentence in enumerate(sentences))
    words = {word.lower() for sentence in sentences for word in WORD.findall(sentence)}
    print(f"{len(prose)} sentences of prose, {len(sentences)} in all, {len(words)} distinct words")


if __name__ == "__main__":
    main()
