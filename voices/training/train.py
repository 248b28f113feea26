#!/usr/bin/env python3
"""Teaches the student. usage: train.py DATASET.npz STUDENT.pt --minutes 40

Uses CUDA where there is one. The learning rate follows the clock, so that the run ends after --minutes with a small one.
"""
import argparse
import math
import os
import sys
import time
from contextlib import contextmanager

if "MALLOC_TRIM_THRESHOLD_" not in os.environ:
    # Large buffers are kept: giving them back to the system and taking them anew costs more than the arithmetic.
    os.environ.update(
        OMP_WAIT_POLICY="PASSIVE",
        GOMP_SPINCOUNT="0",
        ONEDNN_PRIMITIVE_CACHE_CAPACITY="20000",
        MALLOC_MMAP_THRESHOLD_="8589934592",
        MALLOC_TRIM_THRESHOLD_="8589934592",
        MALLOC_TOP_PAD_="268435456",
    )
    os.execv(sys.executable, [sys.executable, *sys.argv])

import numpy as np
import torch
import torch.nn.functional as F

from model import BANDS, CEPSTRA, FRAME_SIZE, TEACHER_FRAMES, Block, Student, frame_centres

HELD_OUT = 100  # sentences, the first ones, never trained on
QUESTION_MARK = 13  # ids of Piper's standard map, as the following
VOICELESS = [28, 32, 23, 19, 126, 31, 96, 20, 109]  # p t k f θ s ʃ h ʔ
BUZZING = [38, 108]  # z ʒ
PITCH_MIN_HZ, PITCH_MAX_HZ = 50, 400
LOSS_WEIGHTS = (1, 0.5, 1.2, 2, 1)  # durations, voicing, pitch, sound, change of sound


def read_examples(path, fix_voicing):
    """[(ids, durations, frames of 10 ms)]"""
    with np.load(path) as file:
        data = {name: file[name] for name in file.files}
    id_ends, frame_ends = np.cumsum(data["id_counts"]), np.cumsum(data["frame_counts"])
    examples = []
    for id_end, frame_end, id_count, frame_count in zip(id_ends, frame_ends, data["id_counts"], data["frame_counts"]):
        ids = data["ids"][id_end - id_count : id_end].astype(np.int64)
        durations = data["durations"][id_end - id_count : id_end]
        frames = data["frames"][frame_end - frame_count : frame_end].astype(np.float32)
        examples.append((ids, durations, target(ids, durations, frames, fix_voicing)))
    return examples


def target(ids, durations, teacher, fix_voicing):
    pitch, strengths = teacher[:, 0], teacher[:, 1 + CEPSTRA :]
    has_pitch = (pitch > 0) & np.isfinite(pitch)
    voiced = has_pitch
    if fix_voicing:
        # Flite's rms has a pitch in nearly every frame, which makes its hiss buzz: the sound and its lowest band decide.
        symbol = np.repeat(ids, durations.astype(int))
        voiced = voiced & np.where(
            np.isin(symbol, VOICELESS), strengths[:, 0] > 0.84, np.isin(symbol, BUZZING) | (strengths[:, 0] > 0.68)
        )
        strengths = strengths.copy()
        strengths[:, 2:] *= np.where(np.isin(symbol, BUZZING), 0.6, 1)[:, None]
    log_pitch = np.full(len(pitch), np.log(170.0))
    if has_pitch.any():
        known = np.log(np.clip(pitch[has_pitch], PITCH_MIN_HZ, PITCH_MAX_HZ))
        log_pitch = np.interp(np.arange(len(pitch)), np.flatnonzero(has_pitch), known)
    frames = np.concatenate([voiced[:, None], log_pitch[:, None], teacher[:, 1 : 1 + CEPSTRA], strengths], 1)
    if len(frames) % TEACHER_FRAMES:
        frames = np.concatenate([frames, frames[-1:]])
    return frames.reshape(-1, TEACHER_FRAMES, FRAME_SIZE).mean(1).astype(np.float32)


def statistics(examples):
    """Mean and deviation of each value of a frame; the pitch's over voiced frames."""
    frames = np.concatenate([frames for _, _, frames in examples])
    mean, std = frames.mean(0), frames.std(0)
    mean[0], std[0] = 0, 1
    voiced = frames[:, 0] > 0.5
    mean[1], std[1] = frames[voiced, 1].mean(), frames[voiced, 1].std()
    return mean, std


def round_up(count, step):
    """Few distinct shapes: a kernel is compiled for each."""
    return -(-count // step) * step


def collate(batch, device):
    symbols = round_up(max(len(ids) for ids, _, _ in batch), 32)
    times = round_up(max(len(frames) for _, _, frames in batch), 64)
    ids = torch.zeros(len(batch), symbols, dtype=torch.long)
    durations = torch.zeros(len(batch), symbols)
    frames = torch.zeros(len(batch), times, FRAME_SIZE)
    symbol_mask, frame_mask = torch.zeros(len(batch), 1, symbols), torch.zeros(len(batch), 1, times)
    for k, (one_ids, one_durations, one_frames) in enumerate(batch):
        ids[k, : len(one_ids)] = torch.from_numpy(one_ids)
        durations[k, : len(one_durations)] = torch.from_numpy(one_durations)
        frames[k, : len(one_frames)] = torch.from_numpy(one_frames)
        symbol_mask[k, 0, : len(one_ids)] = 1
        frame_mask[k, 0, : len(one_frames)] = 1
    return [x.to(device) for x in (ids, durations, frames.transpose(1, 2), symbol_mask, frame_mask)]


class Losses:
    def __init__(self, student):
        self.student = student
        # Each cepstrum counts between "as much as any" and "as much as it moves the spectrum".
        std = student.std[2 : 2 + CEPSTRA]
        weights = torch.cat([(std / std.mean()) ** 0.6, torch.full((BANDS,), 0.35, device=std.device)])
        self.weights = weights.view(1, -1, 1)

    def __call__(self, ids, durations, frames, symbol_mask, frame_mask):
        """Errors of durations, voicing, pitch, sound, change of sound; and the frames that it decoded"""
        student, count = self.student, frame_mask.sum()
        times = frame_centres(frames.shape[2]).to(ids.device).unsqueeze(0).expand(len(ids), -1)
        meaning, log_duration = student.encode(ids, symbol_mask)
        made = student.decode(student.spread(meaning, durations, times), frame_mask)
        wanted = (frames - student.mean.view(1, -1, 1)) / student.std.view(1, -1, 1)
        duration = F.smooth_l1_loss(log_duration, torch.log1p(durations), beta=0.2, reduction="none")
        voicing = F.binary_cross_entropy_with_logits(made[:, :1], frames[:, :1], reduction="none")
        pitch = (made[:, 1:2] - wanted[:, 1:2]).abs() * (frames[:, :1] * 0.95 + 0.05)
        sound = (made[:, 2:] - wanted[:, 2:]).abs() * self.weights
        change = (made[:, 2:].diff() - wanted[:, 2:].diff()).abs() * self.weights
        errors = (
            (duration * symbol_mask[:, 0]).sum() / symbol_mask.sum() * 4,
            (voicing * frame_mask).sum() / count,
            (pitch * frame_mask).sum() / count,
            (sound * frame_mask).sum() / count / CEPSTRA,
            (change * frame_mask[:, :, 1:]).sum() / count / CEPSTRA,
        )
        return errors, made


def weighted(errors):
    return sum(weight * error for weight, error in zip(LOSS_WEIGHTS, errors))


def groups(lengths, size, rng):
    """Indexes of sentences of like length together, forever."""
    while True:
        order = rng.permutation(len(lengths))
        for start in range(0, len(order), size * 40):
            chunk = sorted(order[start : start + size * 40], key=lambda k: lengths[k])
            parts = [chunk[k : k + size] for k in range(0, len(chunk), size)]
            rng.shuffle(parts)
            yield from parts


def set_rate(optimizer, highest, warmth, done):
    """warmth, done: shares of the warm-up and of the run that are over"""
    for group in optimizer.param_groups:
        group["lr"] = highest * warmth * (0.5 + 0.5 * math.cos(math.pi * done)) + 1e-6


def descend(student, optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
    optimizer.step()


def follow(average, student, share):
    """Moves the average of the weights, which is what is kept in the end, by a share towards the present ones."""
    with torch.no_grad():
        for name, value in student.state_dict().items():
            if value.dtype.is_floating_point:
                average[name].mul_(1 - share).add_(value, alpha=share)


@contextmanager
def averaged(student, average):
    """The student with the average of its weights, and not learning, for a while."""
    present = {name: value.detach().clone() for name, value in student.state_dict().items()}
    student.load_state_dict(average)
    student.eval()
    yield
    student.load_state_dict(present)
    student.train()


def evaluate(student, average, losses, held_out, device):
    parts = [held_out[k : k + 10] for k in range(0, len(held_out), 10)]
    with averaged(student, average), torch.no_grad():
        return np.mean([[float(x) for x in losses(*collate(part, device))[0]] for part in parts], 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset")
    parser.add_argument("student")
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--init", help="a student to go on from")
    parser.add_argument("--fix-voicing", action="store_true", help="what Flite's rms needs")
    parser.add_argument("--questions", type=int, default=3, help="times that each counts")
    parser.add_argument("--encoder", type=int, default=192)
    parser.add_argument("--decoder", type=int, default=192)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--warm-up", type=int, default=200, help="steps")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--bf16", action="store_true", help="faster where the processor has it")
    args = parser.parse_args()

    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    Block.bfloat16 = args.bf16

    examples = read_examples(args.dataset, args.fix_voicing)
    held_out, training = examples[:HELD_OUT], examples[HELD_OUT:]
    # Questions are few and sound like nothing else.
    training += (args.questions - 1) * [example for example in training if (example[0] == QUESTION_MARK).any()]
    symbols = sorted({int(symbol) for ids, _, _ in examples for symbol in ids})
    mean, std = statistics(training[::5])
    student = Student(args.encoder, args.decoder)
    if args.init:
        student.load_state_dict(torch.load(args.init, map_location="cpu")["model"])
    student.mean.copy_(torch.from_numpy(mean))
    student.std.copy_(torch.from_numpy(std))
    student.to(device).train()
    average = {name: value.detach().clone() for name, value in student.state_dict().items()}
    optimizer = torch.optim.AdamW(student.parameters(), lr=args.rate, betas=(0.9, 0.98), weight_decay=1e-3)
    losses = Losses(student)
    millions = sum(p.numel() for p in student.parameters()) / 1e6
    print(f"{millions:.2f} M parameters, {len(training)} sentences, {device}", flush=True)

    def report(minutes, step):
        errors = evaluate(student, average, losses, held_out, device)
        weights = {name: value.cpu() for name, value in average.items()}
        torch.save(dict(model=weights, config=student.config, symbols=symbols), args.student)
        print(f"{minutes:.1f} min, step {step}: duration, voicing, pitch, sound, change {np.round(errors, 4)}", flush=True)

    started = reported = time.monotonic()
    lengths = [len(frames) for _, _, frames in training]
    for step, group in enumerate(groups(lengths, args.batch, rng)):
        done = (time.monotonic() - started) / (args.minutes * 60)
        if done >= 1:
            break
        set_rate(optimizer, args.rate, min(1, (step + 1) / args.warm_up), done)
        errors, _ = losses(*collate([training[k] for k in group], device))
        descend(student, optimizer, weighted(errors))
        follow(average, student, max(0.001, 50 / (step + 51)))
        if time.monotonic() - reported > 60:
            reported = time.monotonic()
            report((reported - started) / 60, step)
    report(args.minutes, step)


if __name__ == "__main__":
    main()
