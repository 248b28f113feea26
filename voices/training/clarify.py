#!/usr/bin/env python3
"""Makes a student clearer: it goes on learning from its teacher, and now from how well its words are told apart, too.

usage: clarify.py DATASET.npz TEACHER.bin SENTENCES.tsv STUDENT.pt CLEARER.pt VOICE.json... --minutes 30

Each sentence is made audible with the settings of one of the voices. The acoustic model of a recognizer tells how likely
the phone that is spoken sounds against all others, and the student moves its spectra so that it is likelier. Rhythm is
learnt from the teacher alone, and so is melody.
"""
import argparse
import json
import time

import train  # first: it sets how memory is handled
import numpy as np
import torch
import torch.nn.functional as F

from acoustics import AcousticModel, Features
from align import read_teacher
from export import build_vocoder
from model import load_student
from transcript import Chain, read_dictionary, transcribe

LONGEST = 700  # frames of 10 ms
EVALUATED = 40  # sentences
# Of a log likelihood: neighbouring frames tell the same thing again, so one alone is less sure than the model says.
LIKELIHOOD_SCALE = 0.4
NOISE_SCALE = torch.tensor(0.667)


class Sentences:
    """What the teacher has spoken, and what the recognizer should hear."""

    def __init__(self, dataset, teacher, texts):
        self.examples = train.read_examples(dataset, fix_voicing=True)
        with np.load(dataset) as file:
            self.ids = [int(sentence) for sentence in file["sentence"]]
        with open(texts, encoding="utf-8") as lines:
            self.texts = dict(line.rstrip("\n").split("\t", 1) for line in lines)
        self.phones = {sentence: [name for name, _ in phones] for sentence, phones, _ in read_teacher(teacher)}
        self.dictionary = read_dictionary()

    def transcript(self, index):
        sentence = self.ids[index]
        return transcribe(self.texts[str(sentence)], self.phones[sentence], self.dictionary)


class Clarity:
    """How hard phones are to tell from others: mean over frames of -log p(phone | sound), all phones equally likely."""

    def __init__(self, student, vocoders):
        self.student, self.vocoders = student, vocoders
        self.features, self.model = Features(), AcousticModel()

    def __call__(self, made, transcript, vocoder):
        """made: what the student decoded, [FRAME_SIZE, T]. Returns the loss, and the share of frames that are right."""
        chain = Chain(transcript, self.model)
        scores = self.model.scores(self.features(self.audible(made, vocoder)))
        places = chain.align(scores.detach().numpy())
        spoken = ~chain.silent[places // 3]
        scores = scores[torch.from_numpy(np.flatnonzero(spoken))]
        state = torch.from_numpy(chain.states[places[spoken]])
        phone = self.model.phone_of[state]
        right = scores.gather(1, state[:, None])[:, 0]
        others = scores.masked_fill(self.model.phone_of == phone[:, None], -torch.inf)
        loss = F.softplus(torch.logsumexp(others * LIKELIHOOD_SCALE, 1) - right * LIKELIHOOD_SCALE).mean()
        return loss, (self.model.phone_of[scores.argmax(1)] == phone).float().mean()

    def audible(self, made, vocoder):
        frames = self.student.in_units(made[None])
        frames = torch.cat([torch.sigmoid(made[None, :1]), frames[:, 1:2].detach(), frames[:, 2:]], 1)
        return vocoder(frames, NOISE_SCALE)[0, 0]


def evaluate(student, average, losses, clarity, held_out):
    """Errors against the teacher, then of clarity, over sentences that were never trained on"""
    with train.averaged(student, average), torch.no_grad():
        errors, clear = [], []
        for example, transcript in held_out:
            error, made = losses(*train.collate([example], "cpu"))
            errors.append([float(x) for x in error])
            for vocoder in clarity.vocoders:
                clear.append([float(x) for x in clarity(made[0, :, : len(example[2])], transcript, vocoder)])
    return np.mean(errors, 0), np.mean(clear, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("teacher")
    parser.add_argument("sentences")
    parser.add_argument("student")
    parser.add_argument("clearer")
    parser.add_argument("voices", nargs="+")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--weight", type=float, default=0.3, help="of clarity against what the teacher says")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--warm-up", type=int, default=50, help="steps")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()

    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    sentences = Sentences(args.dataset, args.teacher, args.sentences)
    student, symbols = load_student(args.student)
    student.train()
    average = {name: value.detach().clone() for name, value in student.state_dict().items()}
    optimizer = torch.optim.AdamW(student.parameters(), lr=args.rate, betas=(0.9, 0.98), weight_decay=1e-3)
    losses = train.Losses(student)
    vocoders = []
    for path in args.voices:
        with open(path, encoding="utf-8") as file:
            vocoders.append(build_vocoder(student, json.load(file)))
    clarity = Clarity(student, vocoders)
    held_out = [(sentences.examples[k], sentences.transcript(k)) for k in range(train.HELD_OUT)]
    held_out = [pair for pair in held_out if pair[1] is not None][:EVALUATED]
    usable = [k for k in range(train.HELD_OUT, len(sentences.examples)) if len(sentences.examples[k][2]) <= LONGEST]

    def report(minutes, step):
        errors, clear = evaluate(student, average, losses, clarity, held_out)
        torch.save(dict(model=average, config=student.config, symbols=symbols), args.clearer)
        print(f"{minutes:.1f} min, step {step}: duration, voicing, pitch, sound, change {np.round(errors, 4)}, ", end="")
        print(f"clarity {clear[0]:.3f}, frames right {100 * clear[1]:.1f} %", flush=True)

    report(0, 0)
    started = reported = time.monotonic()
    lengths = [len(sentences.examples[k][2]) for k in usable]
    for step, group in enumerate(train.groups(lengths, args.batch, rng)):
        done = (time.monotonic() - started) / (args.minutes * 60)
        if done >= 1:
            break
        train.set_rate(optimizer, args.rate, min(1, (step + 1) / args.warm_up), done)
        indexes = [usable[k] for k in group]
        errors, made = losses(*train.collate([sentences.examples[k] for k in indexes], "cpu"))
        loss = train.weighted(errors)
        for index, frames in zip(indexes, made):
            transcript = sentences.transcript(index)
            if transcript is not None:
                vocoder = vocoders[rng.integers(len(vocoders))]
                unclear, _ = clarity(frames[:, : len(sentences.examples[index][2])], transcript, vocoder)
                loss = loss + args.weight / len(indexes) * unclear
        train.descend(student, optimizer, loss)
        train.follow(average, student, max(0.005, 20 / (step + 21)))
        if time.monotonic() - reported > 120:
            reported = time.monotonic()
            report((reported - started) / 60, step)
    report(args.minutes, step)


if __name__ == "__main__":
    main()
