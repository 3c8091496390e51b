"""Sizes of multilingual-e5-small."""

WIDTH, LAYERS, ATTENTION_HEADS, INNER = 384, 12, 12, 1536
#: Names of a layer's linear maps, with their inputs and outputs.
LINEARS = {
    "q": (WIDTH, WIDTH),
    "k": (WIDTH, WIDTH),
    "v": (WIDTH, WIDTH),
    "ao": (WIDTH, WIDTH),
    "fi": (WIDTH, INNER),
    "fo": (INNER, WIDTH),
}
