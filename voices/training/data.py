"""Teacher speech in flat arrays on the training device, gathered into batches.

A row is a sentence: speaker, offset and number of its symbols, offset and number of its frames, offset of its samples, frames of
silence before and after it."""
import glob

import numpy as np
import torch

from model import HOP

FRAMES_PER_HOUR = 80 * 3600
HEAD, TAIL = (2, 9), (6, 16)          # range of the frames of silence kept before and after a sentence, random in training
MIN_FRAMES, MIN_SYMBOLS = 60, 4       # shorter sentences are left out
HELD_OUT_EVERY, HELD_OUT = 60, 7      # sentences that are only measured: number % 60 = 7


class Data:
    def __init__(self, folder, speakers, device, hours, audio):
        """hours: size of the arrays; speech beyond it is left out."""
        self.folder, self.speakers, self.device, self.wants_audio = folder, speakers, device, audio
        frames = int(hours * FRAMES_PER_HOUR)
        zeros = lambda size, dtype: torch.zeros(size, dtype=dtype, device=device)
        self.symbols, self.frames = zeros(frames // 3, torch.uint8), zeros(frames // 3, torch.int16)
        self.f0, self.energy, self.phase = zeros(frames, torch.float16), zeros(frames, torch.float16), zeros(frames, torch.float32)
        self.audio = zeros(frames * HOP if audio else 1, torch.int16)
        self.used = [0, 0, 0]                                 # symbols, frames, samples
        self.rows, self.held_out = [], []
        self.base = torch.zeros(len(speakers), device=device)  # log of the median pitch in Hz
        for path in sorted(glob.glob(folder + "/*.npz")):
            if ".part" not in path and not self.add(np.load(path)):
                print(f"full after {hours} h: the rest is left out", flush=True)
                break
        if not self.rows:
            raise SystemExit(f"no speech in {folder}")
        self.table, self.held_out = np.array(self.rows, dtype=np.int64), np.array(self.held_out, dtype=np.int64)
        self.by_length = np.argsort(self.table[:, 4], kind="stable")

    def add(self, shard):
        """Returns False when the arrays are full."""
        if self.wants_audio and "audio" not in shard:
            return True
        s, f, a = self.used
        shard = dict(shard)
        lengths, totals, frames, f0 = (shard[name] for name in ("lengths", "totals", "frames", "f0"))
        if s + lengths.sum() > len(self.symbols) or f + totals.sum() > len(self.f0):
            return False
        speaker = self.speakers.index(str(shard["speaker"]))
        names = [("symbols", s), ("frames", s), ("f0", f), ("energy", f), ("phase", f)] + [("audio", a)] * self.wants_audio
        for name, at in names:
            getattr(self, name)[at:at + len(shard[name])].copy_(torch.from_numpy(shard[name]).to(self.device))
        symbol_at = s + np.concatenate([[0], np.cumsum(lengths)])
        frame_at = f + np.concatenate([[0], np.cumsum(totals)])
        sample_at = a + (frame_at - f) * HOP
        if not float(self.base[speaker]):
            voiced = f0[f0 > 40].astype(np.float32)
            if len(voiced) > 2000:
                self.base[speaker] = float(np.log(np.median(voiced)))
        first, last = frames[symbol_at[:-1] - s], frames[symbol_at[1:] - s - 1]
        for i, number in enumerate(shard["numbers"]):
            if totals[i] >= MIN_FRAMES and lengths[i] >= MIN_SYMBOLS:
                row = (speaker, symbol_at[i], lengths[i], frame_at[i], totals[i], sample_at[i], first[i], last[i])
                (self.held_out if number % HELD_OUT_EVERY == HELD_OUT else self.rows).append(row)
        self.used = [int(symbol_at[-1]), int(frame_at[-1]), int(sample_at[-1])]
        return True

    def pick(self, count):
        """Rows of similar length: little padding."""
        n = len(self.by_length)
        width = min(n, max(count * 4, n // 8))
        low = min(max(0, np.random.randint(0, n) - width // 2), n - width)
        return self.table[self.by_length[low + np.random.choice(width, min(count, width), replace=False)]]

    def gather_symbols(self, rows, head, tail):
        """Symbols and frames [B, L] without the removed silence, mask [B, L, 1]."""
        d = self.device
        lengths = torch.from_numpy(rows[:, 2]).to(d)
        most = int(rows[:, 2].max())
        k = torch.arange(most, device=d).unsqueeze(0)
        at = torch.from_numpy(rows[:, 1]).to(d).unsqueeze(1) + k
        inside = k < lengths.unsqueeze(1)
        at = at.clamp(max=self.symbols.shape[0] - 1)
        symbols = self.symbols[at].long() * inside
        frames = self.frames[at].long() * inside
        frames[:, 0] -= head
        frames.scatter_add_(1, (lengths - 1).unsqueeze(1), -tail.unsqueeze(1))
        return symbols, frames, inside.float().unsqueeze(2)

    def trims(self, rows):
        """Frames of silence to remove at the beginning and at the end."""
        keep = np.random.randint(HEAD[0], HEAD[1], len(rows))
        head = np.maximum(0, rows[:, 6] - keep)
        keep = np.random.randint(TAIL[0], TAIL[1], len(rows))
        return head, np.maximum(0, rows[:, 7] - keep)

    def sentences(self, rows):
        """Whole sentences, padded to the longest: for prosody."""
        d = self.device
        head, tail = self.trims(rows)
        h, e = torch.from_numpy(head).to(d), torch.from_numpy(tail).to(d)
        symbols, frames, mask = self.gather_symbols(rows, h, e)
        totals = rows[:, 4] - head - tail
        t = torch.arange(int(totals.max()), device=d).unsqueeze(0)
        totals = torch.from_numpy(totals).to(d).unsqueeze(1)
        inside = t < totals
        at = (torch.from_numpy(rows[:, 3]).to(d) + h).unsqueeze(1) + torch.minimum(t, totals - 1)
        f0 = self.f0[at].float()
        speaker = torch.from_numpy(rows[:, 0]).to(d)
        return dict(symbols=symbols, frames=frames, mask=mask, t=t.expand(len(rows), -1).contiguous(), inside=inside.float().unsqueeze(2),
                    speaker=speaker, hertz=f0, voiced=(f0 > 10).float(), energy=self.energy[at].float() / 4 - 1,
                    log=torch.log(f0.clamp(min=40)) - self.base[speaker].unsqueeze(1))

    def crops(self, rows, length, margin):
        """Crops with sound: samples of `length` frames from a random start; frames with a margin at both sides.

        None if fewer than two of the rows are long enough."""
        d = self.device
        head, tail = self.trims(rows)
        totals = rows[:, 4] - head - tail
        ok = totals >= length
        if ok.sum() < 2:
            return None
        rows, head, tail, totals = rows[ok], head[ok], tail[ok], totals[ok]
        start = (np.random.rand(len(rows)) * (totals - length + 1)).astype(np.int64)
        h, e = torch.from_numpy(head).to(d), torch.from_numpy(tail).to(d)
        symbols, frames, mask = self.gather_symbols(rows, h, e)
        t = torch.from_numpy(start).to(d).unsqueeze(1) + torch.arange(-margin, length + margin, device=d)
        last = torch.from_numpy(totals).to(d).unsqueeze(1) - 1
        inside = ((t >= 0) & (t <= last)).float()
        t = torch.minimum(t.clamp(min=0), last)
        begin = (torch.from_numpy(rows[:, 3]).to(d) + h).unsqueeze(1)
        f0 = self.f0[begin + t].float()
        following = self.f0[begin + torch.minimum(t + 1, last)].float()
        speaker = torch.from_numpy(rows[:, 0]).to(d)
        voiced = (f0 > 10).float()
        log = (torch.log(f0.clamp(min=40)) - self.base[speaker].unsqueeze(1)) * voiced
        a = torch.from_numpy(rows[:, 5] + (head + start) * HOP).to(d).unsqueeze(1) + torch.arange(length * HOP, device=d)
        return dict(symbols=symbols, frames=frames, mask=mask, t=t.contiguous(), inside=inside.unsqueeze(2), speaker=speaker, hertz=f0,
                    following=following, phase=self.phase[begin + t], voiced=voiced, log=log,
                    energy=self.energy[begin + t].float() / 4 - 1, audio=self.audio[a].float() / 32768)
