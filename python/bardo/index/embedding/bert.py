"""Builder of the six-layer BERT encoder of all-MiniLM-L6-v2 as an ONNX graph, from its safetensors, without torch.

Only standard operators of opset 20 are used, so any ONNX runtime can read the file; onnxruntime fuses them when it
loads. The output of an encoder is `last_hidden_state`: mean pooling and the vectors of single tokens both come from it.
That of a cross-encoder, which reads two texts together, is one number for each pair.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Weights = Mapping[str, npt.NDArray[np.float32]]
else:
    Weights = Any


#: Parameters from the model's config.json.
LAYERS = 6
HEADS = 12
WIDTH = 384
EPSILON = 1e-12

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "last_hidden_state"
#: Output of a cross-encoder, of shape (batch, 1).
LOGITS = "logits"
#: Weights of a cross-encoder's head: (3 * WIDTH, 1) and (1,).
HEAD = ("head.weight", "head.bias")

_OPSET = 20
_IR_VERSION = 9  # of onnx 1.15, which brought opset 20: readable by onnxruntime 1.17 and later
#: Value added to the attention scores of padding: exp(-10,000) is 0 in float32.
_MASKED = -10_000.0
_LENGTH_BYTES = 8  # a safetensors file starts with the length of its JSON header, little-endian u64


def read_safetensors(path: Path) -> Weights:
    """Reads the float32 tensors of a safetensors file, as views of one buffer.

    Raises:
        ValueError: The file is not safetensors, or is cut short.
    """
    content = path.read_bytes()
    start = _LENGTH_BYTES + int.from_bytes(content[:_LENGTH_BYTES], "little")
    if start > len(content):
        raise ValueError(f"{path} is not a whole safetensors file")
    header = json.loads(content[_LENGTH_BYTES:start])
    weights = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        first, last = entry["data_offsets"]
        tensor = np.frombuffer(content, "<f4", offset=start + first, count=(last - first) // 4)
        weights[name] = tensor.reshape(entry["shape"])
    return weights


def build(weights: Weights) -> Any:
    """Builds the `onnx.ModelProto` of the encoder.

    Args:
        weights: Tensors by their names in Hugging Face's `BertModel`.

    Raises:
        KeyError: A tensor is missing, so these are not the weights of this model.
    """
    return _Graph(weights).encoder()


def build_cross_encoder(weights: Weights) -> Any:
    """Builds the `onnx.ModelProto` of a cross-encoder; the two texts differ in their token types, 0 and 1.

    Args:
        weights: Tensors of `build`, and the two of `HEAD`, which reads the first token and the means of both texts.

    Raises:
        KeyError: A tensor is missing.
    """
    return _Graph(weights).cross_encoder()


class _Graph:
    """Collects nodes and initialisers; each method adds one block and returns the name of its output."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[Any] = []
        self._tensors: dict[str, npt.NDArray[Any]] = {}

    def encoder(self) -> Any:
        self._add("Identity", [self._layers()], OUTPUT)
        return self._model(OUTPUT, ["batch", "sequence", WIDTH])

    def cross_encoder(self) -> Any:
        from onnx import TensorProto

        states = self._layers()
        first = self._add(
            "Gather", [states, self._tensor("first_token", np.int64(0))], "first_states", axis=1
        )
        newer = self._add("Cast", ["token_type_ids"], "newer", to=TensorProto.FLOAT)
        # `mask_ones` is of shape (batch, 1, 1, sequence).
        ones = self._add(
            "Squeeze", ["mask_ones", self._tensor("one_axis", np.array([1, 2], np.int64))], "ones"
        )
        newer = self._add("Mul", [newer, ones], "newer_ones")
        means = [
            self._mean(states, shares, name)
            for name, shares in (("older", self._add("Sub", [ones, newer], "older_ones")), ("newer", newer))
        ]
        read = self._add("Concat", [first, *means], "read", axis=-1)
        product = self._add("MatMul", [read, self._weight(HEAD[0])], "head.product")
        self._add("Add", [product, self._weight(HEAD[1])], LOGITS)
        return self._model(LOGITS, ["batch", 1])

    def _mean(self, states: str, ones: str, name: str) -> str:
        """Mean of the states of one text, shaped (batch, WIDTH)."""
        axis = self._tensor("text_axis", np.array([1], np.int64))
        wide = self._add("Unsqueeze", [ones, axis], f"{name}.wide")
        total = self._add("MatMul", [wide, states], f"{name}.total")
        count = self._add(
            "ReduceSum", [wide, self._tensor("token_axis", np.array([2], np.int64))], f"{name}.count"
        )
        mean = self._add("Div", [total, count], f"{name}.mean")
        return self._add("Squeeze", [mean, axis], f"{name}.flat")

    def _layers(self) -> str:
        mask = self._mask()
        states = self._embeddings()
        for layer in range(LAYERS):
            states = self._layer(states, mask, layer)
        return states

    def _model(self, output: str, shape: list[str | int]) -> Any:
        from onnx import TensorProto, helper, numpy_helper

        axes = ["batch", "sequence"]
        graph = helper.make_graph(
            self._nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info(name, TensorProto.INT64, axes) for name in INPUTS],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
            [numpy_helper.from_array(tensor, name) for name, tensor in self._tensors.items()],
        )
        return helper.make_model(
            graph,
            producer_name="bardo",
            opset_imports=[helper.make_opsetid("", _OPSET)],
            ir_version=_IR_VERSION,
        )

    def _embeddings(self) -> str:
        part = "embeddings"
        words = self._add("Gather", [self._weight(f"{part}.word_embeddings.weight"), "input_ids"], "words")
        types = self._add(
            "Gather", [self._weight(f"{part}.token_type_embeddings.weight"), "token_type_ids"], "types"
        )
        length = self._add("Shape", ["input_ids"], "length", start=1, end=2)
        table = self._weight(f"{part}.position_embeddings.weight")
        positions = self._add(
            "Slice", [table, self._tensor("first", np.zeros(1, np.int64)), length], "positions"
        )
        total = self._add("Add", [self._add("Add", [words, types], "words_and_types"), positions], "summed")
        return self._norm(f"{part}.LayerNorm", total)

    def _mask(self) -> str:
        """Attention mask: 0 for tokens and -10,000 for padding, shaped (batch, 1, 1, sequence)."""
        from onnx import TensorProto

        axes = self._tensor("mask_axes", np.array([1, 2], np.int64))
        wide = self._add("Unsqueeze", ["attention_mask", axes], "mask_wide")
        ones = self._add("Cast", [wide], "mask_ones", to=TensorProto.FLOAT)
        padding = self._add("Sub", [self._tensor("one", np.float32(1)), ones], "mask_padding")
        return self._add("Mul", [padding, self._tensor("masked", np.float32(_MASKED))], "mask")

    def _layer(self, states: str, mask: str, layer: int) -> str:
        name = f"encoder.layer.{layer}"
        attended = self._linear(f"{name}.attention.output.dense", self._attention(name, states, mask))
        states = self._norm(
            f"{name}.attention.output.LayerNorm", self._add("Add", [attended, states], f"{name}.attended")
        )
        inner = self._add("Gelu", [self._linear(f"{name}.intermediate.dense", states)], f"{name}.activated")
        outer = self._linear(f"{name}.output.dense", inner)
        return self._norm(f"{name}.output.LayerNorm", self._add("Add", [outer, states], f"{name}.fed"))

    def _attention(self, layer: str, states: str, mask: str) -> str:
        split = self._tensor("split_heads", np.array([0, 0, HEADS, WIDTH // HEADS], np.int64))
        join = self._tensor("join_heads", np.array([0, 0, WIDTH], np.int64))
        by_head, transposed = (0, 2, 1, 3), (0, 2, 3, 1)
        heads = {}
        for part, order in (("query", by_head), ("key", transposed), ("value", by_head)):
            flat = self._linear(f"{layer}.attention.self.{part}", states)
            shaped = self._add("Reshape", [flat, split], f"{flat}.split")
            heads[part] = self._add("Transpose", [shaped], f"{flat}.heads", perm=order)
        scores = self._add("MatMul", [heads["query"], heads["key"]], f"{layer}.scores")
        scale = self._tensor("scale", np.float32((WIDTH / HEADS) ** -0.5))
        scaled = self._add("Mul", [scores, scale], f"{layer}.scaled")
        shares = self._add(
            "Softmax", [self._add("Add", [scaled, mask], f"{layer}.masked")], f"{layer}.shares", axis=-1
        )
        mixed = self._add("MatMul", [shares, heads["value"]], f"{layer}.mixed")
        tokens = self._add("Transpose", [mixed], f"{layer}.tokens", perm=by_head)
        return self._add("Reshape", [tokens, join], f"{layer}.joined")

    def _linear(self, name: str, states: str) -> str:
        # torch stores (out, in); MatMul takes (in, out).
        matrix = self._tensor(f"{name}.weight", self._weights[f"{name}.weight"].T)
        product = self._add("MatMul", [states, matrix], f"{name}.product")
        return self._add("Add", [product, self._weight(f"{name}.bias")], f"{name}.sum")

    def _norm(self, name: str, states: str) -> str:
        parts = [states, self._weight(f"{name}.weight"), self._weight(f"{name}.bias")]
        return self._add("LayerNormalization", parts, f"{name}.normed", axis=-1, epsilon=EPSILON)

    def _weight(self, name: str) -> str:
        return self._tensor(name, self._weights[name])

    def _tensor(self, name: str, value: Any) -> str:
        self._tensors[name] = np.ascontiguousarray(value) if np.ndim(value) else np.asarray(value)
        return name

    def _add(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        from onnx import helper

        self._nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output
