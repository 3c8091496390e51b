"""Writer of the transformer as an ONNX graph, in float or in 8 bits.

One text per run and no padding: with dynamic activation quantisation one scale covers a whole
tensor, so in a batch each text's vector would depend on the others (measured: cosine .997 at
worst). Running texts singly costs nothing: 11.4 ms per 60-token text against 11.3 ms in a batch of
nine. Without padding there is no mask and no batch axis either.

The graph is written in the form that the runtime uses, so that it loads without an optimiser pass:
- query, key and value are one product, and the query's scale is folded into its weights;
- `DynamicQuantizeMatMul` is the operator that onnxruntime's own quantiser ends in, after its
  fusions;
- a reshape copies its first axis (0) instead of working it out (-1): with unknown sizes planning
  memory took 24 ms;
- `Add` and `LayerNormalization` stay apart: the fused `SkipLayerNormalization` took 4 times as
  long, which was a third of all time at 60 tokens (onnxruntime 1.31).
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gieok.models.local.adapter import Adapter
from gieok.models.local.encoder import INPUT, OUTPUT
from gieok.models.local.weights import Weights

if TYPE_CHECKING:
    import onnx
    from numpy.typing import NDArray

#: Onnx opset 20 is the first with `Gelu`; the contributed operators have one version.
_OPSETS = {"": 20, "com.microsoft": 1}
_IR_VERSION = 9
_LARGE_BYTES = 4096


def build_encoder_graph(weights: Weights, adapter: Adapter, bits: int | None) -> "onnx.ModelProto":
    """Return the encoder graph, adapter merged; `bits` of the weights are 8, 7 or None for float32.

    Its output is the mean of the states, (384).
    """
    return _Graph(weights, adapter, bits).model_of_means()


def build_head_graph(weights: Weights, adapter: Adapter, bits: int | None) -> "onnx.ModelProto":
    """Return the graph of an adapter with a head: its output are the head's logits, float32.

    The head reads the first state and the mean of all, through one hidden layer.
    """
    return _Graph(weights, adapter, bits).model_of_logits()


def build_states_graph(weights: Weights, adapter: Adapter, bits: int | None) -> "onnx.ModelProto":
    """Return the encoder graph whose output are the last states, (tokens, 384) float32."""
    return _Graph(weights, adapter, bits).model_of_states()


def save_graph(model: "onnx.ModelProto", file: Path, constants: str) -> None:
    """Write the graph to `file`, and its constants to a file named `constants` beside it.

    The constants are mapped rather than parsed: a session opens in 30 ms, and in 55 with the
    constants inside the graph.
    """
    import onnx

    onnx.save_model(
        model, file, save_as_external_data=True, location=constants, size_threshold=_LARGE_BYTES
    )


class _Graph:
    def __init__(self, weights: Weights, adapter: Adapter, bits: int | None) -> None:
        self.weights = weights
        self.adapter = adapter
        self.bits = bits
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def model_of_means(self) -> "onnx.ModelProto":
        self._node("ReduceMean", [self._encoder(), "tokens"], OUTPUT, keepdims=0)
        return self._model(self.weights.shape.width)

    def model_of_logits(self) -> "onnx.ModelProto":
        import numpy as np

        state = self._encoder()
        self._constant("first", np.array([0], np.int64))
        self._constant("flat", np.array([-1], np.int64))
        first = self._node("Gather", [state, "first"], "head.first", axis=0)
        mean = self._node("ReduceMean", [state, "tokens"], "head.mean", keepdims=1)
        both = self._node("Concat", [first, mean], "head.both", axis=1)
        inner = self._node("Gelu", [self._dense(both, "inner")], "head.gelu")
        self._node("Reshape", [self._dense(inner, "outer"), "flat"], OUTPUT)
        return self._model(len(self.adapter.head("outer.bias")))

    def model_of_states(self) -> "onnx.ModelProto":
        self._node("Identity", [self._encoder()], OUTPUT)
        return self._model("tokens", self.weights.shape.width)

    def _dense(self, state: str, name: str) -> str:
        """Add a float32 layer of the head."""
        weight = self._constant(f"head.{name}.w", self.adapter.head(f"{name}.weight"))
        bias = self._constant(f"head.{name}.b", self.adapter.head(f"{name}.bias"))
        return self._node("Gemm", [state, weight, bias], f"head.{name}.out", transB=1)

    def _model(self, *shape: int | str) -> "onnx.ModelProto":
        from onnx import TensorProto, helper

        width = self.weights.shape.width
        graph = helper.make_graph(
            self.nodes,
            "e5",
            [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["tokens", width])],
            [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, shape)],
            self.constants,
        )
        opsets = [helper.make_opsetid(domain, version) for domain, version in _OPSETS.items()]
        return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)

    def _encoder(self) -> str:
        """Add the encoder, and return the name of its last states, (tokens, 384)."""
        import numpy as np

        shape = self.weights.shape
        self._constant("heads", np.array([0, shape.heads, shape.width // shape.heads], np.int64))
        self._constant("joined", np.array([0, shape.width], np.int64))
        self._constant("tokens", np.array([0], np.int64))
        state = self._norm(INPUT, "emb.ln")
        for layer in range(shape.layers):
            state = self._layer(state, layer)
        return state

    def _layer(self, state: str, number: int) -> str:
        layer = f"l{number}"
        state = self._residual(state, self._attention(state, layer), f"{layer}.aln")
        inner = self._node("Gelu", [self._linear(state, f"{layer}.fi")], f"{layer}.gelu")
        return self._residual(state, self._linear(inner, f"{layer}.fo"), f"{layer}.oln")

    def _attention(self, state: str, layer: str) -> str:
        product = self._product(state, *self._query_key_value(layer), f"{layer}.qkv")
        parts = [f"{layer}.{part}" for part in "qkv"]
        self._node("Split", [product], *parts, axis=-1, num_outputs=3)
        query, key, value = (self._by_head(part, key=part.endswith("k")) for part in parts)
        chances = self._node(
            "Softmax", [self._node("MatMul", [query, key], f"{layer}.scores")], f"{layer}.chances"
        )
        mixed = self._node("MatMul", [chances, value], f"{layer}.mixed")
        turned = self._node("Transpose", [mixed], f"{layer}.turned", perm=[1, 0, 2])
        return self._linear(
            self._node("Reshape", [turned, "joined"], f"{layer}.joined"), f"{layer}.ao"
        )

    def _by_head(self, part: str, *, key: bool) -> str:
        split = self._node("Reshape", [part, "heads"], f"{part}.heads")
        return self._node(
            "Transpose", [split], f"{part}.turned", perm=[1, 2, 0] if key else [1, 0, 2]
        )

    def _query_key_value(self, layer: str) -> "tuple[NDArray[Any], NDArray[Any]]":
        import numpy as np

        shape = self.weights.shape
        scale = np.float32((shape.width // shape.heads) ** -0.5)
        matrices = [self._matrix(f"{layer}.{part}", shape.width) for part in "qkv"]
        biases = [self.weights.floats(f"{layer}.{part}.b") for part in "qkv"]
        return np.concatenate([matrices[0] * scale, *matrices[1:]]), np.concatenate(
            [biases[0] * scale, *biases[1:]]
        )

    def _linear(self, state: str, name: str) -> str:
        bias = self.weights.floats(f"{name}.b")
        inputs = self.weights.shape.inner if name.endswith(".fo") else self.weights.shape.width
        return self._product(state, self._matrix(name, inputs), bias, name)

    def _matrix(self, name: str, inputs: int) -> "NDArray[Any]":
        """Return the weights of a map such as `l3.fo`, adapter included, (outputs, inputs)."""
        layer, _, part = name.partition(".")
        change = self.adapter.change(int(layer.removeprefix("l")), part)
        return self.weights.matrix(f"{name}.w", inputs) + change

    def _product(self, state: str, matrix: "NDArray[Any]", bias: "NDArray[Any]", name: str) -> str:
        offset = self._constant(f"{name}.b", bias)
        if self.bits is None:
            product = self._node(
                "MatMul", [state, self._constant(f"{name}.w", matrix.T)], f"{name}.product"
            )
            return self._node("Add", [product, offset], f"{name}.out")
        whole, scales = _quantise_graph_matrix(matrix, self.bits)
        factors = [self._constant(f"{name}.w", whole.T), self._constant(f"{name}.s", scales)]
        inputs = [state, *factors, "", offset]
        return self._node("DynamicQuantizeMatMul", inputs, f"{name}.out", domain="com.microsoft")

    def _residual(self, state: str, change: str, name: str) -> str:
        return self._norm(self._node("Add", [state, change], f"{name}.sum"), name)

    def _norm(self, state: str, name: str) -> str:
        weight, bias = (
            self._constant(f"{name}.{part}", self.weights.floats(f"{name}.{part}")) for part in "wb"
        )
        epsilon = self.weights.shape.epsilon
        return self._node(
            "LayerNormalization", [state, weight, bias], f"{name}.out", axis=-1, epsilon=epsilon
        )

    def _constant(self, name: str, values: "NDArray[Any]") -> str:
        import numpy as np
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _node(self, kind: str, inputs: list[str], *outputs: str, **attributes: Any) -> str:  # noqa: ANN401
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, list(outputs), **attributes))
        return outputs[0]


def _quantise_graph_matrix(
    matrix: "NDArray[Any]", bits: int
) -> "tuple[NDArray[Any], NDArray[Any]]":
    """Return (outputs, inputs) int8 and one float32 scale per output, symmetric."""
    import numpy as np

    largest = 2 ** (bits - 1) - 1
    scales = (np.abs(matrix).max(axis=1) / largest).astype(np.float32)
    return np.rint(matrix / scales[:, None]).astype(np.int8), scales
