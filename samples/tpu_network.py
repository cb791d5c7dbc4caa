"""A made-up network for TPU-MLIR on a bm1684x: layer groups, and tensor sizes per lane."""

from __future__ import annotations

from dataclasses import dataclass

LANES, EU_BYTES, LMEM_BYTES, BANKS, BANK_BYTES = 64, 64, 262_144, 16, 16_384
_HALO = 2
"""Rows of neighbouring slices that a slice contains in addition."""


@dataclass(frozen=True)
class Activation:
    """An activation of batch 1: its name, dimensions and bytes per element."""

    name: str
    channels: int
    height: int
    width: int
    element: int = 2

    def lane_bytes(self, hsecs: int) -> int:
        """Return the bytes of a slice in each lane.

        Channels are distributed over the lanes; the rows of a channel are contiguous.
        """
        rows = self.height if hsecs == 1 else min(self.height, -(-self.height // hsecs) + _HALO)
        return align_size(-(-self.channels // LANES) * rows * self.width * self.element)


@dataclass(frozen=True)
class Layer:
    """An operator.

    `kernel` is the side of a convolution's window, `scratch` the number of output rows of its
    working memory. `in_place`: its output reuses the bytes of its first input. `stored`: its output
    is needed after the group.
    """

    op_type: str
    output: Activation
    inputs: tuple[Activation, ...]
    kernel: int = 0
    scratch: int = 0
    in_place: bool = False
    stored: bool = False

    def weights(self) -> tuple[tuple[str, int], ...]:
        """Return names and bytes per lane of its filter and bias."""
        if not self.kernel:
            return ()
        per_lane = -(-self.output.channels // LANES)
        taps = self.kernel**2 * self.inputs[0].channels
        name = self.output.name
        return (f"{name}_filter_reorderd", align_size(2 * per_lane * taps)), (
            f"{name}.bias",
            4 * per_lane,
        )

    def cycles(self, hsecs: int) -> int:
        """Return the cycles to compute a slice."""
        elements = self.output.lane_bytes(hsecs) // self.output.element
        return 120 + elements * max(4, self.kernel**2 * self.inputs[0].channels // 8) // 8


LayerGroup = tuple[Layer, ...]


def align_size(size: int) -> int:
    """Round a size in bytes up to the alignment of the hardware."""
    return -(-size // EU_BYTES) * EU_BYTES


def _network() -> tuple[LayerGroup, ...]:
    image = Activation("image", 3, 336, 384, 4)
    half = Activation("image_f16", 3, 336, 384)
    enc = Activation("enc@block#1=conv 0_Conv", 32, 168, 192)
    act = Activation("enc/act,silu(0)_Mul", 32, 168, 192)
    pool = Activation("/pool [2x2]_MaxPool", 32, 84, 96)
    wide = Activation("深层/conv1_Conv", 384, 84, 96)
    deep = Activation("深层/conv2_Conv", 384, 84, 96)
    total = Activation("深层/Add_output_0_Add", 384, 84, 96)
    down = Activation("body/down_Conv", 192, 84, 96)
    squeeze = Activation("neck;1x1_Conv", 128, 84, 96)
    up = Activation("neck;up x2_Resize", 128, 168, 192)
    joined = Activation("neck/join_Concat", 160, 168, 192)
    heat = Activation("heat map_Conv", 32, 168, 192)
    bright = Activation("heat map_Sigmoid", 32, 168, 192)
    mean = Activation("head/GlobalAveragePool", 192, 1, 1)
    logits = Activation("head/fc_Gemm", 100, 1, 1)
    scores = Activation("scores", 100, 1, 1, 4)
    return (
        (
            Layer("tpu.Cast", half, (image,)),
            Layer("tpu.Conv2D", enc, (half,), kernel=3, scratch=4),
            Layer("tpu.Active", act, (enc,), in_place=True, stored=True),
            Layer("tpu.Pool2D", pool, (act,), stored=True),
        ),
        (
            Layer("tpu.Conv2D", wide, (pool,), kernel=3, scratch=4),
            Layer("tpu.Conv2D", deep, (wide,), kernel=3, scratch=4),
            Layer("tpu.Add", total, (deep, wide), in_place=True),
            Layer("tpu.Conv2D", down, (total,), kernel=3, scratch=4, stored=True),
        ),
        (
            Layer("tpu.Conv2D", squeeze, (down,), kernel=1),
            Layer("tpu.Upsample", up, (squeeze,)),
            Layer("tpu.Concat", joined, (up, act)),
            Layer("tpu.Conv2D", heat, (joined,), kernel=3, scratch=4),
            Layer("tpu.Active", bright, (heat,), in_place=True, stored=True),
        ),
        (
            Layer("tpu.Pool2D", mean, (down,), scratch=1),
            Layer("tpu.MatMul", logits, (mean,), kernel=1),
            Layer("tpu.Cast", scores, (logits,), stored=True),
        ),
    )


NETWORK = _network()
"""Four layer groups of a small detector, with names as users choose them."""
