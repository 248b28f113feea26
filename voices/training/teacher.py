"""The teacher, Kokoro-82M: runs its ONNX graph with torch, node by node, which uses CUDA and allows repairs in the graph.

Shapes and small integers stay on the CPU, the rest is on the device.
"""
import math

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper

DURATIONS, PITCH, ENERGY = "/encoder/Clip_output_0", "/encoder/F0_proj/Conv_output_0", "/encoder/N_proj/Conv_output_0"
WAVEFORM = "waveform"
DTYPES = {1: torch.float32, 6: torch.int32, 7: torch.int64, 9: torch.bool, 10: torch.float16, 11: torch.float64}
UNARY = {"Sqrt": torch.sqrt, "Sin": torch.sin, "Cos": torch.cos, "Exp": torch.exp, "Tanh": torch.tanh, "Sigmoid": torch.sigmoid,
         "Floor": torch.floor, "Round": torch.round}
BINARY = {"Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Equal": torch.eq, "Greater": torch.gt, "Less": torch.lt,
          "GreaterOrEqual": torch.ge, "And": torch.logical_and, "MatMul": torch.matmul}


def needed_nodes(graph, outputs):
    """The nodes that some outputs depend on, in the order of the graph."""
    maker = {name: node for node in graph.node for name in node.output}
    needed, todo = set(), list(outputs)
    while todo:
        node = maker.get(todo.pop())
        if node is not None and id(node) not in needed:
            needed.add(id(node))
            todo.extend(node.input)
    return [node for node in graph.node if id(node) in needed]


class Graph:
    """run({input: tensor}) → [tensor of each of the outputs]. Graphs of one model can share constants."""

    def __init__(self, model, device, outputs, constants=None):
        self.device, self.outputs, self.lstms = device, outputs, {}
        self.constants = self.load(model.graph) if constants is None else constants
        nodes = needed_nodes(model.graph, outputs)
        last_use = {name: number for number, node in enumerate(nodes) for name in node.input}
        self.steps = []
        for number, node in enumerate(nodes):
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            unused = [n for n in set(node.input) if last_use[n] == number and n not in self.constants and n not in outputs]
            self.steps.append((self.operator(node.op_type), node, attributes, unused))

    def load(self, graph):
        constants = {}
        for initializer in graph.initializer:
            array = numpy_helper.to_array(initializer)
            tensor = torch.from_numpy(np.array(array.astype(np.float32) if array.dtype == np.float16 else array))
            constants[initializer.name] = tensor.to(self.device) if tensor.is_floating_point() and tensor.dim() > 0 else tensor
        return constants

    def operator(self, name):
        if name in UNARY:
            return lambda at, a: UNARY[name](a)
        if name in BINARY:
            return lambda at, a, b: BINARY[name](*self.together(a, b))
        return getattr(self, "op_" + name)

    def run(self, inputs):
        values = {"": None, **self.constants, **inputs}
        with torch.inference_mode():
            for operator, node, attributes, unused in self.steps:
                result = operator(attributes, *[values[name] for name in node.input])
                if not isinstance(result, tuple):
                    result = (self.repair(node, result, values),)
                values.update(zip(node.output, result))
                for name in unused:
                    values.pop(name, None)
        return [values[name] for name in self.outputs]

    def repair(self, node, result, values):
        """What the export of the model got wrong."""
        # The excitation is a sum of sines plus noise: 0.003 where voiced, 0.1 / 3 where unvoiced. The export left out the noise,
        # and unvoiced sounds had no source.
        if node.name.endswith("l_sin_gen/Mul_6"):
            voiced = values[node.input[1]]
            return result + (voiced * 0.003 + (1 - voiced) * (0.1 / 3)) * torch.randn_like(result)
        # The phase of the excitation's STFT (20 samples, 11 bins) is made of atan and a case distinction. Bins 0 and 10 are real:
        # their phase is 0 or π. The imaginary part is a zero whose sign depends on the DFT, so that the graph may give −π where the
        # real part is negative. It must be π: with −π the speech has tones at 4.8 and 9.6 kHz and 4 dB too much above 4 kHz.
        if node.name.endswith("/decoder/generator/Gather_4"):
            self.real = result
        if node.name.endswith("/decoder/generator/Where_1"):
            for k in (0, 10):
                result[:, k] = torch.where(self.real[:, k] < 0, math.pi, 0.0)
        return result

    def together(self, a, b):
        """Both on one device; a scalar may stay on the CPU."""
        if a.device == b.device:
            return a, b
        if a.dtype == b.dtype and any(x.dim() == 0 and x.device.type == "cpu" for x in (a, b)):
            return a, b
        return a.to(self.device), b.to(self.device)

    def op_Div(self, at, a, b):
        a, b = self.together(a, b)
        return a / b if a.is_floating_point() else torch.div(a, b, rounding_mode="trunc")

    def op_Pow(self, at, a, b):
        if b.numel() == 1:
            return a * a if float(b) == 2 else a ** float(b)
        a, b = self.together(a, b)
        return a ** b

    def op_Atan(self, at, a):
        return torch.nan_to_num(a.atan(), nan=0.0)     # 0/0 where the spectrum is zero: any phase will do

    def op_Clip(self, at, a, lo=None, hi=None):
        return a.clamp(None if lo is None else float(lo), None if hi is None else float(hi))

    def op_LeakyRelu(self, at, a):
        return F.leaky_relu(a, at.get("alpha", 0.01))

    def op_Softmax(self, at, a):
        return a.softmax(at.get("axis", -1))

    def op_Where(self, at, c, a, b):
        if c.device.type == "cpu" and (a.device.type != "cpu" or b.device.type != "cpu"):
            c = c.to(self.device)
        if c.device.type != "cpu":
            a, b = a.to(c.device), b.to(c.device)
        return torch.where(c, a, b)

    def op_Gemm(self, at, a, b, c=None):
        if at.get("transA"):
            a = a.T
        if at.get("transB"):
            b = b.T
        y = a @ b * at.get("alpha", 1.0) if at.get("alpha", 1.0) != 1 else a @ b
        return y if c is None else y + c * at.get("beta", 1.0)

    def op_Transpose(self, at, a):
        return a.permute(*at["perm"])

    def op_Unsqueeze(self, at, a, axes):
        axes = [int(x) for x in axes.reshape(-1)]
        n = a.dim() + len(axes)
        for x in sorted(x % n for x in axes):
            a = a.unsqueeze(x)
        return a

    def op_Squeeze(self, at, a, axes=None):
        if axes is None:
            return a.squeeze()
        for x in sorted((int(x) % a.dim() for x in axes.reshape(-1)), reverse=True):
            a = a.squeeze(x)
        return a

    def op_Slice(self, at, a, starts, ends, axes=None, steps=None):
        s, e = starts.reshape(-1).tolist(), ends.reshape(-1).tolist()
        ax = list(range(len(s))) if axes is None else axes.reshape(-1).tolist()
        st = [1] * len(s) if steps is None else steps.reshape(-1).tolist()
        for b, c, x, d in zip(s, e, ax, st):
            if d == 1:
                n = a.shape[x]
                b2 = max(0, b + n) if b < 0 else min(b, n)
                c2 = max(0, c + n) if c < 0 else min(c, n)
                a = a.narrow(x, b2, max(0, c2 - b2))
            elif d < 0:
                n = a.shape[x]
                idx = np.arange(n)[slice(b if b >= -n else None, None if c < -n else c, d)]
                a = a.index_select(x, torch.from_numpy(idx.copy()).to(a.device))
            else:
                a = a[tuple([slice(None)] * (x % a.dim()) + [slice(b, c, d)])]
        return a

    def op_ReduceMean(self, at, a, axes=None):
        ax = at.get("axes") if axes is None else axes.reshape(-1).tolist()
        return a.mean(dim=list(ax), keepdim=bool(at.get("keepdims", 1)))

    def op_ReduceSum(self, at, a, axes=None):
        keep = bool(at.get("keepdims", 1))
        if axes is None:
            return a.sum() if not keep else a.sum().reshape([1] * a.dim())
        return a.sum(dim=axes.reshape(-1).tolist(), keepdim=keep)

    def op_Gather(self, at, a, i):
        x = at.get("axis", 0) % a.dim()
        if i.dim() == 0:
            i = int(i)
            return a.select(x, i)
        i = i.to(a.device)
        i = torch.where(i < 0, i + a.shape[x], i)
        return a.index_select(x, i.reshape(-1)).reshape(a.shape[:x] + i.shape + a.shape[x + 1:])

    def op_Shape(self, at, a):
        return torch.tensor(list(a.shape)[at.get("start", 0):at.get("end")])

    def op_Concat(self, at, *xs):
        if any(x.device.type != "cpu" for x in xs):
            xs = [x.to(self.device) for x in xs]
        return torch.cat(xs, at["axis"])

    def op_Reshape(self, at, a, s):
        s = s.reshape(-1).tolist()
        return a.reshape([a.shape[i] if v == 0 else v for i, v in enumerate(s)])

    def op_Cast(self, at, a):
        return a.to(DTYPES[at["to"]])

    def op_ConstantOfShape(self, at, s):
        v = numpy_helper.to_array(at["value"]) if "value" in at else np.zeros(1, np.float32)
        shape = s.reshape(-1).tolist()
        t = torch.full(shape, v.reshape(-1)[0].item(), dtype=torch.from_numpy(np.array(v)).dtype)
        return t.to(self.device) if t.is_floating_point() or t.numel() > 64 else t

    def op_Expand(self, at, a, s):
        s = s.reshape(-1).tolist()
        n = max(len(s), a.dim())
        s = [1] * (n - len(s)) + s
        sh = [1] * (n - a.dim()) + list(a.shape)
        return a.expand([max(x, y) if min(x, y) > 0 else 0 for x, y in zip(s, sh)])

    def op_Range(self, at, a, b, c):
        return torch.arange(a.item(), b.item(), c.item(), dtype=a.dtype)

    def op_CumSum(self, at, a, axis):
        return a.cumsum(int(axis))

    def op_NonZero(self, at, a):
        return a.nonzero().T.contiguous()

    def op_ScatterND(self, at, d, i, u):
        d = d.clone()
        i = i.to(d.device)
        d[tuple(i.unbind(-1))] = u.to(d.device)
        return d

    def op_Pad(self, at, a, pads, v=None, axes=None):
        p = pads.reshape(-1).tolist()
        n = a.dim() if axes is None else len(p) // 2
        ax = list(range(n)) if axes is None else [int(x) % a.dim() for x in axes.reshape(-1)]
        mode = at.get("mode", b"constant").decode()
        full = [0] * (2 * a.dim())
        for k, x in enumerate(ax):
            full[2 * (a.dim() - 1 - x)], full[2 * (a.dim() - 1 - x) + 1] = p[k], p[k + n]
        if mode == "constant":
            return F.pad(a, full, value=0.0 if v is None else v.item())
        while len(full) > 2 and full[-1] == 0 and full[-2] == 0:
            full = full[:-2]
        return F.pad(a, full, mode={"reflect": "reflect", "edge": "replicate"}[mode])

    def op_LayerNormalization(self, at, a, w, b=None):
        return F.layer_norm(a, w.shape, w, b, at.get("epsilon", 1e-5))

    def op_Conv(self, at, a, w, b=None):
        k = w.shape[2:]
        st, di, pa = at.get("strides", [1] * len(k)), at.get("dilations", [1] * len(k)), at.get("pads", [0] * 2 * len(k))
        assert at.get("auto_pad", b"NOTSET") == b"NOTSET"
        n = len(k)
        if list(pa[:n]) != list(pa[n:]):
            full = []
            for x in reversed(range(n)):
                full += [pa[x], pa[x + n]]
            a, pa = F.pad(a, full), [0] * 2 * n
        return (F.conv1d if n == 1 else F.conv2d)(a, w, b, st, pa[:n], di, at.get("group", 1))

    def op_ConvTranspose(self, at, a, w, b=None):
        k = w.shape[2:]
        n = len(k)
        pa = at.get("pads", [0] * 2 * n)
        assert list(pa[:n]) == list(pa[n:]) and "output_shape" not in at
        return F.conv_transpose1d(a, w, b, at.get("strides", [1]), pa[:n], at.get("output_padding", [0] * n), at.get("group", 1), at.get("dilations", [1]))

    def op_Resize(self, at, a, roi=None, scales=None, sizes=None):
        """The last axis of [B, C, N]."""
        assert a.dim() == 3
        if scales is not None and scales.numel():
            scale = float(scales.reshape(-1)[-1])
            size = int(math.floor(a.shape[2] * scale))
        else:
            size = int(sizes.reshape(-1)[-1])
            scale = size / a.shape[2]
        transformation = at.get("coordinate_transformation_mode", b"half_pixel")
        if at["mode"] == b"nearest":
            assert transformation == b"asymmetric" or scale == int(scale), (transformation, scale)
            x = torch.arange(size, device=a.device)
            return a.index_select(2, (x / scale).floor().long().clamp(max=a.shape[2] - 1))
        assert at["mode"] == b"linear"
        if transformation == b"align_corners":
            return F.interpolate(a, size=size, mode="linear", align_corners=True)
        assert transformation in (b"half_pixel", b"pytorch_half_pixel"), transformation
        return F.interpolate(a, scale_factor=scale, mode="linear", align_corners=False, recompute_scale_factor=False)

    def op_STFT(self, at, x, step, window=None, length=None):
        size = int(length) if length is not None else window.shape[0]
        frames = x.reshape(x.shape[0], -1).unfold(1, size, int(step))
        if window is not None:
            frames = frames * window.to(frames.device)
        return torch.view_as_real(torch.fft.rfft(frames) if at.get("onesided", 1) else torch.fft.fft(frames))

    def op_LSTM(self, at, x, w, r, b=None, lengths=None, h0=None, c0=None):
        """x: [N, B, C]. ONNX has the gates in the order i, o, f, c; torch has i, f, c, o."""
        size, directions = at["hidden_size"], 2 if at.get("direction", b"forward") == b"bidirectional" else 1
        if id(w) not in self.lstms:
            lstm = torch.nn.LSTM(x.shape[2], size, bidirectional=directions == 2).to(x.device)
            for d in range(directions):
                for name, value in (("weight_ih", w[d]), ("weight_hh", r[d]), ("bias_ih", b[d][:4 * size]), ("bias_hh", b[d][4 * size:])):
                    i, o, f, c = value.chunk(4, 0)
                    getattr(lstm, name + "_l0" + "_reverse" * d).data = torch.cat([i, f, c, o], 0)
            lstm.flatten_parameters()
            self.lstms[id(w)] = lstm
        state = None if h0 is None else (h0.contiguous().to(x.device), c0.contiguous().to(x.device))
        y, (h, c) = self.lstms[id(w)](x.contiguous(), state)
        return y.reshape(*y.shape[:2], directions, size).permute(0, 2, 1, 3), h, c
