"""The normalizing flow between the prior and the decoder (VITS, section 2.2): coupling layers of WaveNet blocks."""
import torch
from torch import nn
from torch.nn.utils import weight_norm


class WaveNet(nn.Module):
    def __init__(self, channels, kernel, layers, speaker_channels):
        super().__init__()
        self.channels = channels
        if speaker_channels:
            self.cond_layer = weight_norm(nn.Conv1d(speaker_channels, 2 * channels * layers, 1))
        self.in_layers = nn.ModuleList(
            weight_norm(nn.Conv1d(channels, 2 * channels, kernel, padding=(kernel - 1) // 2)) for _ in range(layers)
        )
        # The last layer has no way on, only one out.
        self.res_skip_layers = nn.ModuleList(
            weight_norm(nn.Conv1d(channels, channels * (2 if layer < layers - 1 else 1), 1)) for layer in range(layers)
        )

    def forward(self, x, mask, speaker):
        output = torch.zeros_like(x)
        condition = None if speaker is None else self.cond_layer(speaker)
        for layer, (in_layer, res_skip) in enumerate(zip(self.in_layers, self.res_skip_layers)):
            y = in_layer(x)
            if condition is None:
                y = y + torch.zeros_like(y)
            else:
                start = layer * 2 * self.channels
                y = y + condition[:, start : start + 2 * self.channels, :]
            y = torch.tanh(y[:, : self.channels, :]) * torch.sigmoid(y[:, self.channels :, :])
            y = res_skip(y)
            if layer < len(self.in_layers) - 1:
                x = (x + y[:, : self.channels, :]) * mask
                output = output + y[:, self.channels :, :]
            else:
                output = output + y
        return output * mask


class Coupling(nn.Module):
    """Shifts one half of the channels by what the other half says."""

    def __init__(self, inter, hidden, kernel, layers, speaker_channels):
        super().__init__()
        self.half = inter // 2
        self.pre = nn.Conv1d(self.half, hidden, 1)
        self.enc = WaveNet(hidden, kernel, layers, speaker_channels)
        self.post = nn.Conv1d(hidden, self.half, 1)

    def forward(self, x, mask, speaker):
        first, second = torch.split(x, self.half, dim=1)
        shift = self.post(self.enc(self.pre(first) * mask, mask, speaker)) * mask
        log_scale = torch.zeros_like(shift)
        second = (second - shift) * torch.exp(-log_scale) * mask
        return torch.cat([first, second], 1)


class Flow(nn.Module):
    def __init__(self, inter, hidden, speaker_channels, kernel=5, layers=4, couplings=4):
        super().__init__()
        self.flows = nn.ModuleList(Coupling(inter, hidden, kernel, layers, speaker_channels) for _ in range(couplings))

    def forward(self, x, mask, speaker):
        for coupling in self.flows:
            x = coupling(torch.flip(x, [1]), mask, speaker)
        return x
